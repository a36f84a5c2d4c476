"""Calls in the store: a row before each call leaves, and the answer of the service after it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, and_, func, insert, or_, select, update

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import call, incident

TEST: str = "test"
"""Reference of a test call, which is about no table."""


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call about an alarm. `answered_ms` and `delivered` are None until the service answered. Times in UTC ms."""

    ident: int
    table_id: int
    ref: str
    step: int
    recipient: str
    at_ms: int
    answered_ms: int | None
    delivered: bool | None


class CallBook:
    """The calls in the store."""

    def __init__(self, database: HistoryDatabase) -> None:
        self._database = database

    async def add(
        self, alarms: Sequence[tuple[int | None, str]], *, step: int, recipient: str, title: str, at_ms: int
    ) -> Sequence[int]:
        """Add a call with a row for each alarm (number of its table, reference), and return the numbers of the rows.

        Raises:
            StoreError: The database failed; there is no row.
        """
        idents = list[int]()
        async with self._database.writing() as connection:
            for table_id, ref in alarms:
                values = {
                    "table_id": table_id, "ref": ref, "step": step, "recipient": recipient, "title": title[:500],
                    "at_ms": at_ms,
                }  # fmt: skip
                made = await connection.execute(insert(call).values(**values).returning(call.c.id))
                idents.append(made.scalar_one())
        return idents

    async def answered(self, idents: Sequence[int], *, delivered: bool, reason: str, at_ms: int) -> None:
        """Record what the service answered.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.writing() as connection:
            changed = update(call).where(call.c.id.in_(idents))
            await connection.execute(changed.values(delivered=delivered, reason=reason[:500], answered_ms=at_ms))

    async def recent(self, since_ms: int) -> Sequence[StoredCall]:
        """Return the calls about alarms since `since_ms` (UTC), and all calls about incidents that are open, in order.

        Raises:
            StoreError: The database failed.
        """
        of_open = select(call.c.id).join(
            incident, and_(incident.c.table_id == call.c.table_id, incident.c.ref == call.c.ref)
        ).where(incident.c.ended_ms.is_(None))  # fmt: skip
        query = select(call).where(
            call.c.table_id.is_not(None), or_(call.c.at_ms >= since_ms, call.c.id.in_(of_open))
        )  # fmt: skip
        async with self._database.reading() as connection:
            return [
                StoredCall(
                    row.id, row.table_id, row.ref, row.step, row.recipient, row.at_ms, row.answered_ms, row.delivered
                )
                for row in await connection.execute(query.order_by(call.c.id))
            ]

    async def last_test_ms(self) -> int:
        """Return the time of the last test call that was answered (UTC, ms); 0 for none.

        Raises:
            StoreError: The database failed.
        """
        query = select(func.max(call.c.at_ms)).where(
            call.c.ref == TEST, call.c.table_id.is_(None), call.c.answered_ms.is_not(None)
        )
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one() or 0

    async def of(self, table_id: int, ref: str) -> Sequence[RowMapping]:
        """Return the calls about an incident, in order.

        Raises:
            StoreError: The database failed.
        """
        query = select(call).where(call.c.table_id == table_id, call.c.ref == ref).order_by(call.c.id)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).mappings().all()
