"""Sessions: a token in a cookie, stored as its hash. A new one at each sign-in and change of person.

A session ends after a shift, after a time without a touch, by its person, or by an administrator. After a shorter time
without a touch the picture stays, and an act asks for the person again.
"""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from sqlalchemy import ColumnElement, and_, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account, account_of_row, may_sign_in
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account, session

# Life of a session in ms, where the console file states no other one: one shift. A forgotten sign-in ends with it.
SHIFT_MS: Final = 12 * 3_600_000
_TOKEN_BYTES: Final = 32
# Milliseconds between two writes of when a session was touched: a person touches a page many times a minute.
_TOUCH_MS: Final = 20_000

SignInMethod = Literal["password", "passkey", "provider", "pin"]


@dataclass(frozen=True, slots=True)
class SessionTimes:
    """Times of a session in ms: its end, its end without a touch, and when an act asks for the person again."""

    shift_ms: int = SHIFT_MS
    idle_ms: int = 4 * 3_600_000
    act_ms: int = 15 * 60_000


@dataclass(frozen=True, slots=True)
class AccountSession:
    """A session that is valid. `csrf` belongs in every form of it; `created_ms` is when the shift's sign-in was."""

    ident: int
    account: Account
    csrf: str = field(repr=False)
    method: SignInMethod
    created_ms: int


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session for the page of an administrator."""

    ident: int
    person: str
    name: str
    role: str
    method: str
    address: str
    created_ms: int
    touched_ms: int


class SessionBook:
    """The sessions in the store."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock, times: SessionTimes) -> None:
        self._database, self._clock, self.times = database, clock, times
        # Instants (UTC, ms) by session, of those that began within the last shift.
        self._ended: dict[int, int] = {}
        self._touched: dict[int, int] = {}

    async def begin(self, owner: Account, method: SignInMethod, address: str, since_ms: int | None = None) -> str:
        """Begin a session and return its token, which is stored nowhere else.

        Args:
            owner: Account of the session.
            method: How the person proved who they are.
            address: Address of the browser.
            since_ms: Sign-in of the device's shift, where only the person changes; None for now.

        Raises:
            StoreError: The database failed.
        """
        token, now_ms = secrets.token_urlsafe(_TOKEN_BYTES), self._clock.utc_ms()
        self._forget(now_ms - self.times.shift_ms)
        async with self._database.writing() as connection:
            await connection.execute(
                insert(session).values(
                    account_id=owner.ident, token=_hashed(token), touched_ms=now_ms, method=method,
                    created_ms=now_ms if since_ms is None else since_ms, address=address[:64],
                )
            )  # fmt: skip
        return token

    async def find(self, token: str) -> AccountSession | None:
        """Return the session of a token; None when there is none, or it or its account has ended.

        Raises:
            StoreError: The database failed.
        """
        query = (
            select(session.c.id.label("session_id"), session.c.created_ms.label("since_ms"), session.c.touched_ms,
                   session.c.method, account)
            .join(account, account.c.id == session.c.account_id)
            .where(session.c.token == _hashed(token), session.c.ended_ms.is_(None), may_sign_in())
        )  # fmt: skip
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None:
            return None
        self._touched.setdefault(row.session_id, row.touched_ms or row.since_ms)
        csrf = hashlib.sha256(f"csrf {token}".encode()).hexdigest()
        found = AccountSession(row.session_id, account_of_row(row), csrf, row.method, row.since_ms)
        return None if self.has_ended(found) else found

    async def touch(self, one: AccountSession) -> None:
        """Record that the person did something.

        It has no effect on a session that asks for the person again. Anyone can touch a device that was left: only a
        PIN, a password or a passkey shows that the person is back.

        Raises:
            StoreError: The database failed.
        """
        if self.asks_again(one):
            return
        now_ms, before = self._clock.utc_ms(), self._touched.get(one.ident, 0)
        self._touched[one.ident] = now_ms
        if now_ms - before >= _TOUCH_MS:
            async with self._database.writing() as connection:
                await connection.execute(update(session).where(session.c.id == one.ident).values(touched_ms=now_ms))

    async def end(self, ident: int, by: str) -> str | None:
        """End a session and its streams; return whose it was, None where it had ended.

        Raises:
            StoreError: The database failed.
        """
        owner = select(account.c.person).join(session, session.c.account_id == account.c.id)
        async with self._database.writing() as connection:
            known = owner.where(session.c.id == ident, session.c.ended_ms.is_(None))
            person = (await connection.execute(known)).scalar_one_or_none()
            await self._end(connection, session.c.id == ident, by)
        self._note_end(ident)
        return person

    async def end_all(self, account_id: int, by: str) -> Sequence[tuple[int, str]]:
        """End every session of an account, and its streams; return their numbers in the store, and whose they were.

        Raises:
            StoreError: The database failed.
        """
        first_ms = self._clock.utc_ms() - self.times.shift_ms
        mine = and_(session.c.account_id == account_id, session.c.created_ms > first_ms)
        async with self._database.writing() as connection:
            query = select(session.c.id, account.c.person).join(account, account.c.id == session.c.account_id)
            rows = (await connection.execute(query.where(mine, session.c.ended_ms.is_(None)))).all()
            await self._end(connection, mine, by)
        for row in rows:
            self._note_end(row.id)
        return [(row.id, row.person) for row in rows]

    async def _end(self, connection: AsyncConnection, which: ColumnElement[bool], by: str) -> None:
        changed = update(session).where(which, session.c.ended_ms.is_(None))
        await connection.execute(changed.values(ended_ms=self._clock.utc_ms(), ended_by=by))

    def _note_end(self, ident: int) -> None:
        self._ended[ident] = self._clock.utc_ms()
        self._touched.pop(ident, None)

    def _forget(self, before_ms: int) -> None:
        """Forget what began before `before_ms` (UTC) and is over by its time: the maps stay as small as a shift."""
        for known in (self._ended, self._touched):
            for ident in [each for each, at_ms in known.items() if at_ms <= before_ms]:
                del known[ident]

    def has_ended(self, one: AccountSession) -> bool:
        """Return whether a session that was found has ended since: by a person, or by its time."""
        now_ms = self._clock.utc_ms()
        touched_ms = self._touched.get(one.ident, one.created_ms)
        # No one touches a wall display.
        idle = one.account.role != "display" and now_ms - touched_ms >= self.times.idle_ms
        return one.ident in self._ended or idle or now_ms - one.created_ms >= self.times.shift_ms

    def asks_again(self, one: AccountSession) -> bool:
        """Return whether an act asks for the person again."""
        return self._clock.utc_ms() - self._touched.get(one.ident, one.created_ms) >= self.times.act_ms

    async def open_now(self) -> Sequence[ListedSession]:
        """Return the sessions that have not ended, the newest first.

        Raises:
            StoreError: The database failed.
        """
        first_ms = self._clock.utc_ms() - self.times.shift_ms
        query = (
            select(session, account.c.person, account.c.name, account.c.role)
            .join(account, account.c.id == session.c.account_id)
            .where(session.c.ended_ms.is_(None), session.c.created_ms > first_ms, may_sign_in())
            .order_by(session.c.id.desc())
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        listed = [
            ListedSession(
                row.id, row.person, row.name, row.role, row.method, row.address, row.created_ms,
                self._touched.get(row.id, row.touched_ms or row.created_ms),
            )
            for row in rows
        ]  # fmt: skip
        last_ms = self._clock.utc_ms() - self.times.idle_ms
        return [one for one in listed if one.role == "display" or one.touched_ms > last_ms]


def is_csrf_token(one: AccountSession, token: str) -> bool:
    """Return whether `token` is that of the session's forms."""
    return hmac.compare_digest(one.csrf.encode(), token.encode())


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
