"""`pitwarden run --config FILE`: the service of one table, both halves or one, or one judge for the tables of a pit.

The module also sets up the process: core dumps, logging, metrics, and the exit codes of what stops the service. The
files of a pit are all read, and refused together, before any journal or link is opened.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final

from pitwarden.cli.pit_files import PitFiles
from pitwarden.cli.table_file import EX_CONFIG, read_table_file
from pitwarden.config.halves import is_apart, of_half
from pitwarden.config.loading import CREDENTIAL_PREFIX, with_credentials
from pitwarden.config.models import TableFile
from pitwarden.journal.errors import JournalError, JournalVersionError
from pitwarden.metrics.families import LOG_LINES_DROPPED, STARTED
from pitwarden.metrics.meter import Meter, Sample
from pitwarden.pit.process import PitContext, run_pit
from pitwarden.pit.registry import TableFileResult
from pitwarden.seal.errors import KeyFileError
from pitwarden.seal.keys import key_paths
from pitwarden.service import run
from pitwarden.system import logging_setup
from pitwarden.system.clock import SystemClock
from pitwarden.system.logging_setup import LogWriter
from pitwarden.system.process import disable_core_dumps, open_files_problem, raise_open_files
from pitwarden.system.service_manager import SystemdNotifier, notifier_from_environment


def process_meter(writer: LogWriter) -> Meter:
    """Return the meter of this process, with the samples that all of its tables share."""
    meter = Meter()
    started = SystemClock().utc().utc_ms / 1_000
    meter.watch(lambda: (Sample(STARTED, started), Sample(LOG_LINES_DROPPED, writer.dropped)))
    return meter


def run_process(
    service: Callable[[SystemdNotifier, Meter], Coroutine[None, None, int]], *, log_level: str, keys: str = ""
) -> int:
    """Run `service` in this process.

    Args:
        service: Runs until a stop is requested.
        log_level: Lowest level that is logged.
        keys: Advice to print for a key file that is refused.

    Returns:
        0 after a requested stop, 78 when a key or a journal's version is refused, 1 on another fault of a journal.
    """
    # Before any key is read, also where another program calls this.
    disable_core_dumps()
    raise_open_files()
    writer = logging_setup.configure_logging(level=log_level)
    notifier = notifier_from_environment(os.environ)
    try:
        return asyncio.run(service(notifier, process_meter(writer)))
    except KeyFileError as error:
        print(f"{error}{keys and f' ({keys})'}", file=sys.stderr)  # noqa: T201  the sentence names the file
        return EX_CONFIG
    except JournalVersionError as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence names the required version
        return EX_CONFIG
    except JournalError as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence names the file and what to do
        return 1
    finally:
        notifier.close()
        writer.close()


def run_pit_command(args: argparse.Namespace) -> int:
    """Return 0 after a requested stop, 78 when a file, key or journal version is refused, 1 on another fault."""
    files = PitFiles(args.config)
    given = _given(args, files)
    if given is None:
        return EX_CONFIG
    too_few = open_files_problem(len(given), raise_open_files())
    if too_few:
        print(too_few, file=sys.stderr)  # noqa: T201  the sentence names the setting
        return EX_CONFIG

    def service(notifier: SystemdNotifier, meter: Meter) -> Coroutine[None, None, int]:
        return run_pit(given, PitContext(files, notifier, meter, files.metrics))

    return run_process(service, log_level=args.log_level)


def _given(args: argparse.Namespace, files: PitFiles) -> list[TableFileResult] | None:
    """Return every table, or None after printing every problem to standard error."""
    wrong = []
    if args.only != "judge":
        wrong.append(
            "several tables in one process, and those of a group of judges, have a judge only: add --only judge"
        )
    if args.credentials is not None:
        wrong.append("--credentials hands over the keys of one table: let each table file name its own (storage.keys)")
    if not files.found():
        wrong.append(f"{args.config[0]}: no table file (*.toml) is in this folder")
    for reason in wrong:
        print(reason, file=sys.stderr)  # noqa: T201  a command talks to a person
    given = [] if wrong else files()
    return None if wrong or any(one.file is None for one in given) else given


_APART: Final = (
    'storage.halves is "apart", so one process must not run both halves: start pitwarden-field@ and pitwarden-judge@,'
    " or use --only"
)


class RunCommand:
    """The command `run`."""

    name = "run"
    help = "run the service for one table: devices, log and judge, or one half of it"

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--config", type=Path, required=True, nargs="+", metavar="FILE",
            help="the table file (TOML); with --only judge also several of them, or a folder of them",
        )  # fmt: skip
        parser.add_argument("--only", choices=("field", "judge"), help="one half alone")
        parser.add_argument("--credentials", type=Path, metavar="DIR", help="take the keys from here (systemd's %%d)")
        parser.add_argument("--log-level", choices=("debug", "info", "warning"), default="info")

    def run(self, args: argparse.Namespace) -> int:
        """Run the service until a stop is requested.

        Returns:
            0 after a requested stop, 78 when the configuration, a key or a journal's version is refused, 1 on another
            fault.
        """
        given: Path | None = args.credentials
        configs: list[Path] = args.config
        if len(configs) > 1 or configs[0].is_dir():
            return run_pit_command(args)

        def table_file() -> TableFile | None:
            table = read_table_file(configs[0])
            if table is not None and args.only is None and is_apart(table):
                print(f"{configs[0]}: {_APART}", file=sys.stderr)  # noqa: T201  a command talks to a person
                return None
            if table is not None and args.only is not None:
                table = of_half(table, args.only)
            return table if table is None or given is None else with_credentials(table, given)

        table = table_file()
        if table is None:
            return EX_CONFIG
        if table.judge_group is not None and args.only != "field":
            return run_pit_command(args)
        keys = key_paths(table.storage.keys) if given is None else key_paths(given, CREDENTIAL_PREFIX)

        def service(notifier: SystemdNotifier, meter: Meter) -> Coroutine[None, None, int]:
            return run.run_service(table, only=args.only, keys=keys, notifier=notifier, reread=table_file, meter=meter)

        return run_process(
            service, log_level=args.log_level, keys=f"missing keys are made by: pitwarden keys {configs[0]}"
        )


COMMAND = RunCommand()
