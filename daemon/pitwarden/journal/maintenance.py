"""Hourly integrity check, age and size limits.

A journal looked at while it is written: SQLite's whole check, in a thread and through a connection of its own.

Which rows of a journal are old: rows stand in the order of their time, so a few looks find the place.

A journal is looked at whole once an hour, and what is old goes; a damaged one is left as it is: it is evidence.
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
from pitwarden.system.tasks import run_hourly

_SOON_S: Final = 0.001

_log = structlog.get_logger()


class InspectedJournal(Protocol):
    """Journal that can be checked while it is written."""

    async def inspect(self) -> None:
        """Check the file; JournalDamagedError when it is damaged now."""
        ...


class DamageHandler(Protocol):
    """Faults of a half, as far as the inspection of its journal finds them."""

    def damaged(self, reason: str) -> None:
        """Handle damage that was found while the service runs."""
        ...


class IntegrityInspector:
    """Checks `journal` from time to time and reports damage to `handler`, once."""

    def __init__(self, journal: InspectedJournal, handler: DamageHandler) -> None:
        self._journal, self._handler = journal, handler
        self._damaged = False

    async def sound(self) -> bool:
        """Whether the file is sound now."""
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
    """JournalDamagedError when damage is found now, which is then noted for the next start, or was seen before.

    What cannot be looked at just now is not called damage. Cancelled, it ends at once.
    """
    try:
        sql = _connected(path)
    except sqlite3.OperationalError as error:
        _condemn(path, _reason(path, error))
        return
    worker, over = JournalThread("journal-inspection"), Event()
    try:
        await worker.run(lambda: _inspect(path, sql, over))
    finally:
        while not over.wait(_SOON_S):
            sql.interrupt()  # again and again: before the check has begun it does nothing
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
    _condemn(path, reason)


def _reason(path: Path, error: sqlite3.DatabaseError) -> str:
    """What `error` finds wrong with the file; empty for one that is locked or gone, and for an interruption."""
    return f"{path}: {error}" if classify_error(error) is JournalDamagedError else ""


def _condemn(path: Path, reason: str) -> None:
    if reason:
        mark_damaged(path, reason)
        raise JournalDamagedError(reason)


def _found(path: Path, sql: sqlite3.Connection) -> str:
    said = str(sql.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if said == "ok" else f"{path}: {said.splitlines()[-1]}"


_SHARE: Final = 4
"""Of a journal that takes too much room, this part goes: one of so many."""


def last_older_than(sql: sqlite3.Connection, query: str, first: int, last: int, before: str) -> int:
    """The last place from `first` to `last` whose row is older than `before` (RFC 3339 in UTC); `first` - 1 for none.

    `query` gives the body of the row at a place, as its one parameter.
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
    """The last place of the oldest quarter when the journal holds more than `most_bytes` (0: no limit)."""
    pages, free, size = (
        sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    too_much = most_bytes and (pages - free) * size > most_bytes
    return first + (last - first) // _SHARE if too_much else first - 1


def _time(sql: sqlite3.Connection, query: str, place: int) -> str:
    found = sql.execute(query, (place,)).fetchone()
    return row_time(found[0]) if found else ""


def row_time(body: bytes) -> str:
    """The time of a row; empty for what nobody can read, which keeps nothing back."""
    try:
        return str(json.loads(body)["time"])
    except (ValueError, KeyError, TypeError):
        return ""


class MaintenanceJob(ABC):
    """Of one journal; the first round comes `first_s` seconds after the start."""

    def __init__(self, inspector: IntegrityInspector, first_s: float) -> None:
        self._inspector, self._first_s = inspector, first_s

    async def run(self) -> Never:
        """Works, for ever."""
        await run_hourly(self._first_s, self.once)

    async def once(self) -> None:
        """One round: look, then trim. What the journal refuses just now is trimmed in a later one."""
        if not await self._inspector.sound():
            return
        with suppress(*TEMPORARY_ERRORS):
            await self._trim()

    @abstractmethod
    async def _trim(self) -> None:
        """Lets go what is old; a refusal of the journal's may be raised."""
