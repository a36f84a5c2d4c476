"""SQL of the judge's journal: received rows, outputs, positions, snapshots, for many tables.

All calls block.
"""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from pitwarden.journal.database import BUSY_MS, Database
from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalOrderError
from pitwarden.journal.judge_retention import judge_trim_boundary, trim_judge
from pitwarden.journal.records import (
    JudgeCheckpoint,
    OutputHead,
    ReceivedRow,
    SealedSnapshot,
    StoredOutput,
)
from pitwarden.journal.signatures import PastVerdict, RecordSigner
from pitwarden.journal.stored_signatures import put_record_signature, record_past, set_aside_record
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head

APPLICATION: Final = 0x70774A31  # "pwJ1"
SCHEMA: Final = """
CREATE TABLE received (
  place INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL,
  damaged INTEGER NOT NULL, body BLOB NOT NULL, UNIQUE (tbl, epoch, number)) STRICT;
CREATE INDEX received_in_order ON received (tbl, place);
CREATE TABLE output (
  tbl TEXT, seq INTEGER, epoch TEXT NOT NULL, number INTEGER NOT NULL, idx INTEGER NOT NULL, hash TEXT NOT NULL,
  topic TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (tbl, seq)) STRICT;
CREATE INDEX output_by_cause ON output (tbl, epoch, number, idx);
CREATE TABLE published (tbl TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE position (
  tbl TEXT PRIMARY KEY, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE followed (id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, UNIQUE (tbl, epoch)) STRICT;
CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, rules TEXT NOT NULL,
  profile TEXT NOT NULL, box BLOB NOT NULL) STRICT;
CREATE TABLE meta (tbl TEXT, name TEXT, value TEXT NOT NULL, PRIMARY KEY (tbl, name)) STRICT, WITHOUT ROWID;
"""
# SQLite uses a partial index only where a query repeats its condition literally.
ADDED: Final = """
CREATE INDEX IF NOT EXISTS received_keys ON received (tbl, place) WHERE instr(body, '"kind":"key.announced"') > 0;
CREATE TABLE IF NOT EXISTS signed (
  tbl TEXT PRIMARY KEY, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL, seq INTEGER NOT NULL,
  outputhash TEXT NOT NULL, signer TEXT NOT NULL, signature TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
# A whole page in one query: a query for each row was most of a long recovery's time. CROSS JOIN fixes the order, from
# the rows to their outputs.
_OUTPUTS_OF: Final = """
SELECT o.seq, o.epoch, o.number, o.idx, o.hash, o.topic, o.body FROM received r
  CROSS JOIN output o ON o.tbl = r.tbl AND o.epoch = r.epoch AND o.number = r.number
  WHERE r.tbl = :t
    AND r.place BETWEEN (SELECT place FROM received WHERE tbl = :t AND epoch = :e1 AND number = :n1)
                    AND (SELECT place FROM received WHERE tbl = :t AND epoch = :e2 AND number = :n2)
  ORDER BY r.place, o.idx
"""
CHECKED_ROWS: Final = 1_000  # newest rows and outputs that each start hashes again
# Snapshots kept for each table. An older one serves where the newest belongs to other rules or does not open.
KEPT_SNAPSHOTS: Final = 3
_KEY_ROWS: Final = """
SELECT hash, body FROM received WHERE tbl = ? AND instr(body, '"kind":"key.announced"') > 0 ORDER BY place
"""
_LAST_BODIES: Final = (
    "SELECT hash, body FROM received ORDER BY place DESC LIMIT ?",
    "SELECT hash, body FROM output ORDER BY rowid DESC LIMIT ?",
)
_ROWS_AFTER: Final = """
SELECT epoch, number, hash, body, damaged FROM received WHERE tbl = :t AND place > CASE WHEN :e IS NULL THEN 0
  ELSE (SELECT place FROM received WHERE tbl = :t AND epoch = :e AND number = :n) END ORDER BY place LIMIT :l
"""


def last_output(sql: sqlite3.Connection, table: str) -> OutputHead | None:
    """Return the head of the table's output chain; None when it has no output yet."""
    found = sql.execute("SELECT seq, hash FROM output WHERE tbl = ? ORDER BY seq DESC LIMIT 1", (table,)).fetchone()
    return None if found is None else OutputHead(*found)


class JudgeStore:
    """Open record file. A table's name is the caller's choice, and stays the same."""

    def __init__(self, path: Path, busy_ms: int = BUSY_MS) -> None:
        self.database = Database(path, SCHEMA, ADDED, APPLICATION, busy_ms)
        self._signers: dict[str, RecordSigner] = {}

    def begin_signing(self, table: str, signer: RecordSigner) -> PastVerdict:
        """Sign the end of every commit of `table` from now on, if a key of the judge has signed what is stored.

        A record without such a signature is set aside under another name in the file. One of a version that signed no
        outputs is taken over, unless a judge of this table has signed already.
        """
        position = self.position(table)
        with self.database.reading() as sql:
            past = record_past(sql, table, position, last_output(sql, table), signer)
        if past.state == "set_aside":
            with self.database.transaction() as sql:
                kept = set_aside_record(sql, table)
            past = PastVerdict("set_aside", f"{past.reason}; it is kept as {kept}")
        self._signers[table] = signer
        return past

    def check(self) -> None:
        """Check the hashes of the newest CHECKED_ROWS rows and outputs.

        Raises:
            JournalDamagedError: A stored row or output does not match its hash.
        """
        with self.database.reading() as sql:
            for query in _LAST_BODIES:
                if any(digest(body) != noted for noted, body in sql.execute(query, (CHECKED_ROWS,))):
                    raise JournalDamagedError(f"{self.database.path}: a stored row or output is not what was written")

    def commit_group(self, calls: Sequence[Callable[[], None]]) -> list[JournalError | None]:
        """Run `calls` in one transaction. A call that contradicts what is stored writes nothing.

        Returns:
            For each call its error, or None.
        """
        # A savepoint for each call would cost a single one, the common case, two statements.
        if len(calls) > 1:
            with self.database.transaction():
                return [self.database.run_separately(call) for call in calls]
        try:
            with self.database.transaction():
                calls[0]()
        except JournalOrderError as error:
            return [error]
        return [None]

    def store(self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head) -> None:
        """Commit rows, the outputs that they caused, and the position after them, in one transaction."""
        with self.database.transaction():
            self.write(table, rows, outputs, position)

    def write(self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head) -> None:
        """Write rows, their outputs, the position after them and its signature, within `commit_group`."""
        sql = self.database.within
        for row in rows:
            sql.execute("INSERT OR IGNORE INTO followed VALUES (NULL, ?, ?)", (table, row.at.epoch))
            sql.execute(
                "INSERT INTO received VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                (table, row.at.epoch, row.at.number, row.hash, row.damaged, row.body),
            )
        sql.executemany(
            "INSERT INTO output VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(table, o.seq, o.cause.epoch, o.cause.number, o.index, o.hash, o.topic, o.body) for o in outputs],
        )
        sql.execute(
            "INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?)",
            (table, position.at.epoch, position.at.number, position.hash),
        )
        signer = self._signers.get(table)
        if signer is not None:
            put_record_signature(sql, table, signer.sign(position, last_output(sql, table)))

    def position(self, table: str) -> Head | None:
        """Return the head up to which the table's log is stored here; None when no row is."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT epoch, number, hash FROM position WHERE tbl = ?", (table,)).fetchone()
        return None if found is None else Head(at=Position(epoch=found[0], number=found[1]), hash=found[2])

    def followed(self, table: str) -> list[str]:
        """Return the epochs of this table from which rows were stored, in the order in which they were followed."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT epoch FROM followed WHERE tbl = ? ORDER BY id", (table,)).fetchall()
        return [epoch for (epoch,) in found]

    def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` stored rows after `at` (None: from the oldest), in the order of judging.

        Raises:
            JournalDamagedError: The bytes of a row are not those that were stored. The judge must not evaluate them.
        """
        epoch, number = (None, None) if at is None else (at.epoch, at.number)
        with self.database.reading() as sql:
            found = sql.execute(_ROWS_AFTER, {"t": table, "e": epoch, "n": number, "l": limit}).fetchall()
        self._verify((held, body) for _, _, held, body, _ in found)
        return [ReceivedRow(Position(epoch=e, number=n), h, b, bool(d)) for e, n, h, b, d in found]

    def key_rows(self, table: str) -> list[bytes]:
        """Return the stored rows that may announce a key, in the order of judging.

        Raises:
            JournalDamagedError: The bytes of a row are not those that were stored.
        """
        with self.database.reading() as sql:
            found = sql.execute(_KEY_ROWS, (table,)).fetchall()
        self._verify(found)
        return [body for _, body in found]

    def trim_boundary(self, table: str, before: str) -> Head | None:
        """Return the newest row that may be trimmed, or None.

        A row may be trimmed when it is older than `before` (UTC, RFC 3339) and covered by the oldest snapshot. The row
        after the boundary announces a key, so that the remaining rows can be checked.
        """
        with self.database.reading() as sql:
            return judge_trim_boundary(sql, table, before)

    def trim(self, table: str, checkpoint: JudgeCheckpoint) -> int:
        """Delete the rows up to `checkpoint` and the published outputs that they caused; return how many rows."""
        with self.database.transaction() as sql:
            return trim_judge(sql, table, checkpoint)

    def outputs_of(self, table: str, first: Position, last: Position) -> list[StoredOutput]:
        """Return the outputs that the stored rows from `first` to `last` caused, in the order of judging.

        They are for comparison and are never published again.
        """
        ends = {"t": table, "e1": first.epoch, "n1": first.number, "e2": last.epoch, "n2": last.number}
        with self.database.reading() as sql:
            found = sql.execute(_OUTPUTS_OF, ends).fetchall()
        return [StoredOutput(seq, Position(epoch=e, number=n), *rest) for seq, e, n, *rest in found]

    def outputs_after(self, table: str, seq: int, limit: int) -> list[StoredOutput]:
        """Return at most `limit` outputs after `seq`, in order."""
        with self.database.reading() as sql:
            found = sql.execute(
                "SELECT seq, epoch, number, idx, hash, topic, body FROM output"
                " WHERE tbl = ? AND seq > ? ORDER BY seq LIMIT ?",
                (table, seq, limit),
            ).fetchall()
        return [StoredOutput(seq_, Position(epoch=e, number=n), *rest) for seq_, e, n, *rest in found]

    def last_output(self, table: str) -> OutputHead | None:
        """Return the head of the table's output chain; None when it has no output yet."""
        with self.database.reading() as sql:
            return last_output(sql, table)

    def published(self, table: str) -> int:
        """Return the sequence number up to which the broker has acknowledged all outputs; 0 for none."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT seq FROM published WHERE tbl = ?", (table,)).fetchone()
        return 0 if found is None else int(found[0])

    def set_published(self, table: str, seq: int) -> None:
        """Record that all outputs up to `seq` are published, within `commit_group`."""
        self.database.within.execute("INSERT OR REPLACE INTO published VALUES (?, ?)", (table, seq))

    def snapshots(self, table: str) -> list[SealedSnapshot]:
        """Return the stored snapshots, newest first."""
        with self.database.reading() as sql:
            found = sql.execute(
                "SELECT epoch, number, rules, profile, box FROM snapshot WHERE tbl = ? ORDER BY id DESC", (table,)
            ).fetchall()
        return [SealedSnapshot(Position(epoch=e, number=n), rules, profile, box) for e, n, rules, profile, box in found]

    def put_snapshot(self, table: str, snapshot: SealedSnapshot) -> None:
        """Store a snapshot and delete all but the newest KEPT_SNAPSHOTS."""
        with self.database.transaction() as sql:
            sql.execute(
                "INSERT INTO snapshot VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                (
                    table,
                    snapshot.at.epoch,
                    snapshot.at.number,
                    snapshot.rules_version,
                    snapshot.profile_digest,
                    snapshot.box,
                ),
            )
            sql.execute(
                "DELETE FROM snapshot WHERE tbl = :t AND id NOT IN"
                " (SELECT id FROM snapshot WHERE tbl = :t ORDER BY id DESC LIMIT :k)",
                {"t": table, "k": KEPT_SNAPSHOTS},
            )

    def meta(self, table: str, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT value FROM meta WHERE tbl = ? AND name = ?", (table, name)).fetchone()
        return None if found is None else str(found[0])

    def set_meta(self, table: str, name: str, value: str) -> None:
        """Store `value` under `name`."""
        with self.database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (table, name, value))

    def close(self) -> None:
        """Close the file and release its lock."""
        self.database.close()

    def _verify(self, found: Iterable[tuple[str, bytes]]) -> None:
        if any(digest(body) != held for held, body in found):
            raise self.database.damaged("a stored row is not what was written")
