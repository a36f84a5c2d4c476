"""Remarks of people on incidents: notes, and reviews of what no one has acknowledged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, insert, select, update

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.history import MAX_COUNT, FoundIncident, found_incident, incidents_query
from pitwarden_console.store.schema import incident, look, note

# Incidents on the page of those that ended unseen. The older ones follow once these have been seen.
MAX_UNSEEN: Final = 200


@dataclass(frozen=True, slots=True)
class IncidentNote:
    """A note on an incident. Time in UTC ms."""

    at_ms: int
    person: str
    text: str


class RemarkBook:
    """Notes and reviews in the store."""

    def __init__(self, database: HistoryDatabase) -> None:
        self._database = database

    async def add_note(self, table_id: int, ref: str, made: IncidentNote) -> None:
        """Add a note.

        Raises:
            StoreError: The database failed.
        """
        values = {"table_id": table_id, "ref": ref, "at_ms": made.at_ms, "person": made.person, "text": made.text}
        async with self._database.writing() as connection:
            await connection.execute(insert(note).values(**values))

    async def notes(self, table_id: int, ref: str) -> Sequence[IncidentNote]:
        """Return the notes on an incident, the oldest first.

        Raises:
            StoreError: The database failed.
        """
        query = select(note).where(note.c.table_id == table_id, note.c.ref == ref).order_by(note.c.id)
        async with self._database.reading() as connection:
            return [IncidentNote(row.at_ms, row.person, row.text) for row in await connection.execute(query)]

    async def knows(self, table_id: int, ref: str) -> bool:
        """Return whether an incident is stored.

        Raises:
            StoreError: The database failed.
        """
        query = select(incident.c.id).where(incident.c.table_id == table_id, incident.c.ref == ref)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).first() is not None

    async def looked(self, table_id: int, ref: str) -> tuple[int, str] | None:
        """Return when (UTC, ms) and by whom an incident was reviewed; None when it was not.

        Raises:
            StoreError: The database failed.
        """
        query = select(look.c.at_ms, look.c.person).where(look.c.table_id == table_id, look.c.ref == ref)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else (row.at_ms, row.person)

    async def add_look(self, table_id: int, ref: str, at_ms: int, person: str) -> bool:
        """Record that a person has seen an incident, while it is open or later; return False when one had before.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.writing() as connection:
            known = select(look.c.id).where(look.c.table_id == table_id, look.c.ref == ref)
            if (await connection.execute(known)).first() is not None:
                return False
            values = {"table_id": table_id, "ref": ref, "at_ms": at_ms, "person": person}
            await connection.execute(insert(look).values(**values))
            own = (incident.c.table_id == table_id, incident.c.ref == ref)
            await connection.execute(update(incident).where(*own).values(unseen=False))
        return True

    async def unseen(self, *, simulated: bool) -> tuple[Sequence[FoundIncident], int]:
        """Return the irregularities that ended unseen, the newest first, and their number, `MAX_COUNT` at most.

        Unseen: no one acknowledged it, no person's act ended it, and no one has reviewed it since. However old one is,
        it stays until a person has reviewed it.

        Raises:
            StoreError: The database failed.
        """
        conditions = (incident.c.unseen.is_(True), incident.c.simulated.is_(simulated))
        async with self._database.reading() as connection:
            counted = select(incident.c.id).where(*conditions).limit(MAX_COUNT).subquery()
            count = (await connection.execute(select(func.count()).select_from(counted))).scalar_one()
            query = incidents_query().where(*conditions).order_by(incident.c.opened_ms.desc()).limit(MAX_UNSEEN)
            rows = (await connection.execute(query)).mappings().all()
        return [found_incident(row) for row in rows], count
