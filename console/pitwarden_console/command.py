"""`pitwarden-console`: serve the pages, keep accounts, check the console file, or compute the incidents again."""

import argparse
import asyncio
import getpass
import logging
import re
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from sqlalchemy import select

from pitwarden_console.clock import MachineClock
from pitwarden_console.errors import ConsoleError, ConsoleSettingsError
from pitwarden_console.people.accounts import AccountBook, AccountError
from pitwarden_console.people.demo_accounts import PREFIX
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pseudonyms import DAY_MS, Pseudonyms, pseudonymize
from pitwarden_console.priorities import load_priorities
from pitwarden_console.roles import ROLES
from pitwarden_console.service import serve
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.settings.loading import load_settings
from pitwarden_console.store.database import open_database
from pitwarden_console.store.projection import rebuild
from pitwarden_console.store.schema import account

EX_CONFIG: Final = 78
_LOG_FORMAT: Final = "%(levelname)s %(name)s %(message)s"
_IDENT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")

Command = Callable[[ConsoleSettings, argparse.Namespace], Coroutine[None, None, None]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code: 0, 1 for a failure, 78 for a refused console file."""
    parsed = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format=_LOG_FORMAT, stream=sys.stderr)
    # A migration is logged by the library at each start, also when there is nothing to do.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    command: Command = parsed.run
    try:
        asyncio.run(command(load_settings(parsed.config), parsed))
    except ConsoleSettingsError as error:
        print(error, file=sys.stderr)  # noqa: T201  a command's answer
        return EX_CONFIG
    except ConsoleError as error:
        print(f"pitwarden-console: {error}", file=sys.stderr)  # noqa: T201  a command's answer
        return 1
    return 0


async def _serve(settings: ConsoleSettings, parsed: argparse.Namespace) -> None:
    await serve(settings, demo=parsed.demo)


async def _check(settings: ConsoleSettings, _: argparse.Namespace) -> None:
    settings.provider()
    settings.pseudonym_key()
    names = ", ".join(entry.name for entry in settings.file.table)
    print(f"valid: site {settings.file.site.name}, tables {names}")  # noqa: T201  a command's answer


async def _rebuild(settings: ConsoleSettings, _: argparse.Namespace) -> None:
    async with open_database(settings.store_url) as database:
        count = await rebuild(database, load_priorities(), settings.time)
    print(f"computed again: {count} incidents")  # noqa: T201  a command's answer


async def _add(settings: ConsoleSettings, parsed: argparse.Namespace) -> None:
    for name in ("login", "person"):
        if not _IDENT.fullmatch(getattr(parsed, name)):
            raise AccountError(f"--{name}: use 1 to 64 of A-Z a-z 0-9 _ -")
    if parsed.login.startswith(PREFIX):
        raise AccountError(f"a login does not begin with {PREFIX}: such accounts are those of a demo")
    async with open_database(settings.store_url) as database:
        await AccountBook(database, PasswordChecker()).add(
            parsed.login, _password(), name=parsed.name, person=parsed.person, role=parsed.role,
            now_ms=MachineClock().utc_ms(),
        )  # fmt: skip


async def _set_password(settings: ConsoleSettings, parsed: argparse.Namespace) -> None:
    async with open_database(settings.store_url) as database:
        await AccountBook(database, PasswordChecker()).set_password(parsed.login, _password())


async def _close(settings: ConsoleSettings, parsed: argparse.Namespace) -> None:
    async with open_database(settings.store_url) as database:
        await AccountBook(database, PasswordChecker()).close(parsed.login, MachineClock().utc_ms())


async def _list(settings: ConsoleSettings, _: argparse.Namespace) -> None:
    async with open_database(settings.store_url) as database, database.reading() as connection:
        for row in await connection.execute(select(account).order_by(account.c.login)):
            withdrawn = "" if row.withdrawn_ms is None else ", withdrawn by the identity provider"
            state = withdrawn if row.closed_ms is None else ", closed"
            print(f"{row.login}: {row.name}, {row.person}, {row.role}{state}")  # noqa: T201  a command's answer


async def _pseudonymize(settings: ConsoleSettings, _: argparse.Namespace) -> None:
    key, section, clock = settings.pseudonym_key(), settings.file.retention, MachineClock()
    if key is None or section is None:
        raise ConsoleError("the console file sets no time for employee numbers: add [retention] to it")
    before_ms = clock.utc_ms() - section.person_days * DAY_MS
    async with open_database(settings.store_url) as database:
        run = await pseudonymize(database, Pseudonyms(key), before_ms, clock, complete=True)
    words = f"{run.rows} rows, {run.outputs} outputs, {run.entries} audit entries, {run.accounts} accounts"
    print(f"numbers replaced by pseudonyms: {words}")  # noqa: T201  a command's answer


def _password() -> str:
    """Return a password from the terminal, or the first line of a pipe."""
    if sys.stdin.isatty():
        return getpass.getpass("password: ")
    return sys.stdin.readline().rstrip("\n")


_COMMANDS: Final[Mapping[str, tuple[Command, str]]] = {
    "serve": (_serve, "read the tables and serve the pages"),
    "check-config": (_check, "check the console file"),
    "rebuild": (_rebuild, "compute the incidents again from the stored outputs, while the console is stopped"),
    "pseudonymize": (_pseudonymize, "replace employee numbers older than [retention] allows by pseudonyms"),
    "account-add": (_add, "add an account; the password is read from the terminal or a pipe"),
    "account-password": (_set_password, "replace the password of an account"),
    "account-close": (_close, "close an account for good"),
    "account-list": (_list, "list all accounts"),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pitwarden-console", description="Web page and history of gaming tables.")
    parser.add_argument("--version", action="version", version=version("pitwarden-console"))
    commands = parser.add_subparsers(dest="command", required=True)
    made = {name: commands.add_parser(name, help=words, description=words) for name, (_, words) in _COMMANDS.items()}
    for name, command in made.items():
        command.set_defaults(run=_COMMANDS[name][0])
        command.add_argument("--config", type=Path, required=True, metavar="FILE", help="the console file")
        if name.startswith("account-") and name != "account-list":
            command.add_argument("--login", required=True, help="name to sign in with")
    made["serve"].add_argument(
        "--demo", action="store_true", help="make accounts for a demo on this machine's loopback"
    )
    made["account-add"].add_argument("--name", required=True, help="name on the pages")
    made["account-add"].add_argument("--person", required=True, help="employee or license number in the tables' logs")
    made["account-add"].add_argument("--role", required=True, choices=ROLES)
    return parser
