"""Path of one card through the code: the files of the service between device byte and published verdict.

Usage: python -m pitwarden_tools.card_path [--mosquitto PROGRAM] [--cards N] [--list]

A simulated table with the real service, a real broker and a shoe on a pty deals jokers, as the benchmark of verdicts
does. In the service's process a profile function (`sys.setprofile`, and `threading.setprofile` for the journals'
threads) notes each call of a Python function, and each resumption of a coroutine, whose file belongs to `pitwarden` or
`pitwarden_drivers`. The count of a card

- begins with the call that reads the card's first bytes from the device's port,
- ends with the call that hands the card's verdict to the connection to the broker, and includes both.

`files` is the number of distinct files in between, `changes` how often a call is in another file than the call before
it. A function that returns to its caller counts nothing. What the service does by itself meanwhile (a tick, a ping) is
counted too, so the card with the fewest changes is printed: nothing can make a card's own path shorter.
"""

import argparse
import asyncio
import atexit
import json
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pitwarden
import pitwarden_drivers
from pitwarden.bus.connection import Connection
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden_drivers.api import PlainCard
from pitwarden_drivers.ports.fd_port import FdPort
from pitwarden_tools.bench.verdict import PAUSE_S, at_work

CARDS: Final = 25
# Run by the service's process before it begins.
_FOLLOW: Final = "from pitwarden_tools.card_path import follow; follow({file!r})\n"
_PACKAGES: Final = {
    f"{Path(package.__path__[0]).resolve()}/": package.__name__ for package in (pitwarden, pitwarden_drivers)
}
_READ = FdPort._readable.__code__  # noqa: SLF001  the event loop calls it, and nothing public before it
_OFFERED, _SENT = LogSequencer.offer.__code__, Connection.send.__code__


@dataclass(frozen=True, slots=True)
class CardPath:
    """The file of each call between device byte and verdict, in the order of the calls."""

    calls: Sequence[str]

    @property
    def files(self) -> int:
        """Number of distinct files."""
        return len(set(self.calls))

    @property
    def changes(self) -> int:
        """Number of calls whose file is another than that of the call before."""
        return sum(before != after for before, after in pairwise(self.calls))


class CallRecorder:
    """Profile function of a service's process; it writes the paths of the cards to `file` when the process ends.

    The journals' threads call it too. Its lists are appended to under the interpreter's lock.
    """

    def __init__(self, file: Path) -> None:
        self._names: dict[str, str] = {}
        self._calls: list[str] | None = None
        self._is_card = False
        self._done: list[list[str]] = []
        atexit.register(lambda: file.write_text(json.dumps(self._done), encoding="utf-8"))

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        """Note a call."""
        if event != "call":
            return
        code = frame.f_code
        if code is _READ and not self._is_card:
            # Bytes that led to no card were an acknowledgement or a ping; the card's follow.
            self._calls = []
        if self._calls is None:
            return
        name = self._name(code.co_filename)
        if name:
            self._calls.append(name)
        if code is _OFFERED:
            self._is_card = self._is_card or isinstance(_first_argument(frame).content, PlainCard)
        elif code is _SENT and self._is_card and _first_argument(frame).endswith("/irregularities"):
            self._done.append(self._calls)
            self._calls, self._is_card = None, False

    def _name(self, path: str) -> str:
        """Return the file as a person calls it; empty for a file of another distribution."""
        known = self._names.get(path)
        if known is None:
            root = next((root for root in _PACKAGES if path.startswith(root)), None)
            known = self._names[path] = "" if root is None else f"{_PACKAGES[root]}/{path.removeprefix(root)}"
        return known


def _first_argument(frame: FrameType) -> Any:  # noqa: ANN401  of whatever method the frame is
    return frame.f_locals[frame.f_code.co_varnames[1]]


def follow(file: str) -> None:
    """Follow the cards of this process."""
    follower = CallRecorder(Path(file))
    threading.setprofile(follower)
    sys.setprofile(follower)


async def measured(mosquitto: str, folder: Path, cards: int) -> list[CardPath]:
    """Return the paths of the last `cards` jokers of a table at work."""
    file = folder / "calls.json"
    async with at_work(mosquitto, folder, _FOLLOW.format(file=str(file))) as (table, _, _):
        for _ in range(cards):
            await table.measured()
            await asyncio.sleep(PAUSE_S)
    return [CardPath(calls) for calls in json.loads(file.read_text(encoding="utf-8"))[-cards:]]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where no card arrived."""
    parser = argparse.ArgumentParser(prog="card_path", description="Count the files and hops of one card.")
    parser.add_argument("--mosquitto", default=shutil.which("mosquitto") or "mosquitto", metavar="PROGRAM")
    parser.add_argument("--cards", type=int, default=CARDS, metavar="N", help=f"how many are dealt, {CARDS} without it")
    parser.add_argument("--list", action="store_true", help="print the file of each call too, where it changes")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="card-path-") as folder:
        paths = asyncio.run(measured(args.mosquitto, Path(folder), args.cards))
    if not paths:
        print("no card arrived", file=sys.stderr)  # noqa: T201  the command's answer
        return 1
    least = min(paths, key=lambda path: (path.changes, path.files))
    if args.list:
        print(*_stretches(least.calls), sep="\n")  # noqa: T201  the command's answer
    print(f"one card: {least.files} files, {least.changes} changes of file, {len(least.calls)} calls")  # noqa: T201
    return 0


def _stretches(calls: Sequence[str]) -> list[str]:
    return [after for before, after in pairwise(["", *calls]) if before != after]


if __name__ == "__main__":
    sys.exit(main())
