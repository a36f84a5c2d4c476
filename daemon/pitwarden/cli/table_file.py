"""Reading a table file with the same checks and sentences for every command, and `pitwarden check-config FILE`.

`check-config` performs the checks of `run` and prints a summary, or the complete effective configuration.
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
    help = "check a table file as `run` would, and print a summary of it"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--quiet", action="store_true", help="print only what is wrong")
        how.add_argument("--long", action="store_true", help="print every setting in force, defaults included, as JSON")

    def run(self, args: argparse.Namespace) -> int:
        """Print what is in force and return 0, or print every problem and return 78."""
        table = read_table_file(args.file)
        if table is None:
            return EX_CONFIG
        if args.long:
            print(json.dumps(table.model_dump(mode="json"), indent=2))  # noqa: T201  the command's answer
        elif not args.quiet:
            print("\n".join((f"{args.file}: valid", *_summary(table))))  # noqa: T201  as above
        return 0


def _summary(table: TableFile) -> Iterable[str]:
    """Yield what a technician compares with the table."""
    about, broker = table.table, table.broker
    decks = ", ".join(f"{name} {back}" for name, back in about.decks.items())
    simulated = ", simulated" if about.simulated else ""
    yield f"table        {about.site}/{about.table}, {about.game}, {about.positions} positions{simulated}"
    yield f"decks        {decks}"
    yield f"gaming day   from {about.gaming_day} in {about.zone}"
    places = ", ".join(broker.addresses) or f"{broker.host}:{broker.port}"
    yield f"broker       {places} as {broker.username or 'anonymous'}, {'TLS' if broker.ca else 'not encrypted'}"
    for name, device in table.devices.items():
        yield f"device       {name}: serial {device.serial}, driver {device.driver}, at {device.port}"
    yield f"attested     {', '.join(table.attestations) or 'nothing'}"
    yield f"journals     {table.storage.journals}"


COMMAND = CheckCommand()
