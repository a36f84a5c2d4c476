"""Command `pitwarden demo`: plays a simulated night and reports whether the judge found the injected faults alone."""

import argparse
import asyncio
import secrets
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final, get_args

from pitwarden_simulators.demo.broker import broker, loopback
from pitwarden_simulators.demo.console import console, require_console
from pitwarden_simulators.demo.errors import DemoError, DemoRefused
from pitwarden_simulators.demo.play import Plan, play_table
from pitwarden_simulators.demo.report import Report, report
from pitwarden_simulators.demo.summary import Result, closing
from pitwarden_simulators.faults.catalogue import chosen, load_faults
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import ALL_TABLES
from pitwarden_simulators.usb.sysfs import PRELOAD, preloadable

_SETUPS: Final = ALL_TABLES
GAMES: Final = tuple(dict.fromkeys(setup.game for setup in _SETUPS.values()))
USUAL: Final = ("triple-attack-blackjack", "three-card-blitz")
_ROUNDS: Final = 20
_STOPPED: Final = 130


class DemoCommand:
    """Command that plays the night."""

    name = "demo"
    help = "play a simulated night: devices on ptys, a broker, the real service, faults by name, a summary"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--game", default=",".join(USUAL), metavar="all|NAME,...",
            help=f"of {', '.join(GAMES)} (default: the first game and three-card-blitz, about a minute)",
        )  # fmt: skip
        parser.add_argument("--rounds", type=int, default=_ROUNDS, help="at least so many of each game (default 20)")
        parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same cards (default 1)")
        parser.add_argument("--faults", default="all", metavar="all|none|NAME,...", help="what goes wrong, by name")
        parser.add_argument("--speed", type=float, default=0, help="times real play; 0 is as fast as it goes (default)")
        parser.add_argument("--broker", metavar="URL", help="mqtt://127.0.0.1:1883; without it one is embedded")
        parser.add_argument("--two-processes", action="store_true", help="field and judge half in a process each")
        parser.add_argument(
            "--keep", type=Path, metavar="DIR",
            help="a new folder in which table files, keys, journals and service logs remain",
        )  # fmt: skip
        parser.add_argument("--console", action="store_true", help="serve the pit console for the night, until Ctrl-C")
        parser.add_argument(
            "--usb", default="", metavar="NAME,...", help="devices on USB, as reader (Debian's umockdev)"
        )

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when all was found and nothing invented, 1 when not, 2 for a refused request, 130 when stopped."""
        code = 0
        try:
            code = asyncio.run(_demo(args))
        except* DemoRefused as refused:
            code = _say(refused, 2)
        except* DemoError as failed:
            code = _say(failed, 1)
        except* (KeyboardInterrupt, asyncio.CancelledError):
            code = _STOPPED
        return code


async def _demo(args: argparse.Namespace) -> int:
    playing = asyncio.current_task()
    if playing is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
    plans = _plans(args)
    if args.console:
        require_console()
    if args.broker is not None:
        loopback(args.broker)
    results: list[Result] = []
    with report() as shown, _folder(args.keep) as place:
        async with broker(args.broker, place) as address, _console(args, plans, address, place, shown) as page:
            for plan in plans:
                shown.line(f"{plan.setup.table}: {plan.setup.game}, seed {plan.seed}, {len(plan.faults)} faults")
                results.append(await _one(plan, address, place, shown))
            for line in closing(results):
                shown.line(line)
            if page:
                shown.line(f"the console remains at {page} until Ctrl-C: its history has the night")
                await asyncio.Event().wait()
    return 0 if all(result.good for result in results) else 1


@asynccontextmanager
async def _console(
    args: argparse.Namespace, plans: Sequence[Plan], address: tuple[str, int], place: Path, shown: Report
) -> AsyncIterator[str]:
    """Yield the address of the pit console; empty without one."""
    if not args.console:
        yield ""
        return
    async with console(place / "console", address, plans[0].site, [plan.setup.table for plan in plans]) as page:
        shown.line(f"the pit console: {page}, sign in as demo-floor or demo-supervisor, password: simulated night")
        yield page


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    """Yield the folder of the night: `keep`, which must not exist yet, or one that is deleted afterwards."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="pitwarden-demo-") as place:
            yield Path(place)
        return
    try:
        keep.mkdir(parents=True)
    except OSError as error:
        raise DemoRefused(f"--keep: {keep}: {error.strerror}. Name a new folder") from None
    yield keep.absolute()


async def _one(plan: Plan, address: tuple[str, int], place: Path, shown: Report) -> Result:
    folder = place / plan.setup.table
    folder.mkdir()
    return await play_table(plan, address, folder, shown)


def _plans(args: argparse.Namespace) -> Sequence[Plan]:
    """Return one plan for each table of the chosen games; the tables of a game share its rounds."""
    if args.rounds < 1 or args.speed < 0:
        raise DemoRefused("--rounds must be 1 or more, --speed 0 or more")
    games = GAMES if args.game == "all" else tuple(args.game.split(","))
    for game in games:
        if game not in GAMES:
            raise DemoRefused(f"--game: there is no game {game!r}: choose from {', '.join(GAMES)}, or all")
    setups = [setup for setup in _SETUPS.values() if setup.game in games]
    known = [fault for fault in load_faults() if fault.table in {setup.table for setup in setups}]
    try:
        faults = chosen(known, args.faults)
    except ValueError as error:
        raise DemoRefused(str(error)) from None
    usb = _on_usb(args.usb)
    halves = ("field", "judge") if args.two_processes else (None,)
    site = f"demo-{secrets.token_hex(4)}"
    return [
        Plan(
            setup,
            args.seed,
            -(-args.rounds // sum(other.game == setup.game for other in setups)),
            [fault for fault in faults if fault.table == setup.table],
            args.speed,
            halves,
            site,
            usb,
        )
        for setup in setups
    ]


def _on_usb(words: str) -> tuple[DeviceName, ...]:
    """Return the devices to put on USB.

    Raises:
        DemoRefused: No table has a device of this name, or USB cannot be simulated here.
    """
    wanted = tuple(word for word in words.split(",") if word)
    known: dict[str, DeviceName] = {name: name for name in get_args(DeviceName) if name != "keypad"}
    for word in wanted:
        if word not in known:
            raise DemoRefused(f"--usb: there is no device {word!r}: choose from {', '.join(known)}")
    if wanted and not preloadable():
        raise DemoRefused(f"--usb: {PRELOAD} is missing: as root, apt-get install umockdev libusb-1.0-0")
    return tuple(known[word] for word in wanted)


def _say(group: BaseExceptionGroup[Exception], code: int) -> int:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            _say(error, code)
        else:
            print(f"demo: {error}", file=sys.stderr)  # noqa: T201  a command talks to a person
    return code


COMMAND = DemoCommand()
