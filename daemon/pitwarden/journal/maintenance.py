"""Hourly integrity check, and age and size limits, of a journal that is being written.

SQLite's complete check runs in a thread of its own, through a read-only connection of its own. A damaged journal is not
trimmed: it is evidence. Rows are in the order of their time, so a binary search finds the last old one.
"""

import json
import sqlite3
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Final, Never, Protocol

import structlog

from pitwarden.journal.damage import damage_marker, mark_damaged
from pitwarden.journal.database import classify_error
from pitwarden.journal.errors import TEMPORARY_ERRORS, JournalDamagedError
from pitwarden.journal.group_commit import JournalThread
from pitwarden.system.clock import DAY_MS, UtcReading
from pitwarden.system.tasks import run_hourly
from pitwarden_client.events.envelope import rfc3339

# Seconds between two attempts to interrupt a check that was given up.
_SOON_S: Final = 0.001

_log = structlog.get_logger()


class InspectedJournal(Protocol):
    """Journal that can be checked while it is written."""

    async def inspect(self) -> None:
        """Check the file.

        Raises:
            JournalDamagedError: The file is damaged now.
        """
        ...


class DamageHandler(Protocol):
    """Faults of a half, as far as the inspection of its journal finds them."""

    def damaged(self, reason: str) -> None:
        """Handle damage that was found while the service runs."""
        ...


class IntegrityInspector:
    """Check of one journal, repeated by a maintenance job. Damage is reported to the handler once."""

    def __init__(self, journal: InspectedJournal, handler: DamageHandler) -> None:
        self._journal, self._handler = journal, handler
        self._damaged = False

    async def sound(self) -> bool:
        """Return whether the file is sound now."""
        try:
            await self._journal.inspect()
        except JournalDamagedError as error:
            if not self._damaged:
                self._damaged = True
                _log.error("journal damaged", reason=str(error))
                self._handler.damaged(str(error))
            return False
        return True


async def check_integrity(path: Path) -> None:
    """Check the journal at `path` while another connection writes to it.

    A file that cannot be read at the moment is not called damaged. A cancelled check ends at once.

    Raises:
        JournalDamagedError: Damage is found now, and marked for the next start; or an earlier check has marked it.
    """
    try:
        sql = _connected(path)
    except sqlite3.OperationalError as error:
        _raise_damage(path, _reason(path, error))
        return
    # A thread of its own: the check reads the complete file, and the journal's thread must commit meanwhile.
    worker, over = JournalThread("journal-inspection"), Event()
    try:
        await worker.run(lambda: _inspect(path, sql, over))
    finally:
        while not over.wait(_SOON_S):
            sql.interrupt()  # repeated: before the check has begun it has no effect
        worker.stop()
        sql.close()


def _connected(path: Path) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=1, check_same_thread=False)


def _inspect(path: Path, sql: sqlite3.Connection, over: Event) -> None:
    try:
        reason = damage_marker(path) or _found(path, sql)
    except sqlite3.DatabaseError as error:
        reason = _reason(path, error)
    finally:
        over.set()
    _raise_damage(path, reason)


def _reason(path: Path, error: sqlite3.DatabaseError) -> str:
    """Return the damage that `error` reports; empty for a file that is locked or missing, and for an interruption."""
    return f"{path}: {error}" if classify_error(error) is JournalDamagedError else ""


def _raise_damage(path: Path, reason: str) -> None:
    if reason:
        mark_damaged(path, reason)
        raise JournalDamagedError(reason)


def _found(path: Path, sql: sqlite3.Connection) -> str:
    said = str(sql.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if said == "ok" else f"{path}: {said.splitlines()[-1]}"


_SHARE: Final = 4
"""Divisor of the number of rows: this part of a journal above its size limit is trimmed at once."""


def last_older_than(sql: sqlite3.Connection, query: str, first: int, last: int, before: str) -> int:
    """Return the last place whose row is older than `before`; `first` - 1 for none.

    Args:
        sql: Connection to the journal.
        query: Selects the body of the row at a place, its only parameter.
        first: Oldest stored place.
        last: Newest stored place.
        before: UTC time in RFC 3339.
    """
    low, high = first - 1, last
    while low < high:
        middle = (low + high + 1) // 2
        if _time(sql, query, middle) < before:
            low = middle
        else:
            high = middle - 1
    return low


def last_beyond_size(sql: sqlite3.Connection, first: int, last: int, most_bytes: int) -> int:
    """Return the last place of the oldest quarter of a journal above `most_bytes` (0: no limit); else `first` - 1."""
    pages, free, size = (
        sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    too_much = most_bytes and (pages - free) * size > most_bytes
    return first + (last - first) // _SHARE if too_much else first - 1


def _time(sql: sqlite3.Connection, query: str, place: int) -> str:
    found = sql.execute(query, (place,)).fetchone()
    return row_time(found[0]) if found else ""


def row_time(body: bytes) -> str:
    """Return the UTC time of a row; empty for an unreadable row, which then prevents no trimming."""
    try:
        return str(json.loads(body)["time"])
    except (ValueError, KeyError, TypeError):
        return ""


class MaintenanceJob(ABC):
    """Hourly maintenance of one journal. The first run is `first_s` seconds after the start."""

    def __init__(self, inspector: IntegrityInspector, first_s: float) -> None:
        self._inspector, self._first_s = inspector, first_s

    async def run(self) -> Never:
        """Run until cancelled."""
        await run_hourly(self._first_s, self.once)

    async def once(self) -> None:
        """Check the journal, then trim it. What the journal cannot delete at the moment is trimmed by a later run."""
        if not await self._inspector.sound():
            return
        with suppress(*TEMPORARY_ERRORS):
            await self._trim()

    @abstractmethod
    async def _trim(self) -> None:
        """Delete old rows. A temporary error of the journal may be raised."""


def oldest_kept(utc: UtcReading, days: int) -> str:
    """Return the time, as in a row, before which rows are old enough to be trimmed.

    It is 1970 while the clock is not synchronized: a receiver whose week number has rolled over, or a board without a
    battery, must not make evidence seem years old.
    """
    return rfc3339(max(0, utc.utc_ms - days * DAY_MS) if utc.synchronised else 0)
