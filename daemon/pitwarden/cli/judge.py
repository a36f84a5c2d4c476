"""`pitwarden scenario FILE...`: the rules core's outputs for a scenario, compared with the expected ones."""

import argparse
import sys
from pathlib import Path

from pitwarden.scenario import ScenarioError, as_json, as_text, parse_scenario, play_scenario
from pitwarden.scenario.header_values import known_game
from pitwarden.scenario.words import game_words

DISAGREES = 1
NO_SCENARIO = 2


class JudgeCommand:
    """The command `scenario`."""

    name = "scenario"
    help = "judge scenario files: what the rules say of them, and whether that is what they expect"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("files", nargs="*", metavar="FILE", type=Path, help="a scenario file (*.scn)")
        parser.add_argument("--words", metavar="GAME", help="list the words of a game with their arguments, and exit")
        parser.add_argument("--json", action="store_true", help="JSON lines instead of text")
        parser.add_argument("--expand", action="store_true", help="show each event of a macro on its own")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when all files agree, 1 when one does not, 2 when one is not a scenario."""
        if args.words:
            return print_words(args.words)
        if not args.files:
            print("name a scenario file, or --words GAME", file=sys.stderr)  # noqa: T201  printing is what it is for
            return NO_SCENARIO
        return judge_files(args.files, as_lines=args.json, expanded=args.expand)


def print_words(game: str) -> int:
    """Print the words of `game`, and return 0; 2 when there is no such game."""
    try:
        rows = list(game_words(known_game(game)))
    except ScenarioError as error:
        print(error, file=sys.stderr)  # noqa: T201  printing is what this command is for
        return NO_SCENARIO
    print("\n".join(rows))  # noqa: T201  printing is what this command is for
    return 0


def judge_files(files: list[Path], *, as_lines: bool = False, expanded: bool = False) -> int:
    """Play `files`, print the results, and return the highest exit code."""
    worst = 0
    for file in files:
        try:
            outcome = play_scenario(parse_scenario(_read(file), str(file)))
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


COMMAND = JudgeCommand()
