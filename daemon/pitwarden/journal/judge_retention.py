"""SQL of the retention of a judge's record: which rows and outputs may be deleted, and their deletion.

A row may go when a snapshot covers it. Outputs that the broker has not acknowledged stay, and so does the last one. All
calls block.
"""

import sqlite3
from typing import Final

from pitwarden.journal.maintenance import row_time
from pitwarden.journal.records import JudgeCheckpoint
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head

KEY_ROW: Final = b'"kind":"key.announced"'
_OLDEST_SNAPSHOT: Final = """
SELECT min(r.place) FROM snapshot s JOIN received r ON r.tbl = s.tbl AND r.epoch = s.epoch AND r.number = s.number
  WHERE s.tbl = :t
"""
# CROSS JOIN fixes the order, from the deleted rows to their outputs: the other order scans every stored output.
_OLD_OUTPUTS: Final = """
DELETE FROM output WHERE rowid IN (
    SELECT o.rowid FROM received r CROSS JOIN output o ON o.tbl = r.tbl AND o.epoch = r.epoch AND o.number = r.number
      WHERE r.tbl = :t AND r.place <= :p)
  AND seq <= (SELECT seq FROM published WHERE tbl = :t) AND seq < (SELECT max(seq) FROM output WHERE tbl = :t)
"""


def judge_trim_boundary(sql: sqlite3.Connection, table: str, before: str) -> Head | None:
    """Return the newest row that may be trimmed, or None; see `JudgeStore.trim_boundary`."""
    kept = sql.execute(_OLDEST_SNAPSHOT, {"t": table}).fetchone()[0]
    rows = sql.execute(
        "SELECT place, epoch, number, hash, body FROM received WHERE tbl = ? AND place <= ? ORDER BY place",
        (table, 0 if kept is None else kept),
    )
    last: Head | None = None
    previous: Head | None = None
    for _, epoch, number, held, body in rows:
        if KEY_ROW in body:
            last = previous
        if row_time(body) >= before:
            break
        previous = Head(at=Position(epoch=epoch, number=number), hash=held)
    return last


def trim_judge(sql: sqlite3.Connection, table: str, checkpoint: JudgeCheckpoint) -> int:
    """Delete the rows up to `checkpoint` and the outputs that they caused; see `JudgeStore.trim`."""
    at = checkpoint.head.at
    place = sql.execute(
        "SELECT place FROM received WHERE tbl = ? AND epoch = ? AND number = ?", (table, at.epoch, at.number)
    ).fetchone()
    if place is None:
        return 0
    sql.execute(_OLD_OUTPUTS, {"t": table, "p": place[0]})
    gone = sql.execute("DELETE FROM received WHERE tbl = ? AND place <= ?", (table, place[0])).rowcount
    words = (at.epoch, str(at.number), checkpoint.head.hash, checkpoint.signer, checkpoint.signature)
    sql.execute("INSERT OR REPLACE INTO meta VALUES (?, 'trimmed', ?)", (table, " ".join(words)))
    return gone
