"""`pitwarden doctor FILE`: the problems of this controller, or of one half of it, with reason and fix."""

import argparse
import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

from pitwarden.cli.table_file import EX_CONFIG, external_checks
from pitwarden.config.halves import is_apart, of_half
from pitwarden.config.loading import load_table_file
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError
from pitwarden.doctor.accounts import check_accounts
from pitwarden.doctor.examination import examine
from pitwarden.doctor.findings import DoctorFinding
from pitwarden.seal.keys import key_paths
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.topics import HALVES, Half
from pitwarden_drivers import registry


class DoctorCommand:
    """The command `doctor`."""

    name = "doctor"
    help = "examine this controller: configuration, keys, clock, journals, broker, devices"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument("--only", choices=("field", "judge"), help="what this half alone needs, with its own login")
        parser.add_argument("--json", action="store_true", help="one JSON array of findings")

    def run(self, args: argparse.Namespace) -> int:
        """Print the findings, and return 0 when none is bad, 1 when one is, 78 when the table file is refused."""
        try:
            table = load_table_file(args.file, external_checks(), os.environ)
        except ConfigError as error:
            wrong = [DoctorFinding("bad", "configuration", str(each), "the service does not start", f"edit {args.file}")
                     for each in error.problems]  # fmt: skip
            return _print_findings(wrong, as_json=args.json) and EX_CONFIG
        try:
            found = asyncio.run(examine_table(args.file, table, args.only))
        except OSError as error:
            found = [_ended(error)]
        return _print_findings(found, as_json=args.json)


def _ended(error: OSError) -> DoctorFinding:
    """Return the finding about a file or a port that ended the examination."""
    what = f"{error.filename or 'a port'}: {error.strerror or error}"
    return DoctorFinding("bad", "examination", what, "nothing else could be examined", "run it as root")


async def examine_table(config: Path, table: TableFile, only: Half | None) -> list[DoctorFinding]:
    """Return the findings; where the halves are apart, those of each half with its own keys, journal and login."""
    clock, driver = SystemClock(), registry.find_driver
    if not is_apart(table) or only is not None:
        own = table if only is None else of_half(table, only)
        accounts = check_accounts(config.stem, (only,) if only else (), apart=is_apart(table))
        return [
            *await examine(config, own, key_paths(own.storage.keys), clock, driver, only=only), *accounts
        ]  # fmt: skip
    field, judge = [
        await examine(config, own, key_paths(own.storage.keys), clock, driver, only=half)
        for half, own in ((half, of_half(table, half)) for half in HALVES)
    ]
    common = [one for one in field if one in judge]
    parts = [
        replace(one, subject=f"{one.subject}, {half}") if one.subject in {other.subject for other in others} else one
        for half, mine, others in (("field", field, judge), ("judge", judge, field))
        for one in mine
        if one not in common
    ]
    return [*common, *check_accounts(config.stem, HALVES, apart=True), *parts]


def _print_findings(found: list[DoctorFinding], *, as_json: bool) -> int:
    text = json.dumps([each.fields() for each in found], indent=2) if as_json else "\n".join(e.words() for e in found)
    print(escape_hidden(text, keep="\n"))  # noqa: T201  the command's answer
    return 1 if any(each.level == "bad" for each in found) else 0


COMMAND = DoctorCommand()
