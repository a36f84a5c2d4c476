"""`pitwarden support FILE`: one archive for a vendor, with versions, configuration, status, log lines and findings."""

import argparse
import asyncio
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from pitwarden.cli.doctor import examine_table
from pitwarden.cli.table_file import EX_CONFIG, external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.config.models import TableFile
from pitwarden.config.problems import ConfigError
from pitwarden.support import sources
from pitwarden.support.bundle import write_bundle
from pitwarden.support.redaction import Redaction, secrets_of
from pitwarden.system.clock import SystemClock


class SupportCommand:
    """The command `support`."""

    name = "support"
    help = "one archive for a vendor: versions, configuration, status, log lines, doctor's findings, without secrets"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", type=Path, help="the table file (TOML)")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="the archive (default: pitwarden-support-TABLE-TIME.tar.gz)"
        )
        parser.add_argument("--persons", action="store_true", help="leave the names and numbers of persons in it")

    def run(self, args: argparse.Namespace) -> int:
        """Return 0 when the archive is written, 1 when it cannot be, 78 when the table file is refused.

        A table file that is refused is no reason to have no archive: its problems are in it then.
        """
        clock = SystemClock()
        now = datetime.fromtimestamp(clock.utc().utc_ms / 1_000, UTC)
        name = args.file.stem
        out = args.out or Path(f"pitwarden-support-{name}-{now:%Y%m%dT%H%M%SZ}.tar.gz")
        parts = {
            "versions.txt": sources.versions(),
            "status.txt": sources.status(name),
            "log.txt": sources.log_lines(name),
        }
        code = 0
        try:
            table = load_table_file(args.file, external_checks(), os.environ)
        except ConfigError as error:
            parts["configuration.json"] = json.dumps([str(one) for one in error.problems], indent=2)
            redaction, code = Redaction(secrets_of(_beside(args.file)), (), args.persons), EX_CONFIG
        else:
            parts |= _of_table(args.file, table)
            names = tuple(sorted({one.by for one in table.attestations.values()}, key=len, reverse=True))
            redaction = Redaction(secrets_of(sources.secret_files(table)), names, args.persons)
        try:
            write_bundle(out, parts, redaction, f"{now:%Y-%m-%d %H:%M:%S}", int(now.timestamp()))
        except FileExistsError:
            print(f"{out}: exists already. Name another file with --out", file=sys.stderr)  # noqa: T201  a command talks to a person
            return 1
        except OSError as error:
            print(f"{out}: cannot be written: {error.strerror}", file=sys.stderr)  # noqa: T201  as above
            return 1
        print(out)  # noqa: T201  the command's answer
        return code


def _of_table(file: Path, table: TableFile) -> dict[str, str]:
    found = asyncio.run(examine_table(file, table, None))
    return {
        "configuration.json": sources.configuration(table),
        "journals.txt": sources.journals(table.storage.journals),
        "doctor.json": json.dumps([one.fields() for one in found], indent=2),
    }


def _beside(file: Path) -> list[Path]:
    """Return the key files of a table whose file cannot be read, at the place where `setup` puts them."""
    folder = file.with_name(f"{file.stem}.keys")
    return [one for one in sorted(folder.rglob("*")) if one.is_file() and ".pub" not in one.suffixes]


COMMAND = SupportCommand()
