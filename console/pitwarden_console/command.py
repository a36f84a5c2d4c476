"""`pitwarden-console`: serve the pages, check the console file, or compute the incidents again."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pitwarden_console.errors import ConsoleError, ConsoleSettingsError
from pitwarden_console.priorities import load_priorities
from pitwarden_console.service import serve
from pitwarden_console.settings import ConsoleSettings, load_settings
from pitwarden_console.store.database import open_database
from pitwarden_console.store.projection import rebuild

EX_CONFIG: Final = 78
_LOG_FORMAT: Final = "%(levelname)s %(name)s %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code: 0, 1 for a failure, 78 for a refused console file."""
    parsed = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format=_LOG_FORMAT, stream=sys.stderr)
    # A migration is logged by the library at each start, also when there is nothing to do.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    try:
        settings = load_settings(parsed.config)
        return asyncio.run(_COMMANDS[parsed.command](settings))
    except ConsoleSettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command's answer
        return EX_CONFIG
    except ConsoleError as error:
        print(f"pitwarden-console: {error}", file=sys.stderr)  # noqa: T201  a command's answer
        return 1


async def _serve(settings: ConsoleSettings) -> int:
    await serve(settings)
    return 0


async def _check(settings: ConsoleSettings) -> int:
    names = ", ".join(entry.name for entry in settings.file.table)
    print(f"valid: site {settings.file.site.name}, tables {names}")  # noqa: T201  a command's answer
    return 0


async def _rebuild(settings: ConsoleSettings) -> int:
    async with open_database(settings.store_url) as database:
        count = await rebuild(database, load_priorities(), settings.time)
    print(f"computed again: {count} incidents")  # noqa: T201  a command's answer
    return 0


_COMMANDS: Final = {"serve": _serve, "check-config": _check, "rebuild": _rebuild}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pitwarden-console", description="Web page and history of gaming tables.")
    parser.add_argument("--version", action="version", version=version("pitwarden-console"))
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (
        ("serve", "read the tables and serve the pages"),
        ("check-config", "check the console file"),
        ("rebuild", "compute the incidents again from the stored outputs, while the console is stopped"),
    ):
        made = commands.add_parser(name, help=words, description=words)
        made.add_argument("--config", type=Path, required=True, metavar="FILE", help="the console file")
    return parser
