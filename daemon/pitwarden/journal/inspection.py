"""A journal looked at while it is written: SQLite's whole check, in a thread and through a connection of its own."""

import sqlite3
from pathlib import Path
from threading import Event
from typing import Final, Protocol

import structlog

from pitwarden.journal.database import kind_of
from pitwarden.journal.faults import JournalDamagedError
from pitwarden.journal.seen import note, noted
from pitwarden.journal.worker import Worker

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


class Inspector:
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


async def inspect(path: Path) -> None:
    """JournalDamagedError when damage is found now, which is then noted for the next start, or was seen before.

    What cannot be looked at just now is not called damage. Cancelled, it ends at once.
    """
    try:
        sql = _connected(path)
    except sqlite3.OperationalError as error:
        _condemn(path, _reason(path, error))
        return
    worker, over = Worker("journal-inspection"), Event()
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
        reason = noted(path) or _found(path, sql)
    except sqlite3.DatabaseError as error:
        reason = _reason(path, error)
    finally:
        over.set()
    _condemn(path, reason)


def _reason(path: Path, error: sqlite3.DatabaseError) -> str:
    """What `error` finds wrong with the file; empty for one that is locked or gone, and for an interruption."""
    return f"{path}: {error}" if kind_of(error) is JournalDamagedError else ""


def _condemn(path: Path, reason: str) -> None:
    if reason:
        note(path, reason)
        raise JournalDamagedError(reason)


def _found(path: Path, sql: sqlite3.Connection) -> str:
    said = str(sql.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if said == "ok" else f"{path}: {said.splitlines()[-1]}"
