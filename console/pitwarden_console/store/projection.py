"""Incidents that a batch of outputs changes, and the same computed again from the stored bytes."""

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import OutputEvent, parse_rfc3339
from pitwarden_client.events.outputs import Duty, Irregularity
from pitwarden_console.priorities import Priorities
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.incidents import Incident, OutputContext, next_incident
from pitwarden_console.store.rows import incident_from_row, incident_values
from pitwarden_console.store.schema import gaming_table, incident, judge_output, log_row, look, pseudonym_mark

# Outputs read, and incidents written, at once while incidents are computed again, which bounds what is in memory.
_PAGE: Final = 500


async def project(
    connection: AsyncConnection, table_id: int, events: Sequence[OutputEvent], priorities: Priorities
) -> Sequence[Incident]:
    """Return the incidents of a table as `events` leave them. Their rows are in the store already."""
    relevant = [each for each in events if isinstance(each.data, Irregularity | Duty)]
    if not relevant:
        return ()
    refs = {each.data.ref for each in relevant if isinstance(each.data, Irregularity | Duty)}
    stored = select(incident).where(incident.c.table_id == table_id, incident.c.ref.in_(refs))
    known = {row["ref"]: incident_from_row(row) for row in (await connection.execute(stored)).mappings()}
    persons = await _persons(connection, table_id, relevant)
    changed: dict[str, Incident] = {}
    for each in relevant:
        made = next_incident(known | changed, each.data, _context(each, persons), priorities)
        if made is not None:
            changed[made.ref] = made
    return tuple(changed.values())


async def rebuild(database: HistoryDatabase, priorities: Priorities, time: SiteTime) -> int:
    """Compute every incident again from the stored outputs, in one transaction, and return their number.

    Raises:
        StoreError: The database failed; the incidents are as they were.
    """
    count = 0
    async with database.writing() as connection:
        await connection.execute(delete(incident))
        # Their ids begin again.
        await connection.execute(delete(pseudonym_mark).where(pseudonym_mark.c.of == incident.name))
        for (table_id,) in (await connection.execute(select(gaming_table.c.id))).all():
            made = await _incidents_of(connection, table_id, priorities)
            if made:
                await insert_incidents(connection, table_id, made, time)
            count += len(made)
    return count


async def insert_incidents(
    connection: AsyncConnection, table_id: int, made: Sequence[Incident], time: SiteTime
) -> None:
    """Insert the rows of incidents; a review by a person is kept apart from them, so that they can be made again."""
    for first in range(0, len(made), _PAGE):
        some = made[first : first + _PAGE]
        known = select(look.c.ref).where(look.c.table_id == table_id, look.c.ref.in_([one.ref for one in some]))
        reviewed = set((await connection.execute(known)).scalars())
        values = [incident_values(one, table_id, time, reviewed=one.ref in reviewed) for one in some]
        await connection.execute(insert(incident), values)


async def _incidents_of(connection: AsyncConnection, table_id: int, priorities: Priorities) -> Sequence[Incident]:
    known: dict[str, Incident] = {}
    last = 0
    while True:
        page = (
            await connection.execute(
                select(judge_output.c.id, judge_output.c.body)
                .where(judge_output.c.table_id == table_id, judge_output.c.id > last, judge_output.c.ref.is_not(None))
                .order_by(judge_output.c.id)
                .limit(_PAGE)
            )
        ).all()
        if not page:
            return tuple(known.values())
        last = page[-1].id
        events = [each for each in map(_event, (row.body for row in page)) if each is not None]
        persons = await _persons(connection, table_id, events)
        for each in events:
            made = next_incident(known, each.data, _context(each, persons), priorities)
            if made is not None:
                known[made.ref] = made


def _event(body: bytes) -> OutputEvent | None:
    try:
        return decode(OutputEvent, body)
    except BadPayloadError:
        return None


async def _persons(
    connection: AsyncConnection, table_id: int, events: Sequence[OutputEvent]
) -> Mapping[tuple[str, int], str]:
    """Return who keyed the rows that caused `events`, by position."""
    found: dict[tuple[str, int], str] = {}
    numbers: dict[str, set[int]] = {}
    for each in events:
        numbers.setdefault(each.epoch, set()).add(each.tableseq)
    for epoch, rows in numbers.items():
        keyed = select(log_row.c.number, log_row.c.person).where(
            log_row.c.table_id == table_id, log_row.c.epoch == epoch, log_row.c.number.in_(rows),
            log_row.c.person.is_not(None),
        )  # fmt: skip
        found |= {(epoch, number): person for number, person in (await connection.execute(keyed)).all()}
    return found


def _context(event: OutputEvent, persons: Mapping[tuple[str, int], str]) -> OutputContext:
    at = Position(epoch=event.epoch, number=event.tableseq)
    return OutputContext(
        event.outputseq, at, parse_rfc3339(event.time), persons.get((at.epoch, at.number)), event.simulated
    )
