"""Figures over a time: of a shift for its report, and over months for the trends.

Simulated nights are left out unless they are asked for, and then nothing else is in. Percentiles are computed here from
counts by second, since SQLite has none: both databases then give the same number.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sqlalchemy import ColumnElement, and_, case, extract, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.history import FoundIncident, found_incident, incidents_query
from pitwarden_console.store.schema import call, gaming_table, incident, log_row, shelf, table_day

Month = tuple[int, int]
"""Year and month."""


@dataclass(frozen=True, slots=True)
class TimesTaken:
    """Times in s: their number, median and 90th percentile; None without any."""

    count: int
    median_s: int | None
    most_s: int | None


def times_taken(seconds: Mapping[int, int]) -> TimesTaken:
    """Return the percentiles of times, given as how often each number of seconds occurred."""
    count = sum(seconds.values())
    if not count:
        return TimesTaken(0, None, None)
    return TimesTaken(count, _at_share(seconds, count, 0.5), _at_share(seconds, count, 0.9))


def _at_share(seconds: Mapping[int, int], count: int, share: float) -> int:
    passed = 0
    for value in sorted(seconds):
        passed += seconds[value]
        if passed >= share * count:
            return value
    return max(seconds)


@dataclass(slots=True)
class ShiftFigures:
    """Figures of a shift in a pit. `open` is what was open at its end, and is to be handed over."""

    tables: int = 0
    rounds: int = 0
    by_priority: Counter[int] = field(default_factory=Counter)
    by_catalogue: Counter[str] = field(default_factory=Counter)
    acknowledged: TimesTaken = field(default_factory=lambda: TimesTaken(0, None, None))
    ended: TimesTaken = field(default_factory=lambda: TimesTaken(0, None, None))
    unseen: int = 0
    refuted: int = 0
    overrides: Sequence[tuple[int, str, str]] = ()
    """Time (UTC, ms), table and person of each override."""
    late_duties: int = 0
    calls: int = 0
    failed_calls: int = 0
    shelved: int = 0
    open: Sequence[FoundIncident] = ()


@dataclass(frozen=True, slots=True)
class MonthFigures:
    """Figures of a month."""

    month: Month
    rounds: int
    acknowledged: TimesTaken
    ended: TimesTaken
    stopped_minutes: int
    device_faults: int

    @property
    def faults_per_1000_rounds(self) -> float | None:
        """Irregularities that name a device, per 1,000 rounds; None without rounds."""
        return round(self.device_faults * 1_000 / self.rounds, 2) if self.rounds else None


@dataclass(frozen=True, slots=True)
class Trends:
    """Trends: figures by month, and the number of irregularities by catalog id and month, the most frequent first."""

    months: Sequence[MonthFigures]
    by_catalogue: Sequence[tuple[str, Mapping[Month, int]]]
    by_device: Sequence[tuple[str, str, int, int]]
    """Table, device, number of irregularities, and how many of them were refuted."""


class FigureReader:
    """Queries of the figures."""

    def __init__(self, database: HistoryDatabase) -> None:
        self._database = database

    async def shift(self, tables: Sequence[str], starts_ms: int, ends_ms: int, *, simulated: bool) -> ShiftFigures:
        """Return the figures of the tables with these names from one instant (UTC) to another, which is not part of it.

        Raises:
            StoreError: The database failed.
        """
        made = ShiftFigures()
        own = gaming_table.c.name.in_(tables)
        kind = incident.c.simulated.is_(simulated)
        within = (incident.c.opened_ms >= starts_ms, incident.c.opened_ms < ends_ms, kind)
        async with self._database.reading() as connection:
            irregular = incident.c.kind == "irregularity"
            rows = (await connection.execute(incidents_query().where(own, irregular, *within))).mappings().all()
            made.open = await self._open_at(connection, ends_ms, own, kind)
            late = select(func.count()).select_from(incident.join(gaming_table)).where(
                own, kind, incident.c.overdue_ms >= starts_ms, incident.c.overdue_ms < ends_ms
            )  # fmt: skip
            made.late_duties = (await connection.execute(late)).scalar_one()
            unseen = select(func.count()).select_from(incident.join(gaming_table)).where(
                own, kind, incident.c.unseen.is_(True), incident.c.ended_ms >= starts_ms,
                incident.c.ended_ms < ends_ms,
            )  # fmt: skip
            made.unseen = (await connection.execute(unseen)).scalar_one()
            acts = select(log_row.c.at_ms, gaming_table.c.name, log_row.c.person, log_row.c.kind).join(
                gaming_table, gaming_table.c.id == log_row.c.table_id
            )
            acts = acts.where(
                own, log_row.c.at_ms >= starts_ms, log_row.c.at_ms < ends_ms, log_row.c.simulated.is_(simulated),
                log_row.c.kind.in_(("override", "kp.round_end")),
            )  # fmt: skip
            logged = (await connection.execute(acts)).all()
            calls = select(call.c.delivered).join(gaming_table, gaming_table.c.id == call.c.table_id)
            answers = (
                await connection.execute(calls.where(own, call.c.at_ms >= starts_ms, call.c.at_ms < ends_ms))
            ).scalars()
            # Simulated tables call no one, so that every call was about a real one.
            delivered = [] if simulated else list(answers)
            of_shelf = and_(incident.c.table_id == shelf.c.table_id, incident.c.ref == shelf.c.ref)
            shelved = select(func.count()).select_from(shelf.join(gaming_table).join(incident, of_shelf)).where(
                own, kind, shelf.c.started_ms >= starts_ms, shelf.c.started_ms < ends_ms
            )  # fmt: skip
            made.shelved = (await connection.execute(shelved)).scalar_one()
        made.rounds = sum(row.kind == "kp.round_end" for row in logged)
        made.overrides = [(row.at_ms, row.name, row.person or "") for row in logged if row.kind == "override"]
        made.calls, made.failed_calls = len(delivered), sum(answer is False for answer in delivered)
        made.tables = len({row["table_id"] for row in rows})
        seen, ended = Counter[int](), Counter[int]()
        for row in rows:
            made.by_priority[row["priority"]] += 1
            made.by_catalogue[row["catalogue"]] += 1
            # What happened to it after the end of the shift is of the next one.
            has_ended = row["ended_ms"] is not None and row["ended_ms"] < ends_ms
            made.refuted += has_ended and row["status"] == "refuted"
            if row["acknowledged_ms"] is not None and row["acknowledged_ms"] < ends_ms:
                seen[(row["acknowledged_ms"] - row["opened_ms"]) // 1_000] += 1
            if has_ended:
                ended[(row["ended_ms"] - row["opened_ms"]) // 1_000] += 1
        made.acknowledged, made.ended = times_taken(seen), times_taken(ended)
        return made

    @staticmethod
    async def _open_at(connection: AsyncConnection, at_ms: int, *own: ColumnElement[bool]) -> Sequence[FoundIncident]:
        """Return what was open at an instant, the oldest first. Two queries, since each has an index."""
        found: list[FoundIncident] = []
        for end in (incident.c.ended_ms.is_(None), incident.c.ended_ms >= at_ms):
            query = incidents_query().where(*own, incident.c.opened_ms < at_ms, end)
            found += [found_incident(row) for row in (await connection.execute(query)).mappings()]
        return sorted(found, key=lambda one: (one.incident.opened_ms, one.ident))

    async def trends(self, first: date, last: date, *, clause: str = "", simulated: bool = False) -> Trends:
        """Return the trends of the gaming days from `first` to `last`, of one part of a clause or of all.

        Raises:
            StoreError: The database failed.
        """
        own: list[ColumnElement[bool]] = [
            incident.c.simulated.is_(simulated), incident.c.day >= first, incident.c.day <= last,
            incident.c.kind == "irregularity",
        ]  # fmt: skip
        if clause:
            own.append(incident.c.clauses.contains(clause, autoescape=True))
        month = (extract("year", incident.c.day).label("year"), extract("month", incident.c.day).label("month"))
        stop_ms = case((incident.c.priority == 1, incident.c.ended_ms - incident.c.opened_ms), else_=0)
        async with self._database.reading() as connection:
            by_month = select(
                *month, incident.c.catalogue, func.count().label("number"), func.sum(stop_ms).label("stopped_ms"),
                func.count(incident.c.device).label("devices"),
            )  # fmt: skip
            groups = (
                await connection.execute(by_month.where(*own).group_by("year", "month", incident.c.catalogue))
            ).all()
            seen = await self._seconds(connection, month, own, incident.c.acknowledged_ms)
            ended = await self._seconds(connection, month, own, incident.c.ended_ms)
            day = (extract("year", table_day.c.day).label("year"), extract("month", table_day.c.day).label("month"))
            counted = select(*day, func.sum(table_day.c.rounds).label("rounds")).where(
                table_day.c.simulated.is_(simulated), table_day.c.day >= first, table_day.c.day <= last
            )
            rounds = {
                (int(row.year), int(row.month)): int(row.rounds)
                for row in await connection.execute(counted.group_by("year", "month"))
            }
            refuted = func.sum(case((incident.c.status == "refuted", 1), else_=0))
            # Two tables have each a device of one name.
            named = (gaming_table.c.name, incident.c.device)
            worst = select(*named, func.count().label("number"), refuted.label("refuted")).join(gaming_table)
            worst = worst.where(*own, incident.c.device.is_not(None)).group_by(*named)
            worst = worst.order_by(func.count().desc(), *named).limit(10)
            devices = [
                (row.name, row.device, int(row.number), int(row.refuted)) for row in await connection.execute(worst)
            ]
        months = sorted({(int(row.year), int(row.month)) for row in groups} | rounds.keys())
        catalogue: dict[str, Counter[Month]] = {}
        stopped, faults = Counter[Month](), Counter[Month]()
        for row in groups:
            at = (int(row.year), int(row.month))
            catalogue.setdefault(row.catalogue, Counter())[at] += int(row.number)
            stopped[at] += int(row.stopped_ms or 0)
            faults[at] += int(row.devices)
        return Trends(
            [
                MonthFigures(
                    at, rounds.get(at, 0), times_taken(seen.get(at, {})), times_taken(ended.get(at, {})),
                    stopped[at] // 60_000, faults[at],
                )
                for at in months
            ],
            sorted(catalogue.items(), key=lambda pair: (-sum(pair[1].values()), pair[0])),
            devices,
        )  # fmt: skip

    @staticmethod
    async def _seconds(
        connection: AsyncConnection, month: tuple[ColumnElement[int], ColumnElement[int]],
        own: Sequence[ColumnElement[bool]], until: ColumnElement[int],
    ) -> Mapping[Month, Mapping[int, int]]:  # fmt: skip
        """Return how often each number of seconds from the opening to `until` occurred, by month."""
        seconds = ((until - incident.c.opened_ms) // 1_000).label("seconds")
        query = select(*month, seconds, func.count().label("number")).where(*own, until.is_not(None))
        made: dict[Month, dict[int, int]] = {}
        for row in await connection.execute(query.group_by("year", "month", "seconds")):
            made.setdefault((int(row.year), int(row.month)), {})[int(row.seconds)] = int(row.number)
        return made
