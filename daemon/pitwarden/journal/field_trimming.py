"""Which rows of the field half's journal may go, and the signed checkpoints that stand in their place."""

import sqlite3

from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head

from pitwarden.journal.age import beyond_size, older_than
from pitwarden.journal.field_answers import forget
from pitwarden.journal.field_schema import ROWS, stored
from pitwarden.journal.rows import Checkpoint, StoredRow


def checkpoints(sql: sqlite3.Connection) -> list[Checkpoint]:
    """The signed checkpoints, oldest first."""
    found = sql.execute(
        "SELECT place, epoch, number, hash, mark, signer, signature FROM checkpoint ORDER BY place"
    ).fetchall()
    return [
        Checkpoint(place, Head(at=Position(epoch=epoch, number=number), hash=held), mark, signer, signature)
        for place, epoch, number, held, mark, signer, signature in found
    ]


def put_checkpoint(sql: sqlite3.Connection, checkpoint: Checkpoint) -> None:
    """Stores a checkpoint."""
    if checkpoint.mark != "closed":  # an epoch's end stays; of the others the newest says all
        sql.execute("DELETE FROM checkpoint WHERE mark = ?", (checkpoint.mark,))
    at = checkpoint.head.at
    sql.execute(
        "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?)",
        (checkpoint.place, at.epoch, at.number, checkpoint.head.hash, checkpoint.mark, checkpoint.signer,
         checkpoint.signature),
    )  # fmt: skip


def last_to_go(sql: sqlite3.Connection, kept_by_all: int, before: str, most_bytes: int) -> StoredRow | None:
    """See `FieldStore.last_to_go`; `kept_by_all`: the place up to which all consumers have stored the log."""
    first, last = sql.execute("SELECT coalesce(min(place), 1), coalesce(max(place), 0) FROM row").fetchone()
    old = older_than(sql, "SELECT body FROM row WHERE place = ?", first, last, before)
    limit = min(kept_by_all, max(old, beyond_size(sql, first, last, most_bytes)))
    key = sql.execute(
        "SELECT max(place) FROM row WHERE place BETWEEN ? AND ? AND instr(body, ?)",
        (first + 1, limit + 1, b'"kind":"key.announced"'),
    ).fetchone()[0]
    found = sql.execute(f"{ROWS} WHERE place = ?", (0 if key is None else key - 1,)).fetchone()
    return None if found is None else stored(found)


def trim(sql: sqlite3.Connection, checkpoint: Checkpoint) -> int:
    """Deletes all rows up to the `checkpoint`, and the answers that they were; stores it; how many rows that were."""
    put_checkpoint(sql, checkpoint)
    forget(sql, checkpoint.place)
    return sql.execute("DELETE FROM row WHERE place <= ?", (checkpoint.place,)).rowcount
