"""Pages of the history: search, the report on an incident, and the check of a table's record."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from pitwarden_console.clock import ConsoleClock
from pitwarden_console.site_time import SiteTime, duration
from pitwarden_console.store.chain_check import ChainReport, check_chains
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.history import FoundPage, HistoryReader, HistorySearch, IncidentRecord

STATUSES: Final = ("open", "acknowledged", "cleared", "refuted", "withdrawn", "due", "overdue", "done")
# Characters of a search field. The longest name of a table or a person is shorter.
MAX_TEXT: Final = 100
MAX_CHECKED_DAYS: Final = 31
"""Number of gaming days in one check: a month of a busy table is 1.6 GB, a minute of reading."""
_CSV_FORMULA: Final = ("=", "+", "-", "@", "\t")


class QueryError(Exception):
    """A query has a value that cannot be read. Policy: answer with status 400 and the sentence, for its author.

    Example: `?first=28.11.2026`; a day is written as 2026-11-28.
    """


class HistoryPages:
    """Values of the pages, from queries in addresses."""

    def __init__(self, database: HistoryDatabase, time: SiteTime, clock: ConsoleClock) -> None:
        self._database, self._time, self._clock = database, time, clock
        self._reader = HistoryReader(database)

    async def search_page(self, query: QueryParams) -> Mapping[str, object]:
        """Return the values of a search.

        Raises:
            QueryError: A value cannot be read.
            StoreError: The database failed.
        """
        wanted = self._wanted(query)
        page = await self._reader.search(wanted)
        tables = await self._reader.tables()
        return {
            "wanted": wanted,
            "page": page,
            "tables": [name for _, _, name in tables],
            "statuses": STATUSES,
            "more": self._next(query, page),
            "csv_address": f"/history.csv?{urlencode(dict(query))}",
        }

    async def search_csv(self, query: QueryParams) -> str:
        """Return all hits of a search as CSV, up to the number that is counted.

        Raises:
            QueryError: A value cannot be read.
            StoreError: The database failed.
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(
            ("opened_utc", "opened_local", "table", "catalogue", "verdicts", "priority", "status", "acknowledged_utc",
             "acknowledged_by", "ended_utc", "ended_by", "clauses", "sentence", "simulated")
        )  # fmt: skip
        wanted = self._wanted(query)
        after = None
        for _ in range(20):  # the pages of MAX_COUNT
            page = await self._reader.search(_at(wanted, after))
            for found in page.found:
                one = found.incident
                writer.writerow(
                    _cell(value)
                    for value in (
                        self._time.utc(one.opened_ms), self._time.moment(one.opened_ms), found.table,
                        one.catalogue,
                        " ".join(one.verdicts), one.priority, one.status, self._utc(one.acknowledged_ms),
                        one.acknowledged_by,
                        self._utc(one.ended_ms), one.ended_by, ", ".join(one.clauses), one.sentence,
                        "SIMULATED" if one.simulated else "",
                    )
                )  # fmt: skip
            after = page.more
            if after is None:
                break
        return out.getvalue()

    async def record(self, site: str, name: str, ref: str) -> IncidentRecord | None:
        """Return everything about an incident; None when it is not stored.

        Raises:
            StoreError: The database failed.
        """
        return await self._reader.record(site, name, ref)

    async def report_page(self, record: IncidentRecord) -> Mapping[str, object]:
        """Return the values of the report on an incident.

        Raises:
            StoreError: The database failed.
        """
        one = record.found.incident
        day = self._time.gaming_day(one.opened_ms)
        last = max(day, self._time.gaming_day(one.ended_ms or one.opened_ms))
        chains = await check_chains(self._database, record.found.table_id, day, last)
        return {
            "record": record,
            "one": one,
            "opened_day": day,
            "open_for": duration((one.ended_ms or self._clock.utc_ms()) - one.opened_ms),
            "seen_after": None if one.acknowledged_ms is None else duration(one.acknowledged_ms - one.opened_ms),
            "details": _details(record),
            "chains_reports": chains,
            "texts": _texts,
        }

    async def check_page(self, query: QueryParams) -> Mapping[str, object]:
        """Return the values of the page that checks a record; without a table it only asks for one.

        Raises:
            QueryError: A value cannot be read, or the range is too long.
            StoreError: The database failed.
        """
        tables = await self._reader.tables()
        first, last = self._days(query)
        wanted = query.get("table", "")
        found = next((ident for ident, _, name in tables if name == wanted), None)
        reports: Sequence[ChainReport] = ()
        if found is not None:
            if (last - first).days >= MAX_CHECKED_DAYS:
                raise QueryError(f"Check at most {MAX_CHECKED_DAYS} days at once.")
            reports = await check_chains(self._database, found, first, last)
        return {
            "tables": [name for _, _, name in tables], "table": wanted, "first": first, "last": last,
            "reports": reports,
        }  # fmt: skip

    def _wanted(self, query: QueryParams) -> HistorySearch:
        first, last = self._days(query)
        texts = {
            name: query.get(name, "").strip()[:MAX_TEXT]
            for name in ("table", "catalogue", "clause", "person", "device")
        }
        status = query.get("status", "")
        if status and status not in STATUSES:
            raise QueryError("There is no such status.")
        return HistorySearch(
            first, last, **texts, status=status, unacknowledged=query.get("unacknowledged") == "yes",
            simulated=query.get("simulated") == "yes", after=_after(query.get("after", "")),
        )  # fmt: skip

    def _days(self, query: QueryParams) -> tuple[date, date]:
        today = self._time.gaming_day(self._clock.utc_ms())
        first = day_of(query.get("first", ""), today)
        last = day_of(query.get("last", ""), max(first, today) if query.get("first") else first)
        if last < first:
            raise QueryError("The last day is before the first.")
        return first, last

    def _next(self, query: QueryParams, page: FoundPage) -> str | None:
        if page.more is None:
            return None
        return f"/history?{urlencode({**query, 'after': f'{page.more[0]}.{page.more[1]}'})}"

    def _utc(self, utc_ms: int | None) -> str:
        return "" if utc_ms is None else self._time.utc(utc_ms)


def _at(wanted: HistorySearch, after: tuple[int, int] | None) -> HistorySearch:
    return HistorySearch(
        wanted.first, wanted.last, wanted.table, wanted.catalogue, wanted.clause, wanted.person, wanted.device,
        wanted.status, wanted.unacknowledged, wanted.simulated, after,
    )  # fmt: skip


def day_of(text: str, default: date) -> date:
    """Return the day that `text` names, or `default` for an empty one; QueryError for what is no day."""
    if not text:
        return default
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise QueryError("A day is written as 2026-11-28.") from None


def _after(text: str) -> tuple[int, int] | None:
    opened, _, ident = text.partition(".")
    return (int(opened), int(ident)) if opened.isdigit() and ident.isdigit() and len(text) < MAX_TEXT else None


def _cell(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_CSV_FORMULA) else text


def _details(record: IncidentRecord) -> Mapping[str, object]:
    """Return the data of the newest output of an incident, as published."""
    if not record.outputs:
        return {}
    made: dict[str, object] = json.loads(record.outputs[-1]["body"])
    data = made.get("data")
    return {**made, **data} if isinstance(data, dict) else made


def _texts(body: bytes) -> str:
    """Return the exact bytes of a row or an output as text: both are UTF-8."""
    return body.decode("utf-8", errors="replace")
