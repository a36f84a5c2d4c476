"""`pitwarden clauses`: every clause with its cite, its check, its scenarios, and its coverage at a table."""

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pitwarden.cli.rule_book import as_html, as_markdown, clause_sheet
from pitwarden.cli.table_file import EX_CONFIG, read_table_file
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.rules import GameProfile, ProfileError, TableSetup, load_profile
from pitwarden.rules.engine.coverage import deciding_rules, monitoring_status, rule_deciders, rule_readers
from pitwarden.rules.engine.permit import RULES_VERSION
from pitwarden.rules.profile.clauses import COMMON, Clause, load_clauses, load_readings
from pitwarden.rules.profile.library import load_library
from pitwarden.scenario import ScenarioError
from pitwarden.scenario.header_values import known_game
from pitwarden.scenario.report import scenarios_by_clause

WRONG: Final = 2
TESTS: Final = Path("tests/scenarios")
SHIPPED: Final = Path("/usr/share/doc/pitwarden/scenarios")
"""Folders with scenario files: of the source tree, and of the Debian package."""


class ClausesCommand:
    """The command `clauses`."""

    name = "clauses"
    help = "every clause of a game: its cite, what checks it, its scenarios, and whether a table watches it"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--game", metavar="NAME", help="one game by its short name; with --config that of the table"
        )
        parser.add_argument("--profiles", type=Path, metavar="FOLDER", help="the house's own game profiles, listed too")
        parser.add_argument("--config", type=Path, metavar="FILE", help="a table file: say what this table watches")
        parser.add_argument(
            "--scenarios", type=Path, metavar="FOLDER", help=f"scenario files (default: {TESTS}, or {SHIPPED})"
        )
        parser.add_argument("--format", choices=("text", "md", "html"), default="text", help="a rule book for review")
        parser.add_argument(
            "--sheet", metavar="CLAUSE", help="one clause for review, as Markdown unless --format is html"
        )
        parser.add_argument("--readings", action="store_true", help="how doubtful sentences are read, and where")

    def run(self, args: argparse.Namespace) -> int:
        """Print the clauses, and return 0; 2 when a scenario cannot be read; 78 when the configuration is refused."""
        if args.readings:
            for one in load_readings():
                for row in (f"{one.ident}  {one.text}", *_indented(f"read: {one.reading}"), *_indented(one.lives)):
                    print(row)  # noqa: T201  the command's answer
            return 0
        try:
            setup = None if args.config is None else _table(args.config)
            files = _scenarios(args.scenarios)
            profiles = _profiles(setup, args)
            rows = _pages(profiles, args, files) or list(_rows(profiles, setup, files))
            refused = () if args.game or setup else tuple(load_library(args.profiles).refused.values())
        except _Refused:
            return EX_CONFIG
        except (ScenarioError, ProfileError) as error:
            print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
            return WRONG
        for row in rows:
            print(row)  # noqa: T201  the command's answer
        for reason in refused:
            print(f"not listed: {reason}", file=sys.stderr)  # noqa: T201  a command talks to a person
        return EX_CONFIG if refused else 0


class _Refused(Exception):  # noqa: N818  its problems were printed; it only ends the command
    """The table file was refused, and its problems were printed.

    Policy: exit with code 78.
    """


def _scenarios(given: Path | None) -> dict[str, tuple[Path, ...]]:
    """Return the scenario files of each clause; none where no folder of them is installed.

    Raises:
        ScenarioError: The folder that was given is not there, or a file in it cannot be read.
    """
    if given is not None and not given.is_dir():
        raise ScenarioError(f"{given}: no such folder")
    folder = given or next((each for each in (TESTS, SHIPPED) if each.is_dir()), None)
    return {} if folder is None else scenarios_by_clause(folder)


def _table(file: Path) -> TableSetup:
    table = read_table_file(file)
    if table is None:
        raise _Refused
    return build_table_setup(table)


def _profiles(setup: TableSetup | None, args: argparse.Namespace) -> list[GameProfile]:
    """Return the profiles to list: that of the table, the one that was named, or all."""
    if setup is not None:
        return [setup.profile]
    if args.sheet and not args.game and not args.sheet.startswith(f"{COMMON}-"):
        args.game = args.sheet.partition("-")[0]
    games = [known_game(args.game, args.profiles)] if args.game else load_library(args.profiles).games.values()
    return [load_profile(one.name, one.decks, (), one.folder) for one in games]


def _pages(profiles: list[GameProfile], args: argparse.Namespace, files: dict[str, tuple[Path, ...]]) -> list[str]:
    """Return a page for each game, or for the clause that was named; none for the usual list.

    Raises:
        ProfileError: No game that is listed has the clause.
    """
    if args.format == "text" and not args.sheet:
        return []
    printed = as_html if args.format == "html" else as_markdown
    made: list[str] = []
    for profile in profiles:
        clauses = [one for one in profile.catalogue() if args.sheet in {None, one.ident}]
        if clauses:
            title = f"{profile.title}: {profile.source}; {profile.effective}; rules {RULES_VERSION}"
            made.append(printed(title, [clause_sheet(profile, one, files) for one in clauses]))
    if not made:
        games = ", ".join(profile.game for profile in profiles)
        raise ProfileError(f"{args.sheet}: no such clause in {games}. List them: pitwarden clauses --game {games}")
    return made


def _rows(profiles: list[GameProfile], setup: TableSetup | None, files: dict[str, tuple[Path, ...]]) -> Iterator[str]:
    for profile in profiles:
        yield f"{profile.title} ({profile.game}); {profile.source}; {profile.effective}"
        for clause in profile.catalogue():
            yield f"{clause.ident:8}{clause.kind:4}{clause.cite}: {clause.about}"
            yield from _indented(_checked(profile, clause))
            if files.get(clause.ident):
                yield from _indented(f"scenarios: {', '.join(file.stem for file in files[clause.ident])}")
            if setup is not None and ("H" in clause.kind or deciding_rules(profile, clause)):
                yield from _indented(monitoring_status(setup, clause))
        yield ""
    yield _sum(files)


def _checked(profile: GameProfile, clause: Clause) -> str:
    rules = deciding_rules(profile, clause)
    if not rules:
        return f"not checked: {clause.why_unchecked or 'it does not concern this game.'}"
    basis = "/".join(sorted({rule.basis for rule in rules}))
    deciders = sorted({name for rule in rules for name in rule_deciders(rule)})
    readers = sorted({name for rule in rules for name in rule_readers(rule)} - set(deciders))
    also = f"; also read by {', '.join(readers)}" if readers else ""
    return f"checked by {', '.join(deciders)}{also}; basis {basis}"


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, 118, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)


def _sum(files: dict[str, tuple[Path, ...]]) -> str:
    known = load_clauses()
    if not files:
        return f"{len(known)} clauses in all games; no scenario files are installed here: name them with --scenarios."
    played = sum(clause.ident in files for clause in known)
    return f"{len(known)} clauses in all games; {played} of them have a scenario."


COMMAND = ClausesCommand()
