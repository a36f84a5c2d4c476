"""Calls in the store: a row before each call leaves, and the answer of the service after it."""

from collections.abc import Mapping, Sequence

from sqlalchemy import RowMapping, func, insert, select, update

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import call

TEST: str = "test"
"""Reference of a test call, which is about no table."""


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

    async def steps(self, since_ms: int) -> Mapping[tuple[int, str], int]:
        """Return the number of steps that were called since `since_ms` (UTC), by table and reference.

        Raises:
            StoreError: The database failed.
        """
        query = select(call.c.table_id, call.c.ref, func.max(call.c.step)).where(
            call.c.at_ms >= since_ms, call.c.table_id.is_not(None)
        )
        async with self._database.reading() as connection:
            found = await connection.execute(query.group_by(call.c.table_id, call.c.ref))
            return {(table_id, ref): step + 1 for table_id, ref, step in found}

    async def last_test_ms(self) -> int:
        """Return the time of the last test call (UTC, ms); 0 for none.

        Raises:
            StoreError: The database failed.
        """
        query = select(func.max(call.c.at_ms)).where(call.c.ref == TEST, call.c.table_id.is_(None))
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
