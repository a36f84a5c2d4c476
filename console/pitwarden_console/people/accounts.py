"""Accounts: who may open the pages, as whom acts are recorded, and with which role. None is ever deleted or renamed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, Row, and_, insert, select, update

from pitwarden_client.events.base import Role
from pitwarden_client.events.inputs import may_send
from pitwarden_console.errors import ConsoleError
from pitwarden_console.people.passwords import MAX_LENGTH, MIN_LENGTH, PasswordChecker
from pitwarden_console.roles import AccountRole
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account

_INPUT_ROLES: Final[Mapping[AccountRole, Role]] = {"floor": "floor", "supervisor": "supervisor"}


class AccountError(ConsoleError):
    """An account cannot be made or changed. Policy: print the sentence; nothing was changed.

    Example: the login is in use.
    """


@dataclass(frozen=True, slots=True)
class Account:
    """An account. `person` is the employee or license number under which tables record its acts."""

    ident: int
    login: str
    name: str
    person: str
    role: AccountRole

    @property
    def input_role(self) -> Role | None:
        """Role at the tables; None for those who only read."""
        return _INPUT_ROLES.get(self.role)

    def may(self, act: str) -> bool:
        """Return whether this account may key `act`. The table decides again."""
        role = self.input_role
        return role is not None and may_send(role, act)


def may_sign_in() -> ColumnElement[bool]:
    """Return the condition for accounts that are neither closed nor withdrawn by the identity provider."""
    return and_(account.c.closed_ms.is_(None), account.c.withdrawn_ms.is_(None))


def account_of_row(row: Row[tuple[object, ...]]) -> Account:
    """Return the account in a row of the table `account`."""
    return Account(row.id, row.login, row.name, row.person, row.role)


class AccountBook:
    """The accounts in the store."""

    def __init__(self, database: HistoryDatabase, passwords: PasswordChecker) -> None:
        self._database, self._passwords = database, passwords

    async def add(self, login: str, password: str, *, name: str, person: str, role: AccountRole, now_ms: int) -> None:
        """Add an account.

        Raises:
            AccountError: The login or the person is in use, also by a closed account; or the password is short.
            StoreError: The database failed.
        """
        self._refuse_weak(password)
        hashed = await self._passwords.hashed(password)  # before the turn to write: tables wait for it
        async with self._database.writing() as connection:
            used = select(account.c.login, account.c.person)
            used = used.where((account.c.login == login) | (account.c.person == person))
            found = (await connection.execute(used)).first()
            if found is not None:
                which = f"login {login}" if found.login == login else f"person {person}"
                raise AccountError(f"{which} is in use. A login and a number are never given to another person")
            await connection.execute(
                insert(account).values(
                    login=login, name=name, person=person, role=role, password=hashed,
                    created_ms=now_ms,
                )
            )  # fmt: skip

    async def set_password(self, login: str, password: str) -> None:
        """Replace a password.

        Raises:
            AccountError: There is no such account, or the password is short.
            StoreError: The database failed.
        """
        self._refuse_weak(password)
        await self._change(login, password=await self._passwords.hashed(password))

    async def close(self, login: str, now_ms: int) -> None:
        """Close an account for good; its acts remain under its name.

        Raises:
            AccountError: There is no such account.
            StoreError: The database failed.
        """
        await self._change(login, closed_ms=now_ms)

    async def checked(self, login: str, password: str) -> Account | None:
        """Return the account to which login and password belong; None for any other pair, after the same time.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            known = select(account).where(account.c.login == login, may_sign_in())
            row = (await connection.execute(known)).one_or_none()
        if not await self._passwords.is_right(None if row is None else row.password, password) or row is None:
            return None
        return account_of_row(row)

    async def person_of(self, login: str) -> str | None:
        """Return the person of a login; None where there is none.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            query = select(account.c.person).where(account.c.login == login)
            return (await connection.execute(query)).scalar_one_or_none()

    async def open_accounts(self) -> Sequence[Account]:
        """Return the accounts that are not closed, by person.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            query = select(account).where(account.c.closed_ms.is_(None)).order_by(account.c.person)
            return [account_of_row(row) for row in await connection.execute(query)]

    async def of_ident(self, ident: int) -> Account | None:
        """Return an account by its number in the store; None where there is none.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            row = (await connection.execute(select(account).where(account.c.id == ident))).one_or_none()
        return None if row is None else account_of_row(row)

    async def _change(self, login: str, **values: object) -> None:
        async with self._database.writing() as connection:
            changed = await connection.execute(update(account).where(account.c.login == login).values(**values))
        if changed.rowcount == 0:
            raise AccountError(f"there is no account with the login {login}")

    @staticmethod
    def _refuse_weak(password: str) -> None:
        if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
            raise AccountError(f"a password has {MIN_LENGTH} to {MAX_LENGTH} characters")
