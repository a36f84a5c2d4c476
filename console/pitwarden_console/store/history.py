"""Search in the history, and everything that is stored about one incident."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from sqlalchemy import ColumnElement, RowMapping, Select, and_, func, or_, select

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.rows import incident_from_row
from pitwarden_console.store.schema import gaming_table, incident, judge_output, log_row

# Incidents on one page of a search.
PAGE: Final = 50
MAX_COUNT: Final = 1_000
"""Number of hits up to which a search counts: more is no answer to a question, and takes long over years."""
MAX_ROWS: Final = 500
"""Number of rows that a report lists of one incident."""


@dataclass(frozen=True, slots=True)
class HistorySearch:
    """Terms of a search. An empty text and None match everything; `after` continues a page."""

    first: date
    last: date
    table: str = ""
    catalogue: str = ""
    clause: str = ""
    person: str = ""
    device: str = ""
    status: str = ""
    unacknowledged: bool = False
    simulated: bool = False
    after: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class FoundIncident:
    """An incident with its table."""

    site: str
    table: str
    table_id: int
    ident: int
    incident: Incident


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page of a search. `count` is at most `MAX_COUNT`; `more` continues it, None at the end."""

    found: Sequence[FoundIncident]
    count: int
    more: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class IncidentRecord:
    """An incident, its outputs, and the rows of its table from its evidence to its end, as stored."""

    found: FoundIncident
    outputs: Sequence[RowMapping]
    rows: Sequence[RowMapping]
    rows_left_out: bool


class HistoryReader:
    """Queries of the pages."""

    def __init__(self, database: HistoryDatabase) -> None:
        self._database = database

    async def search(self, wanted: HistorySearch) -> FoundPage:
        """Return a page of incidents, the newest first.

        Raises:
            StoreError: The database failed.
        """
        conditions = _conditions(wanted)
        async with self._database.reading() as connection:
            counted = select(incident.c.id).join(gaming_table).where(*conditions).limit(MAX_COUNT).subquery()
            count = (await connection.execute(select(func.count()).select_from(counted))).scalar_one()
            query = incidents_query().where(*conditions, *_continued(wanted.after))
            query = query.order_by(incident.c.opened_ms.desc(), incident.c.id.desc()).limit(PAGE + 1)
            rows = (await connection.execute(query)).mappings().all()
        found = [found_incident(row) for row in rows[:PAGE]]
        more = (found[-1].incident.opened_ms, found[-1].ident) if len(rows) > PAGE else None
        return FoundPage(found, count, more)

    async def tables(self) -> Sequence[tuple[int, str, str]]:
        """Return number, site and name of each table in the store.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            names = select(gaming_table.c.id, gaming_table.c.site, gaming_table.c.name)
            found = await connection.execute(names.order_by(gaming_table.c.site, gaming_table.c.name))
            return [(row.id, row.site, row.name) for row in found]

    async def record(self, site: str, name: str, ref: str) -> IncidentRecord | None:
        """Return everything about an incident; None when it is not stored.

        Raises:
            StoreError: The database failed.
        """
        async with self._database.reading() as connection:
            query = incidents_query().where(gaming_table.c.site == site, gaming_table.c.name == name)
            query = query.where(incident.c.ref == ref)
            row = (await connection.execute(query)).mappings().one_or_none()
            if row is None:
                return None
            found = found_incident(row)
            said = select(judge_output).where(judge_output.c.table_id == found.table_id, judge_output.c.ref == ref)
            outputs = (await connection.execute(said.order_by(judge_output.c.id))).mappings().all()
            rows = (await connection.execute(_rows_of(found, outputs))).mappings().all()
        return IncidentRecord(found, outputs, rows[:MAX_ROWS], len(rows) > MAX_ROWS)


def incidents_query() -> Select[tuple[object, ...]]:
    """Return the query for incidents with the names of their tables."""
    return select(incident, gaming_table.c.site.label("site"), gaming_table.c.name.label("table_name")).join(
        gaming_table, gaming_table.c.id == incident.c.table_id
    )


def found_incident(row: RowMapping) -> FoundIncident:
    """Return the incident in a row of `incidents_query`."""
    return FoundIncident(row["site"], row["table_name"], row["table_id"], row["id"], incident_from_row(row))


def _conditions(wanted: HistorySearch) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [incident.c.day >= wanted.first, incident.c.day <= wanted.last]
    if not wanted.simulated:
        conditions.append(incident.c.simulated.is_(False))
    exact: Mapping[ColumnElement[str], str] = {
        gaming_table.c.name: wanted.table, incident.c.catalogue: wanted.catalogue, incident.c.device: wanted.device,
        incident.c.status: wanted.status,
    }  # fmt: skip
    conditions += [column == value for column, value in exact.items() if value]
    if wanted.clause:
        conditions.append(incident.c.clauses.contains(wanted.clause, autoescape=True))
    if wanted.person:
        conditions.append(or_(incident.c.acknowledged_by == wanted.person, incident.c.ended_by == wanted.person))
    if wanted.unacknowledged:
        conditions.append(incident.c.acknowledged_ms.is_(None))
    return conditions


def _continued(after: tuple[int, int] | None) -> list[ColumnElement[bool]]:
    if after is None:
        return []
    opened_ms, ident = after
    older = incident.c.opened_ms < opened_ms
    return [or_(older, and_(incident.c.opened_ms == opened_ms, incident.c.id < ident))]


def _rows_of(found: FoundIncident, outputs: Sequence[RowMapping]) -> Select[tuple[object, ...]]:
    """Return the query for the rows from the opening to the row of the last output, in that epoch."""
    epoch = found.incident.opened_at.epoch
    last = max(
        (output["row"] for output in outputs if output["epoch"] == epoch), default=found.incident.opened_at.number
    )
    query = select(log_row).where(
        log_row.c.table_id == found.table_id, log_row.c.epoch == epoch,
        log_row.c.number >= found.incident.opened_at.number, log_row.c.number <= last,
    )  # fmt: skip
    return query.order_by(log_row.c.number).limit(MAX_ROWS + 1)
