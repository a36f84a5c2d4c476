"""Reading a table file with the same checks and sentences for every command, and `pitwarden check-config FILE`.

`check-config` performs the checks of `run` and prints the effective configuration.
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

from pitwarden.config.halves import of_half
from pitwarden.config.loading import ExternalChecks, load_table_file
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError
from pitwarden.judge.table_setup import build_table_setup
from pitwarden.rules import ProfileError, SetupError
from pitwarden.rules.setup.requirements import future_attestations
from pitwarden.seal.keys import KeyPaths, key_paths
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.topics import HALVES
from pitwarden_drivers import registry
from pitwarden_drivers.ports.addresses import check_address

EX_CONFIG = os.EX_CONFIG
NEVER_SET: Final = date(2024, 1, 1)
"""A clock with an earlier day was never set since power-on, so it cannot prove that a date is in the future."""


def external_checks() -> ExternalChecks:
    """Return the checks that drivers and rules contribute."""
    return ExternalChecks(
        port=lambda path, simulated: check_address(path, simulated=simulated),
        driver=lru_cache(registry.find_driver),
        rules=_unfit,
    )


def _unfit(table: TableFile) -> Iterable[tuple[tuple[str, ...], str]]:
    """Return what the rules of the game do not allow in `table`, by key."""
    try:
        setup = build_table_setup(table)
    except SetupError as refused:
        return [(one.key, str(one)) for one in refused.unfit]
    except ProfileError as refused:
        return [(("table", "game"), str(refused))]
    today = datetime.fromtimestamp(SystemClock().utc().utc_ms / 1_000, UTC).date()
    return [(one.key, str(one)) for one in (future_attestations(setup, today) if today > NEVER_SET else ())]


def keys_of(table: TableFile) -> KeyPaths:
    """Return the key files of both halves of `table`."""
    field, judge = (key_paths(of_half(table, half).storage.keys) for half in HALVES)
    return KeyPaths(field.field, judge.judge)


def read_table_file(file: Path, checks: ExternalChecks | None = None) -> TableFile | None:
    """Return the table file, or None after printing its problems. Several files may share their `checks`."""
    try:
        return load_table_file(file, checks or external_checks(), os.environ)
    except ConfigError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command talks to a person
        return None


class CheckCommand:
    """The command `check-config`."""

    name = "check-config"
    help = "check a table file as `run` would, and print what is in force"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument("--quiet", action="store_true", help="say only what is wrong")

    def run(self, args: argparse.Namespace) -> int:
        """Print the effective configuration and return 0, or print every problem and return 78."""
        table = read_table_file(args.file)
        if table is None:
            return EX_CONFIG
        if not args.quiet:
            print(json.dumps(table.model_dump(mode="json"), indent=2))  # noqa: T201  the command's answer
        return 0


COMMAND = CheckCommand()
