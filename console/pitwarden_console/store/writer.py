"""Writer of one table's history: items, incidents and the client's position, together in one transaction.

Threat: a kill between any two statements. After a restart the client continues from the committed position, so nothing
is missing and nothing is stored twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client import ChainBreak, Cursor, Item, LogItem, OutputItem
from pitwarden_client.events.codec import decode, encode
from pitwarden_console.clock import ConsoleClock
from pitwarden_console.priorities import Priorities
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.days import count_days
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.projection import insert_incidents, project
from pitwarden_console.store.records import RecordContext, Values, output_values, row_values
from pitwarden_console.store.rows import incident_from_row
from pitwarden_console.store.schema import chain_break, gaming_table, incident, judge_output, log_row

if TYPE_CHECKING:
    from pitwarden_client.events.envelope import OutputEvent


@dataclass(slots=True)
class TableProgress:
    """Progress of a table, as committed: its number in the store, the client's position, and its open incidents."""

    table_id: int
    cursor: Cursor
    chain: int
    simulated: bool
    last_ms: int = 0
    open: dict[str, Incident] = field(default_factory=dict)


class TableWriter:
    """Writer of one table. `progress` is what is committed."""

    def __init__(
        self,
        database: HistoryDatabase,
        progress: TableProgress,
        time: SiteTime,
        clock: ConsoleClock,
        priorities: Priorities,
    ) -> None:
        self.progress = progress
        self._database, self._time, self._clock, self._priorities = database, time, clock, priorities

    async def store(self, items: Sequence[Item]) -> None:
        """Store `items` and the position after them, all or nothing.

        Raises:
            StoreError: The database failed; nothing was stored.
        """
        progress = self.progress
        batch = _Batch(progress, RecordContext(progress.table_id, self._time, self._clock.utc_ms(), progress.last_ms))
        for item in items:
            batch.add(item)
        async with self._database.writing() as connection:
            changed = await batch.write(connection, self._priorities)
        batch.committed(progress, changed)


class _Batch:
    """The items of one transaction."""

    def __init__(self, progress: TableProgress, context: RecordContext) -> None:
        self._context = context
        self._chain, self._simulated = progress.chain, progress.simulated
        self._cursor = progress.cursor
        self._rows: list[Values] = []
        self._outputs: list[Values] = []
        self._breaks: list[Values] = []
        self._events: list[OutputEvent] = []

    def add(self, item: Item) -> None:
        """Add an item of the stream."""
        self._cursor = item.cursor
        match item:
            case LogItem():
                self._rows.append(row_values(item, self._context))
            case OutputItem():
                self._outputs.append(output_values(item, self._chain, self._context))
                if item.event is not None:
                    self._events.append(item.event)
            case ChainBreak():
                self._break(item)
        if not isinstance(item, ChainBreak) and item.event is not None:
            self._simulated = item.event.simulated

    async def write(self, connection: AsyncConnection, priorities: Priorities) -> Sequence[Incident]:
        """Write everything, and return the incidents that changed."""
        table_id = self._context.table_id
        for table, values in ((log_row, self._rows), (judge_output, self._outputs), (chain_break, self._breaks)):
            if values:
                await connection.execute(insert(table), values)
        await count_days(connection, table_id, self._rows)
        changed = await project(connection, table_id, self._events, priorities)
        if changed:
            await connection.execute(
                delete(incident).where(
                    incident.c.table_id == table_id, incident.c.ref.in_([one.ref for one in changed])
                )
            )
            await insert_incidents(connection, table_id, changed, self._context.time)
        await connection.execute(
            update(gaming_table)
            .where(gaming_table.c.id == table_id)
            .values(cursor=encode(self._cursor).decode(), outputs_chain=self._chain, simulated=self._simulated)
        )
        return changed

    def committed(self, progress: TableProgress, changed: Sequence[Incident]) -> None:
        """Record in `progress` what was written."""
        progress.cursor, progress.chain, progress.simulated = self._cursor, self._chain, self._simulated
        for values in (*self._rows, *self._outputs):
            at_ms = values["at_ms"]
            progress.last_ms = max(progress.last_ms, at_ms) if isinstance(at_ms, int) else progress.last_ms
        for one in changed:
            progress.open.pop(one.ref, None)
            if one.ended_ms is None:
                progress.open[one.ref] = one

    def _break(self, item: ChainBreak) -> None:
        at = None if item.cursor.log is None else item.cursor.log.at
        self._breaks.append(
            {
                "table_id": self._context.table_id,
                "chain": item.of,
                "reason": item.reason[:500],
                "received_ms": self._context.received_ms,
                "epoch": None if at is None else at.epoch,
                "row": None if at is None else at.number,
                "output": item.cursor.output,
            }
        )
        if item.of == "outputs":
            self._chain += 1


async def open_progress(database: HistoryDatabase, site: str, name: str) -> TableProgress:
    """Return the committed progress of a table, and register the table at its first use.

    Raises:
        StoreError: The database failed.
    """
    async with database.writing() as connection:
        known = select(gaming_table).where(gaming_table.c.site == site, gaming_table.c.name == name)
        found = (await connection.execute(known)).one_or_none()
        if found is None:
            await connection.execute(insert(gaming_table).values(site=site, name=name))
            found = (await connection.execute(known)).one()
        cursor = decode(Cursor, found.cursor.encode()) if found.cursor else Cursor()
        progress = TableProgress(found.id, cursor, found.outputs_chain, found.simulated)
        opened = select(incident).where(incident.c.table_id == found.id, incident.c.ended_ms.is_(None))
        for row in (await connection.execute(opened)).mappings():
            one = incident_from_row(row)
            progress.open[one.ref] = one
    return progress
