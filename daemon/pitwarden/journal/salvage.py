"""Recovery of the readable rows of a damaged journal into a new one, for `journal verify`, `export` and `replay`.

A row is taken when its bytes have the hash that was stored with them, so nothing is invented, and missing rows are
visible as gaps. The damaged file is only read. An unreadable page costs only the rows on it.
"""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.journal.database import Database
from pitwarden.journal.errors import JournalError
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.sqlite_pages import SqlitePages, SqliteRecord, Value, open_pages, read_records
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import EpochOpened

FIELD, JUDGE = "field.sqlite", "judge.sqlite"
# Rows written in one transaction, which bounds what is in memory.
_BATCH: Final = 1_000
_NAMED: Final = 8  # most unreadable pages that are named; all are counted


@dataclass(frozen=True, slots=True)
class SalvageResult:
    """Result of a salvage: the new folder, and the number of `rows` of a log, `received` rows and `outputs` of a judge.

    `unreadable` names what the medium did not return: pages, counted from 1, and frames of the write-ahead log.
    """

    folder: Path
    rows: int = 0
    received: int = 0
    outputs: int = 0
    unreadable: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the result as a sentence."""
        counted = ((self.rows, "rows"), (self.received, "received rows"), (self.outputs, "outputs"))
        said = ", ".join(f"{count} {what}" for count, what in counted if count)
        found = f"{said} could be read and stand in {self.folder}" if said else "no row could be read"
        return f"{found}; {_counted(self.unreadable)}" if self.unreadable else found


def salvage(damaged: Path, folder: Path, cancelled: Callable[[], bool] = lambda: False) -> SalvageResult:
    """Write the readable rows of `damaged` to new journals in `folder`, which must not exist. Blocks.

    Raises:
        OSError: The folder cannot be created, the file cannot be opened, or `cancelled` returned True
            (InterruptedError).
        JournalError: The new journals cannot be written.
    """
    folder.mkdir(mode=0o700)
    try:
        return _salvage(damaged, folder, cancelled)
    except (OSError, JournalError):
        shutil.rmtree(folder)
        raise


def _salvage(damaged: Path, folder: Path, cancelled: Callable[[], bool]) -> SalvageResult:
    counts = {"row": 0, "received": 0, "output": 0}
    waiting: dict[str, list[SqliteRecord]] = {table: [] for table in counts}
    log = FieldStore(folder / FIELD)
    judge = JudgeStore(folder / JUDGE)
    with open_pages(damaged) as pages:
        for table, record in _true_rows(pages, cancelled):
            waiting[table].append(record)
            if len(waiting[table]) >= _BATCH:
                counts[table] += _put(log.database if table == "row" else judge.database, table, waiting[table])
                waiting[table].clear()
    for table, left in waiting.items():
        counts[table] += _put(log.database if table == "row" else judge.database, table, left)
    log.close()
    judge.close()
    for name, any_ in ((FIELD, counts["row"]), (JUDGE, counts["received"] + counts["output"])):
        # The result is evidence to be copied, and an empty journal of the other half would be taken for a lost one.
        (folder / f"{name}.lock").unlink()
        if not any_:
            (folder / name).unlink()
    return SalvageResult(folder, counts["row"], counts["received"], counts["output"], tuple(pages.unreadable))


def _counted(unreadable: Sequence[str]) -> str:
    more = f" and {len(unreadable) - _NAMED} more" if len(unreadable) > _NAMED else ""
    return f"pages that cannot be read: {len(unreadable)} ({', '.join(unreadable[:_NAMED])}{more})"


def _true_rows(pages: SqlitePages, cancelled: Callable[[], bool]) -> Iterator[tuple[str, SqliteRecord]]:
    for page, start in pages.all():
        if cancelled():
            raise InterruptedError("the service stops")
        for record in read_records(page, start, pages):
            table = _table_of(record)
            if table:
                yield table, record


def _table_of(record: SqliteRecord) -> str:
    """Return the table that `record` is an unchanged row of; empty for no table, and for changed bytes."""
    match record.values:
        case (None, int(), int(), str(held), str(), str(), bytes(body)):
            table = "row"
        case (None, str(), str(), int(), str(held), int(), bytes(body)):
            table = "received"
        case (str(), int(), str(), int(), int(), str(held), str(), bytes(body)):
            table = "output"
        case _:
            return ""
    return table if digest(body) == held else ""


def _put(database: Database, table: str, found: Iterable[SqliteRecord]) -> int:
    """Write the records that are not stored yet, and return how many."""
    with database.transaction() as sql:
        return sum(_PUT[table](sql, record) for record in found)


def _put_row(sql: sqlite3.Connection, record: SqliteRecord) -> int:
    _, _, number, held, prevhash, topic, body = record.values
    epoch = _epoch_of(body)
    if epoch is None:
        return 0
    parent, opened = _opening(body)
    sql.execute("INSERT OR IGNORE INTO epoch VALUES (NULL, ?, ?, NULL, NULL, NULL)", (epoch, record.rowid))
    if opened:
        sql.execute(
            "UPDATE epoch SET first_place = ?, parent_epoch = ?, parent_number = ?, parent_hash = ? WHERE name = ?",
            (record.rowid, *parent, epoch),
        )
    return sql.execute(
        "INSERT OR IGNORE INTO row SELECT ?, id, ?, ?, ?, ?, ? FROM epoch WHERE name = ?",
        (record.rowid, number, held, prevhash, topic, body, epoch),
    ).rowcount


def _put_received(sql: sqlite3.Connection, record: SqliteRecord) -> int:
    _, *rest = record.values
    sql.execute("INSERT OR IGNORE INTO followed VALUES (NULL, ?, ?)", (rest[0], rest[1]))
    return sql.execute("INSERT OR IGNORE INTO received VALUES (?, ?, ?, ?, ?, ?, ?)", (record.rowid, *rest)).rowcount


def _put_output(sql: sqlite3.Connection, record: SqliteRecord) -> int:
    return sql.execute("INSERT OR IGNORE INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)", record.values).rowcount


_PUT: Final = {"row": _put_row, "received": _put_received, "output": _put_output}


def _epoch_of(body: Value) -> str | None:
    """Return the epoch that a row's bytes name. The row may be of a later version, so it is not decoded."""
    try:
        found = json.loads(body if isinstance(body, bytes) else b"")
    except ValueError:
        return None
    epoch = found.get("epoch") if isinstance(found, dict) else None
    return epoch if isinstance(epoch, str) else None


def _opening(body: Value) -> tuple[tuple[str | int | None, ...], bool]:
    """Return the parent that an epoch opening names, and whether `body` is one."""
    nothing = (None, None, None)
    if not isinstance(body, bytes) or b'"kind":"epoch.opened"' not in body:
        return nothing, False
    try:
        data = decode(LogEvent, body).data
    except BadPayloadError:
        return nothing, False
    if not isinstance(data, EpochOpened):
        return nothing, False
    parent = data.parent
    return (nothing if parent is None else (parent.at.epoch, parent.at.number, parent.hash)), True
