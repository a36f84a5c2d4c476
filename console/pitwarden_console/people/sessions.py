"""Sessions: a token in a cookie, stored as its hash. A new one at each sign-in, ended after a shift."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final

from sqlalchemy import insert, select, update

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.people.accounts import Account
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account, session

# Life of a session in ms: one shift. A forgotten sign-in ends with it.
SHIFT_MS: Final = 12 * 3_600_000
_TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class AccountSession:
    """A session that is valid. `csrf` belongs in every form of it."""

    ident: int
    account: Account
    csrf: str


class SessionBook:
    """The sessions in the store."""

    def __init__(self, database: HistoryDatabase, clock: ConsoleClock) -> None:
        self._database, self._clock = database, clock
        self._ended: set[int] = set()

    async def begin(self, owner: Account) -> str:
        """Begin a session and return its token, which is stored nowhere else.

        Raises:
            StoreError: The database failed.
        """
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        async with self._database.writing() as connection:
            await connection.execute(
                insert(session).values(account_id=owner.ident, token=_hashed(token), created_ms=self._clock.utc_ms())
            )
        return token

    async def find(self, token: str) -> AccountSession | None:
        """Return the session of a token; None when there is none, or it or its account has ended.

        Raises:
            StoreError: The database failed.
        """
        query = (
            select(session.c.id.label("session_id"), session.c.created_ms, account)
            .join(account, account.c.id == session.c.account_id)
            .where(session.c.token == _hashed(token), session.c.ended_ms.is_(None), account.c.closed_ms.is_(None))
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        if row is None or self._clock.utc_ms() - row.created_ms >= SHIFT_MS:
            return None
        owner = Account(row.id, row.login, row.name, row.person, row.role)
        return AccountSession(row.session_id, owner, hashlib.sha256(f"csrf {token}".encode()).hexdigest())

    async def end(self, ended: AccountSession) -> None:
        """End a session and its streams.

        Raises:
            StoreError: The database failed.
        """
        self._ended.add(ended.ident)
        async with self._database.writing() as connection:
            changed = update(session).where(session.c.id == ended.ident)
            await connection.execute(changed.values(ended_ms=self._clock.utc_ms()))

    def has_ended(self, one: AccountSession) -> bool:
        """Return whether a session was ended by a sign-out since it was found."""
        return one.ident in self._ended


def is_csrf_token(one: AccountSession, token: str) -> bool:
    """Return whether `token` is that of the session's forms."""
    return hmac.compare_digest(one.csrf.encode(), token.encode())


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
