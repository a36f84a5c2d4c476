"""A journal looked at while it is written: SQLite's whole check, in a thread and through a connection of its own."""

import contextlib
import sqlite3
from pathlib import Path

from pitwarden.journal.faults import JournalDamagedError
from pitwarden.journal.worker import Worker


async def inspect(path: Path) -> None:
    """JournalDamagedError when the file is damaged; what cannot be looked at just now is not called damage."""
    worker = Worker("journal-inspection")
    try:
        await worker.run(lambda: _inspect(path))
    finally:
        worker.stop()


def _inspect(path: Path) -> None:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=1)) as sql:
            found = str(sql.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.OperationalError:
        return  # locked, or gone: whoever writes it says that
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found != "ok":
        raise JournalDamagedError(f"{path}: {found.splitlines()[-1]}")
