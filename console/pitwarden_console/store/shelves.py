"""Shelving: alarms that a person has put aside for a while, with a reason and an end.

Nothing changes at the table. What returns at its end is unacknowledged, and what a person lifts returns as it was
(ISA-18.2). Threat: an end that never comes. The end is compared with the console's clock at each check, so that no
timer can be lost, and it survives a restart.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Literal

from sqlalchemy import insert, select, update

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import shelf

# Longest time for which an alarm is shelved, in ms: what is put aside for longer is a fault to be repaired.
MAX_SHELF_MS: Final = 3_600_000

ShelfOutcome = Literal["lifted", "returned", "ended"]


@dataclass(frozen=True, slots=True)
class Shelf:
    """A shelved alarm, or one that returned from it and not seen since. Times in UTC ms; the end is not part of it."""

    ident: int
    table_id: int
    ref: str
    person: str
    reason: str
    started_ms: int
    ends_ms: int

    def is_over(self, now_ms: int) -> bool:
        """Return whether the alarm has returned."""
        return now_ms >= self.ends_ms


class ShelfBook:
    """Each shelving that needs attention, in memory and in the store."""

    def __init__(self) -> None:
        self._shelves: dict[tuple[int, str], Shelf] = {}

    async def load(self, database: HistoryDatabase) -> None:
        """Read each shelving that needs attention, after a start.

        Raises:
            StoreError: The database failed.
        """
        async with database.reading() as connection:
            found = await connection.execute(select(shelf).where(shelf.c.closed_ms.is_(None)).order_by(shelf.c.id))
            for row in found:
                made = Shelf(row.id, row.table_id, row.ref, row.person, row.reason, row.started_ms, row.ends_ms)
                self._shelves[row.table_id, row.ref] = made

    def of(self, table_id: int, ref: str) -> Shelf | None:
        """Return the shelving of an alarm; None when it was never shelved, or was seen since."""
        return self._shelves.get((table_id, ref))

    def of_table(self, table_id: int) -> Collection[Shelf]:
        """Return each shelving of a table that needs attention."""
        return [one for one in self._shelves.values() if one.table_id == table_id]

    async def put(self, database: HistoryDatabase, wanted: Shelf) -> None:
        """Shelve an alarm; its `ident` is assigned here.

        Raises:
            StoreError: The database failed; nothing is shelved.
        """
        values = {
            "table_id": wanted.table_id, "ref": wanted.ref, "person": wanted.person, "reason": wanted.reason,
            "started_ms": wanted.started_ms, "ends_ms": wanted.ends_ms,
        }  # fmt: skip
        async with database.writing() as connection:
            made = await connection.execute(insert(shelf).values(**values).returning(shelf.c.id))
            ident = made.scalar_one()
        self._shelves[wanted.table_id, wanted.ref] = replace(wanted, ident=ident)

    async def close(
        self, database: HistoryDatabase, one: Shelf, outcome: ShelfOutcome, now_ms: int, person: str | None
    ) -> None:
        """Record that a shelving needs no attention any more.

        Raises:
            StoreError: The database failed; it is as it was.
        """
        async with database.writing() as connection:
            changed = update(shelf).where(shelf.c.id == one.ident)
            await connection.execute(changed.values(closed_ms=now_ms, closed_by=person, outcome=outcome))
        self._shelves.pop((one.table_id, one.ref), None)
