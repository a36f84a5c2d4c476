"""A journal looked at while it is written: SQLite's whole check, in a thread and through a connection of its own."""

import contextlib
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from pitwarden.journal.faults import JournalDamagedError
from pitwarden.journal.seen import note, noted
from pitwarden.journal.worker import Worker

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

    What cannot be looked at just now is not called damage.
    """
    worker = Worker("journal-inspection")
    try:
        await worker.run(lambda: _inspect(path))
    finally:
        worker.stop()


def _inspect(path: Path) -> None:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=1)) as sql:
            reason = noted(path) or _found(path, sql)
    except sqlite3.OperationalError:
        return  # locked, or gone: whoever writes it says that
    except sqlite3.DatabaseError as error:
        reason = f"{path}: {error}"
    if reason:
        note(path, reason)
        raise JournalDamagedError(reason)


def _found(path: Path, sql: sqlite3.Connection) -> str:
    said = str(sql.execute("PRAGMA quick_check(1)").fetchone()[0])
    return "" if said == "ok" else f"{path}: {said.splitlines()[-1]}"
