"""Accounts of a demo, whose passwords are known to everyone. They refuse to exist outside of one.

They are made only where all of it is on this machine's loopback and the site is a demo's; and a console that is not a
demo refuses a store that has them.
"""

import ipaddress
from typing import Final

from sqlalchemy import select

from pitwarden_console.errors import ConsoleError
from pitwarden_console.people.accounts import AccountBook
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.roles import AccountRole
from pitwarden_console.settings.console_settings import ConsoleSettings
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account

PASSWORD: Final = "simulated night"  # noqa: S105  known to everyone, and of no use outside a demo
PREFIX: Final = "demo-"
_ACCOUNTS: Final[tuple[tuple[str, str, str, AccountRole], ...]] = (
    ("demo-floor", "Demo floorperson", "f17", "floor"),
    ("demo-supervisor", "Demo supervisor", "s02", "supervisor"),
    ("demo-surveillance", "Demo surveillance", "v05", "surveillance"),
)


async def make_demo_accounts(settings: ConsoleSettings, database: HistoryDatabase, now_ms: int) -> None:
    """Make the accounts of a demo, where there are none.

    Raises:
        ConsoleError: This is no demo: an address is not on loopback, or the site is not named as a demo's.
        StoreError: The database failed.
    """
    file = settings.file
    for key, host in (("web.host", file.web.host), ("broker.host", file.broker.host)):
        if not _is_loopback(host):
            raise ConsoleError(f"demo accounts refuse to exist here: {key} is {host}, and not this machine's loopback")
    if not file.site.name.startswith(PREFIX):
        raise ConsoleError(f"demo accounts refuse to exist here: the site {file.site.name} is no demo's")
    if not await has_demo_accounts(database):
        book = AccountBook(database, PasswordChecker())
        for login, name, person, role in _ACCOUNTS:
            await book.add(login, PASSWORD, name=name, person=person, role=role, now_ms=now_ms)


async def refuse_demo_accounts(database: HistoryDatabase) -> None:
    """Refuse a store of a demo.

    Raises:
        ConsoleError: The store has demo accounts.
        StoreError: The database failed.
    """
    if await has_demo_accounts(database):
        raise ConsoleError("the store is of a demo, with accounts whose password everyone knows: use another store")


async def has_demo_accounts(database: HistoryDatabase) -> bool:
    """Return whether the store has accounts of a demo.

    Raises:
        StoreError: The database failed.
    """
    async with database.reading() as connection:
        known = select(account.c.id).where(account.c.login.startswith(PREFIX, autoescape=True)).limit(1)
        return (await connection.execute(known)).first() is not None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
