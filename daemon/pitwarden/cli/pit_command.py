"""`pitwarden run --only judge` for several tables: all files are read and refused together before anything opens."""

import argparse
import sys
from collections.abc import Coroutine

from pitwarden.cli.pit_files import PitFiles
from pitwarden.cli.serving import serve
from pitwarden.cli.table_file import EX_CONFIG
from pitwarden.metrics.meter import Meter
from pitwarden.pit.process import Surroundings, run_pit
from pitwarden.pit.registry import Given
from pitwarden.system.service_manager import Notifier


def run(args: argparse.Namespace) -> int:
    """0 when asked to stop, 78 when a file, a key or a journal's version is refused, 1 on another fault."""
    files = PitFiles(args.config)
    given = _given(args, files)
    if given is None:
        return EX_CONFIG

    def service(notifier: Notifier, meter: Meter) -> Coroutine[None, None, int]:
        return run_pit(given, Surroundings(files, notifier, meter, files.metrics))

    return serve(service, log_level=args.log_level)


def _given(args: argparse.Namespace, files: PitFiles) -> list[Given] | None:
    """Every table, or None after every problem was said on standard error."""
    wrong = []
    if args.only != "judge":
        wrong.append("several tables in one process have a judge only: add --only judge")
    if args.credentials is not None:
        wrong.append("--credentials hands over the keys of one table: let each table file name its own (storage.keys)")
    if not files.found():
        wrong.append(f"{args.config[0]}: no table file (*.toml) is in this folder")
    for reason in wrong:
        print(reason, file=sys.stderr)  # noqa: T201  a command talks to a person
    given = [] if wrong else files()
    return None if wrong or any(one.file is None for one in given) else given
