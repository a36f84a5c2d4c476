"""`pitwarden devices`: what is plugged in, what it says it is, and its lines for the table file and udev."""

import argparse
import asyncio
import sys
from pathlib import Path

from pitwarden.cli import table_file
from pitwarden.cli.devices_asking import ask
from pitwarden.cli.devices_words import Found, block, interfaces_found, lines_found, standing
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.system.clock import SystemClock
from pitwarden_drivers.ports.opening import Ports
from pitwarden_drivers.ports.paths import is_url
from pitwarden_drivers.ports.plugged import interfaces, serial_lines
from pitwarden_drivers.tdp.asking import Somebody


class DevicesCommand:
    """Lists devices."""

    name = "devices"
    help = "what is plugged in, and its lines for the table file and udev"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("--config", type=Path, help="a table file: how each stands to it")
        parser.add_argument(
            "--ask",
            action="store_true",
            help="open each that is not in use and ask who it is; opening restarts some devices",
        )
        parser.add_argument("--root", type=Path, default=Path("/"), help="look at the /sys and /dev below this folder")

    def run(self, args: argparse.Namespace) -> int:
        """0; 1 when a device is not the one that the table file wants at its place; 78 for a bad table file."""
        table = None if args.config is None else table_file.read(args.config)
        if args.config is not None and table is None:
            return EX_CONFIG
        sections = {} if table is None else table.devices
        found = [*lines_found(serial_lines(args.root)), *interfaces_found(interfaces(args.root))]
        answers = asyncio.run(_answers(found, args.root)) if args.ask else [None] * len(found)
        good = True
        for one, answer in zip(found, answers, strict=True):
            fits, sentence = standing(one, answer, sections)
            good = good and fits
            _say(one, answer, sentence if sections else "")
        for name, section in sections.items():
            if not is_url(section.port) and not _there(section.port, found):
                good = False
                print(f"devices.{name}: nothing is plugged in at {section.port}\n")  # noqa: T201  a command's answer
        if not found:
            print("no serial line with a stable name, and no USB device that we could drive", file=sys.stderr)  # noqa: T201  as above
        return 0 if good else 1


def _there(place: str, found: list[Found]) -> bool:
    return any(place in {one.place, *one.other_places} for one in found) or Path(place).exists()


async def _answers(found: list[Found], root: Path) -> list[Somebody | str | None]:
    """Each is asked in turn: two adapters on one hub would otherwise wait for each other's time."""
    ports, clock = Ports(), SystemClock()
    answers: list[Somebody | str | None] = []
    for one in found:
        if one.place is None or one.hid:
            answers.append(None)
        else:
            place = one.place if is_url(one.place) else str(root / one.place.lstrip("/"))
            answers.append(await ask(ports, place, clock))
    return answers


def _say(one: Found, answer: Somebody | str | None, sentence: str) -> None:
    lines = [one.place or one.what]
    lines += [f"  also {place}" for place in one.other_places]
    lines += [f"  {one.what}"] if one.place else []
    if isinstance(answer, Somebody):
        lines.append(f"  says it is the {answer.family} {answer.serial}, firmware {answer.firmware}")
    elif answer is not None:
        lines.append(f"  not asked: {answer}")
    lines += [f"  {sentence}"] if sentence else []
    lines += [f"    {line}" for line in block(one, answer if isinstance(answer, Somebody) else None)]
    print("\n".join(lines) + "\n")  # noqa: T201  the command's answer


COMMAND = DevicesCommand()
