"""`pitwarden run --only judge` for several tables: all files are read and refused together before anything opens."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pitwarden import logs, pit
from pitwarden.cli.table_file import EX_CONFIG, read, refusals
from pitwarden.config.models import TableFile
from pitwarden.hardening import forbid_core_dumps
from pitwarden.journal.faults import JournalError, JournalVersionError
from pitwarden.notify import from_environment
from pitwarden.seal.faults import KeyFileError


def run(args: argparse.Namespace) -> int:
    """0 when asked to stop, 78 when a file, a key or a journal's version is refused, 1 on another fault."""
    tables = _tables(args)
    if tables is None:
        return EX_CONFIG
    forbid_core_dumps()
    notifier = from_environment(os.environ)
    writer = logs.set_up(level=args.log_level)
    try:
        return asyncio.run(pit.run_pit(tables, notifier=notifier))
    except (KeyFileError, JournalVersionError) as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence names the file
        return EX_CONFIG
    except JournalError as error:
        print(error, file=sys.stderr)  # noqa: T201  the sentence names the file and what to do
        return 1
    finally:
        notifier.close()
        writer.close()


def _tables(args: argparse.Namespace) -> list[TableFile] | None:
    """Every table, or None after every problem was said on standard error."""
    files = _files(args.config)
    wrong = []
    if args.only != "judge":
        wrong.append("several tables in one process have a judge only: add --only judge")
    if args.credentials is not None:
        wrong.append("--credentials hands over the keys of one table: let each table file name its own (storage.keys)")
    if not files:
        wrong.append(f"{args.config[0]}: no table file (*.toml) is in this folder")
    checks = refusals()
    given = [] if wrong else [read(file, checks) for file in files]
    tables = [table for table in given if table is not None]
    wrong += _twice(files, tables) if len(tables) == len(files) else []
    for reason in wrong:
        print(reason, file=sys.stderr)  # noqa: T201  a command talks to a person
    return None if wrong or len(tables) < len(files) else tables


def _files(given: Sequence[Path]) -> list[Path]:
    return [file for place in given for file in (sorted(place.glob("*.toml")) if place.is_dir() else [place])]


def _twice(files: Sequence[Path], tables: Sequence[TableFile]) -> list[str]:
    seen: dict[tuple[str, str], Path] = {}
    wrong = []
    for file, table in zip(files, tables, strict=True):
        name = table.table.site, table.table.table
        if name in seen:
            wrong.append(
                f"{file}: table.table: {'/'.join(name)} is the table of {seen[name]} too: a table has one judge"
            )
        seen.setdefault(name, file)
    return wrong
