"""`pitwarden run --config FILE`: the service, both halves or one; or one judge for the tables of a whole pit."""

import argparse
from collections.abc import Coroutine
from pathlib import Path

from pitwarden.cli import pit_command
from pitwarden.cli.serving import serve
from pitwarden.cli.table_file import EX_CONFIG, read
from pitwarden.config.loading import CREDENTIAL_PREFIX, with_credentials
from pitwarden.config.models import TableFile
from pitwarden.metrics.meter import Meter
from pitwarden.seal.keys import key_files
from pitwarden.service import run
from pitwarden.system.service_manager import Notifier


class RunCommand:
    """Runs the service."""

    name = "run"
    help = "run the service for one table: devices, log and judge, or one half of it"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments."""
        parser.add_argument(
            "--config", type=Path, required=True, nargs="+", metavar="FILE",
            help="the table file (TOML); with --only judge also several of them, or a folder of them",
        )  # fmt: skip
        parser.add_argument("--only", choices=("field", "judge"), help="one half alone")
        parser.add_argument("--credentials", type=Path, metavar="DIR", help="take the keys from here (systemd's %%d)")
        parser.add_argument("--log-level", choices=("debug", "info", "warning"), default="info")

    def run(self, args: argparse.Namespace) -> int:
        """0 when asked to stop, 78 when configuration, a key or a journal's version is refused, 1 on another fault."""
        given: Path | None = args.credentials
        configs: list[Path] = args.config
        if len(configs) > 1 or configs[0].is_dir():
            return pit_command.run(args)

        def table_file() -> TableFile | None:
            table = read(configs[0])
            return table if table is None or given is None else with_credentials(table, given)

        table = table_file()
        if table is None:
            return EX_CONFIG
        keys = key_files(table.storage.keys) if given is None else key_files(given, CREDENTIAL_PREFIX)

        def service(notifier: Notifier, meter: Meter) -> Coroutine[None, None, int]:
            return run.run(table, only=args.only, keys=keys, notifier=notifier, reread=table_file, meter=meter)

        return serve(service, log_level=args.log_level, keys=f"missing keys are made by: pitwarden keys {configs[0]}")


COMMAND = RunCommand()
