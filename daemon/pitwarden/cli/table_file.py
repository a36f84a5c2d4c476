"""Reading a table file; `check-config`.

How every command reads a table file: the same checks, the same sentences, exit code 78.

`pitwarden check-config FILE`: the very checks of `run`, and the effective configuration.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from pitwarden.config.loading import ExternalChecks, load_table_file
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.rules import ProfileError, SetupError
from pitwarden.rules.setup.requirements import future_attestations
from pitwarden.system.clock import SystemClock
from pitwarden_drivers import registry
from pitwarden_drivers.ports.addresses import check_address

EX_CONFIG = os.EX_CONFIG
NEVER_SET: Final = date(2024, 1, 1)
"""A clock that reads an earlier day was never set since power came, and says nothing about what is yet to come."""


def external_checks() -> ExternalChecks:
    """The checks that the drivers bring."""
    return ExternalChecks(
        port=lambda path, simulated: check_address(path, simulated=simulated),
        driver=lru_cache(registry.find_driver),
        rules=_unfit,
    )


def _unfit(table: TableFile) -> Iterable[tuple[tuple[str, ...], str]]:
    """What the rules of the game do not allow of `table`, by key."""
    try:
        setup = build_table_setup(table)
    except SetupError as refused:
        return [(one.key, str(one)) for one in refused.unfit]
    except ProfileError as refused:
        return [(("table", "game"), str(refused))]
    today = datetime.fromtimestamp(SystemClock().utc().utc_ms / 1_000, UTC).date()
    return [(one.key, str(one)) for one in (future_attestations(setup, today) if today > NEVER_SET else ())]


def read_table_file(file: Path, checks: ExternalChecks | None = None) -> TableFile | None:
    """The table file, or None after its problems were said on standard error; many files may share their `checks`."""
    try:
        return load_table_file(file, checks or external_checks(), os.environ)
    except ConfigError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
        return None


class CheckCommand:
    """Checks a table file."""

    name = "check-config"
    help = "check a table file as `run` would, and print what is in force"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument("--quiet", action="store_true", help="say only what is wrong")

    def run(self, args: argparse.Namespace) -> int:
        """0 and the effective configuration, or 78 and every problem."""
        table = read_table_file(args.file)
        if table is None:
            return EX_CONFIG
        if not args.quiet:
            print(json.dumps(table.model_dump(mode="json"), indent=2))  # noqa: T201  the command's answer
        return 0


COMMAND = CheckCommand()
