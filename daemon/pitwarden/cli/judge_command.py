"""`pitwarden judge FILE...`: what the rules core says of a scenario, and whether that is what the file expects."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pitwarden.scenario import ScenarioError, as_json, as_text, parse, play

if TYPE_CHECKING:
    # argparse shows this class only to type checkers
    from argparse import _SubParsersAction

DISAGREES = 1
NO_SCENARIO = 2


def add(subparsers: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser("judge", help="judge scenario files", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a scenario file (*.scn)")
    parser.add_argument("--json", action="store_true", help="JSON lines instead of text")
    parser.add_argument("--expand", action="store_true", help="show each event of a macro on its own")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judges the files; 0 when all agree, 1 when one does not, 2 when one is no scenario."""
    return judge(args.files, as_lines=args.json, expanded=args.expand)


def judge(files: list[Path], *, as_lines: bool = False, expanded: bool = False) -> int:
    """Judges `files` and prints what was said; the worst exit code of them all."""
    worst = 0
    for file in files:
        try:
            outcome = play(parse(_read(file), str(file)))
        except ScenarioError as error:
            print(error, file=sys.stderr)  # noqa: T201  printing is what this command is for
            worst = NO_SCENARIO
            continue
        for row in as_json(outcome) if as_lines else as_text(outcome, expanded=expanded):
            print(row)  # noqa: T201  printing is what this command is for
        worst = max(worst, 0 if outcome.agrees else DISAGREES)
    return worst


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=str(file)) from None
