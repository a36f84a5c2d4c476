"""`pitwarden run --config FILE`: the service, both halves or one."""

import argparse
import asyncio
import sys
from pathlib import Path

from pitwarden import app, logs
from pitwarden.cli.table_file import EX_CONFIG, read
from pitwarden.hardening import forbid_core_dumps
from pitwarden.seal.faults import KeyFileError


class RunCommand:
    """Runs the service."""

    name = "run"
    help = "run the service for one table: devices, log and judge, or one half of it"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="the table file (TOML)")
        parser.add_argument("--only", choices=("field", "judge"), help="one half alone")
        parser.add_argument("--log-level", choices=("debug", "info", "warning"), default="info")

    def run(self, args: argparse.Namespace) -> int:
        """0 when asked to stop, 78 when the configuration or a key is refused, 1 on a fault that ends the process."""
        table = read(args.config)
        if table is None:
            return EX_CONFIG
        forbid_core_dumps()
        writer = logs.set_up(level=args.log_level)
        try:
            return asyncio.run(app.run(table, only=args.only))
        except KeyFileError as error:
            print(f"{error} (missing keys are made by: pitwarden keys {args.config})", file=sys.stderr)  # noqa: T201
            return EX_CONFIG
        finally:
            writer.close()


COMMAND = RunCommand()
