"""A journal looked at while it is written: SQLite's whole check, in a thread and through a connection of its own."""

import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from typing import Final

import structlog

from pitwarden.journal.database import kind_of
from pitwarden.journal.faults import JournalDamagedError
from pitwarden.journal.seen import note, noted
from pitwarden.journal.worker import Worker

_SOON_S: Final = 0.001

_log = structlog.get_logger()


class Inspector:
    """Looks at one journal from time to time; `on_damage` hears once what was found. `look`: see `inspect`."""

    def __init__(self, look: Callable[[], Awaitable[None]], on_damage: Callable[[str], None]) -> None:
        self._look, self._on_damage = look, on_damage
        self._damaged = False

    async def sound(self) -> bool:
        """Whether the file is sound now."""
        try:
            await self._look()
        except JournalDamagedError as error:
            if not self._damaged:
                self._damaged = True
                _log.error("journal damaged", reason=str(error))
                self._on_damage(str(error))
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
