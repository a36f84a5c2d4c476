"""`pitwarden capture replay FILE...`: what the driver reports now, against what was blessed beside the capture."""

import argparse
import difflib
import sys
from pathlib import Path

from pitwarden.cli.table_file import EX_CONFIG
from pitwarden_drivers import registry
from pitwarden_drivers.capture.form import CaptureRefused, parse
from pitwarden_drivers.capture.replay import Replay

BLESSED = ".events"


class ReplayAction:
    """Replays."""

    name = "replay"
    help = "play captures to their driver and compare with the events blessed beside them"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a capture")
        parser.add_argument("--bless", action="store_true", help="what the driver reports now is right: write it down")

    def run(self, args: argparse.Namespace) -> int:
        """0 when all is as blessed, 1 when something differs, 78 for a file that is no capture."""
        try:
            wrong = [sentence for file in args.files for sentence in _one(file, bless=args.bless)]
        except (CaptureRefused, registry.UnknownDriverError) as refused:
            print(refused, file=sys.stderr)  # noqa: T201  a command talks to a person
            return EX_CONFIG
        for sentence in wrong:
            print(sentence)  # noqa: T201  the command's answer
        return 1 if wrong else 0


def _one(file: Path, *, bless: bool) -> list[str]:
    """What is wrong with one replay."""
    try:
        capture = parse(str(file), file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureRefused(f"{file}: it cannot be read: {error}") from None
    replay = Replay(capture, registry.find(_absolute(capture.header.driver, file)))
    lines = [f"{line}\n" for line in replay.lines()]
    beside = file.with_name(file.name + BLESSED)
    if bless:
        beside.write_text("".join(lines), encoding="utf-8")
        print(f"{beside}: {len(lines) - 1} events blessed")  # noqa: T201  the command's answer
        return []
    wrong = [f"{file}: {replay.differs}"] if replay.differs else []
    if not beside.exists():
        return [*wrong, f"{file}: nothing is blessed beside it: read what it says, then replay --bless"]
    blessed = beside.read_text(encoding="utf-8").splitlines(keepends=True)
    return wrong + [line.rstrip("\n") for line in difflib.unified_diff(blessed, lines, str(beside), "now", n=1)]


def _absolute(driver: str, beside: Path) -> str:
    """A map or codes file of a capture that is kept in a repository stands in it relative to the capture."""
    kind, colon, file = driver.partition(":")
    return f"{kind}:{(beside.parent / file).resolve()}" if colon else driver


ACTION = ReplayAction()
