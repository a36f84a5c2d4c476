"""SQL of the field journal: rows, epochs, device positions, answers to inputs, consumers, retention.

All calls block. Each commit ends with the signature of its last row. The first answer to each input is stored, so that
a repeated input receives it again. Trimmed rows are replaced by signed checkpoints.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden.journal.database import BUSY_MS, Database
from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalOrderError
from pitwarden.journal.maintenance import last_beyond_size, last_older_than
from pitwarden.journal.records import (
    Checkpoint,
    DevicePosition,
    EpochRecord,
    InputAnswer,
    NewRow,
    StoredRow,
)
from pitwarden.journal.signatures import FoundLog, HeadSigner, PastVerdict, judge_log_past
from pitwarden.journal.stored_signatures import checkpoints, put_checkpoint, signs_each_commit
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.table import Head

# A row names its input, and that is the answer's key: answers that stay are not scanned.
_FORGET: Final = """
DELETE FROM answer WHERE (role, terminal, input) IN (
  SELECT json_extract(body, '$.data.role'), json_extract(body, '$.data.terminal'), json_extract(body, '$.data.input_id')
  FROM (SELECT CAST(body AS TEXT) AS body FROM row WHERE place <= ? AND instr(body, '"kind":"input"'))
  WHERE json_valid(body))
"""


def store_answer(sql: sqlite3.Connection, answer: InputAnswer) -> None:
    """Store an answer, unless its id has one already."""
    at = (None, None) if answer.at is None else (answer.at.epoch, answer.at.number)
    sql.execute(
        "INSERT OR IGNORE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)",
        (answer.role, answer.terminal, answer.input_id, answer.digest, *at, answer.reason),
    )


def find_answer(sql: sqlite3.Connection, role: str, terminal: str, input_id: str) -> InputAnswer | None:
    """Return the first answer to this input id; None if there was none."""
    found = sql.execute(
        "SELECT digest, epoch, number, reason FROM answer WHERE role = ? AND terminal = ? AND input = ?",
        (role, terminal, input_id),
    ).fetchone()
    if found is None:
        return None
    content, epoch, number, reason = found
    at = None if epoch is None else Position(epoch=epoch, number=number)
    return InputAnswer(role, terminal, input_id, content, at, reason)


def delete_answers(sql: sqlite3.Connection, place: int) -> None:
    """Delete the answers to the inputs in rows up to `place`. A repetition of one would be stale long since."""
    sql.execute(_FORGET, (place,))


APPLICATION: Final = 0x70774C31  # "pwL1"
SCHEMA: Final = """
CREATE TABLE epoch (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, first_place INTEGER NOT NULL,
  parent_epoch TEXT, parent_number INTEGER, parent_hash TEXT) STRICT;
CREATE TABLE row (
  place INTEGER PRIMARY KEY, epoch INTEGER NOT NULL REFERENCES epoch, number INTEGER NOT NULL,
  hash TEXT NOT NULL, prevhash TEXT NOT NULL, topic TEXT NOT NULL, body BLOB NOT NULL, UNIQUE (epoch, number)) STRICT;
CREATE TABLE device (name TEXT PRIMARY KEY, boot INTEGER NOT NULL, counter INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE answer (
  role TEXT, terminal TEXT, input TEXT, digest TEXT NOT NULL, epoch TEXT, number INTEGER, reason TEXT NOT NULL,
  PRIMARY KEY (role, terminal, input)) STRICT, WITHOUT ROWID;
CREATE TABLE consumer (name TEXT PRIMARY KEY, place INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""
ADDED: Final = """
CREATE TABLE IF NOT EXISTS checkpoint (
  place INTEGER NOT NULL, epoch TEXT NOT NULL, number INTEGER NOT NULL, hash TEXT NOT NULL, mark TEXT NOT NULL,
  signer TEXT NOT NULL, signature TEXT NOT NULL, PRIMARY KEY (place, mark)) STRICT, WITHOUT ROWID;
"""

ROWS: Final = "SELECT place, name, number, hash, topic, body FROM row JOIN epoch ON epoch.id = row.epoch"
"""Query for all columns of a stored row; the caller appends a condition."""


def row_from_sql(found: tuple[int, str, int, str, str, bytes]) -> StoredRow:
    """Convert a result of `ROWS` to a row."""
    place, epoch, number, held, topic, body = found
    return StoredRow(place, Position(epoch=epoch, number=number), held, topic, body)


def field_trim_boundary(sql: sqlite3.Connection, kept_by_all: int, before: str, most_bytes: int) -> StoredRow | None:
    """Return the newest row that may be trimmed, or None; see `FieldStore.trim_boundary`."""
    first, last = sql.execute("SELECT coalesce(min(place), 1), coalesce(max(place), 0) FROM row").fetchone()
    old = last_older_than(sql, "SELECT body FROM row WHERE place = ?", first, last, before)
    limit = min(kept_by_all, max(old, last_beyond_size(sql, first, last, most_bytes)))
    key = sql.execute(
        "SELECT max(place) FROM row WHERE place BETWEEN ? AND ? AND instr(body, ?)",
        (first + 1, limit + 1, b'"kind":"key.announced"'),
    ).fetchone()[0]
    found = sql.execute(f"{ROWS} WHERE place = ?", (0 if key is None else key - 1,)).fetchone()
    return None if found is None else row_from_sql(found)


def trim_field(sql: sqlite3.Connection, checkpoint: Checkpoint) -> int:
    """Delete all rows up to `checkpoint` and their answers, store the checkpoint, and return the number of rows."""
    put_checkpoint(sql, checkpoint)
    delete_answers(sql, checkpoint.place)
    return sql.execute("DELETE FROM row WHERE place <= ?", (checkpoint.place,)).rowcount


CHECKED_ROWS: Final = 1_000  # newest rows whose chain each start checks; `journal verify` checks all


class FieldStore:
    """Open log file. `head` and `place` are those of its last row; None and 0 when it has none."""

    def __init__(self, path: Path, busy_ms: int = BUSY_MS) -> None:
        self.database = Database(path, SCHEMA, ADDED, APPLICATION, busy_ms)
        self.head: Head | None = None
        self.place = 0
        self.trimmed: Checkpoint | None = None
        self.signed: Checkpoint | None = None
        """Signed end of the last commit; None before `sign_with`."""
        self._signer: HeadSigner | None = None
        try:
            self._reload()
        except JournalError:
            self.close()
            raise

    def check(self) -> None:
        """Check the hashes and the chain of the newest CHECKED_ROWS rows.

        Raises:
            JournalDamagedError: A row does not match its hash, or does not follow the previous one.
        """
        with self.database.reading() as sql:
            rows = sql.execute(
                "SELECT place, hash, prevhash, body FROM row ORDER BY place DESC LIMIT ?", (CHECKED_ROWS,)
            )
            wanted = None
            for place, held, before, body in rows:
                if digest(body) != held or wanted not in (None, held):
                    raise JournalDamagedError(f"{self.database.path}: row {place} is not what was written")
                wanted = before

    def past(self, signer: HeadSigner) -> PastVerdict:
        """Decide whether a new epoch may go on from what is stored here."""
        with self.database.reading() as sql:
            first = sql.execute("SELECT coalesce(min(place), 0) FROM row").fetchone()[0]
            openings = sql.execute("SELECT body FROM row JOIN epoch ON first_place = place").fetchall()
        each = any(signs_each_commit(body) for (body,) in openings)
        # What this store itself has signed since it was opened need not be closed.
        in_order = self.database.closed_in_order and self._signer is None
        found = FoundLog(self.head, self.place, first, self.checkpoints(), in_order, each)
        return judge_log_past(found, signer)

    def sign_with(self, signer: HeadSigner) -> None:
        """Sign the end of every commit from now on."""
        self._signer = signer
        self.signed = next((mark for mark in self.checkpoints() if mark.mark == "head"), None)

    def finish(self) -> None:
        """Sign, before an orderly close, that the log ends here. A journal that nobody signs is left as it is."""
        if self._signer is not None and self.head is not None:
            closed = self._signer.sign(self.place, self.head, "closed")
            with self.database.transaction() as sql:
                put_checkpoint(sql, closed)

    def append(self, rows: Sequence[NewRow]) -> None:
        """Commit `rows`, and the signature of where the log then ends, in one transaction.

        Raises:
            JournalOrderError: The rows do not continue the head.
        """
        signed = self.signed
        try:
            with self.database.transaction() as sql:
                for row in rows:
                    self._append(sql, row)
                if rows and self._signer is not None and self.head is not None:
                    signed = self._signer.sign(self.place, self.head, "head")
                    put_checkpoint(sql, signed, None if self.signed is None else self.signed.place)
        except BaseException:
            self._reload()
            raise
        self.signed = signed

    def commit_group(self, group: Sequence[Sequence[NewRow]]) -> list[None]:
        """Commit all rows of `group` in one transaction: they are numbered on top of each other."""
        self.append([row for rows in group for row in rows])
        return [None] * len(group)

    def rows_after(self, place: int, limit: int) -> list[StoredRow]:
        """Return at most `limit` rows after `place`, in order through all epochs."""
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} WHERE place > ? ORDER BY place LIMIT ?", (place, limit)).fetchall()
        return [row_from_sql(row) for row in found]

    def locate(self, at: Position, held: str) -> int | None:
        """Return the place of row `at`; None when this log has no such row, or one whose hash is not `held`."""
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} WHERE name = ? AND number = ?", (at.epoch, at.number)).fetchone()
        return None if found is None or found[3] != held else int(found[0])

    def epochs(self) -> list[EpochRecord]:
        """Return all epochs of this log, oldest first."""
        with self.database.reading() as sql:
            found = sql.execute(
                "SELECT name, parent_epoch, parent_number, parent_hash, first_place FROM epoch ORDER BY id"
            ).fetchall()
        return [EpochRecord(name, _head(*parent), first) for name, *parent, first in found]

    def device_marks(self) -> dict[str, DevicePosition]:
        """Return the last committed event of each device, by its name."""
        with self.database.reading() as sql:
            return {n: DevicePosition(boot, counter) for n, boot, counter in sql.execute("SELECT * FROM device")}

    def store_answer(self, answer: InputAnswer) -> None:
        """Store a refusal. The first answer to an id stays."""
        with self.database.transaction() as sql:
            store_answer(sql, answer)

    def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        """Return the first answer to this input id; None if there was none."""
        with self.database.reading() as sql:
            return find_answer(sql, role, terminal, input_id)

    def positions(self) -> dict[str, int]:
        """Return the place up to which each durable consumer has stored the log, by its name."""
        with self.database.reading() as sql:
            return dict(sql.execute("SELECT name, place FROM consumer"))

    def set_position(self, consumer: str, place: int) -> None:
        """Record that `consumer` has stored the log up to `place`."""
        with self.database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO consumer VALUES (?, ?)", (consumer, place))

    def checkpoints(self) -> list[Checkpoint]:
        """Return the signed checkpoints of this log, oldest first."""
        with self.database.reading() as sql:
            return checkpoints(sql)

    def trim_boundary(self, kept_by_all: int, before: str, most_bytes: int) -> StoredRow | None:
        """Return the newest row that may be trimmed, or None.

        Rows may be trimmed that all consumers have stored and that are older than `before`, or belong to the oldest
        quarter of a journal above its size limit. The row after the boundary announces a key, so that the remaining
        rows can be checked.

        Args:
            kept_by_all: Place up to which all consumers have stored the log.
            before: UTC time in RFC 3339.
            most_bytes: Size limit of the journal; 0 for none.
        """
        with self.database.reading() as sql:
            return field_trim_boundary(sql, kept_by_all, before, most_bytes)

    def trim(self, checkpoint: Checkpoint) -> int:
        """Delete all rows up to `checkpoint`, which replaces them, and return how many rows that were."""
        with self.database.transaction() as sql:
            return trim_field(sql, checkpoint)

    def meta(self, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def set_meta(self, name: str, value: str) -> None:
        """Store `value` under `name`."""
        with self.database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Close the file and release its lock."""
        self.database.close()

    def _reload(self) -> None:
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} ORDER BY place DESC LIMIT 1").fetchone()
        last = None if found is None else row_from_sql(found)
        self.head, self.place = (None, 0) if last is None else (last.head, last.place)
        self.trimmed = next((c for c in self.checkpoints() if c.mark == "trimmed"), None)
        # A log of which every row was trimmed still has a head: the next row continues the trimmed one.
        if last is None and self.trimmed is not None:
            self.head, self.place = self.trimmed.head, self.trimmed.place

    def _append(self, sql: sqlite3.Connection, row: NewRow) -> None:
        held = GENESIS if self.head is None else self.head.hash
        follows = self.head is not None and row.at.epoch == self.head.at.epoch
        if row.prevhash != held or row.at.number != (self.head.at.number + 1 if self.head and follows else 1):
            where = "an empty log" if self.head is None else f"{self.head.at.epoch}/{self.head.at.number}"
            raise JournalOrderError(f"row {row.at.epoch}/{row.at.number} does not continue {where}")
        self.place += 1
        if not follows:
            before = (None, None, None) if self.head is None else (self.head.at.epoch, self.head.at.number, held)
            sql.execute("INSERT INTO epoch VALUES (NULL, ?, ?, ?, ?, ?)", (row.at.epoch, self.place, *before))
        sql.execute(
            "INSERT INTO row SELECT ?, id, ?, ?, ?, ?, ? FROM epoch WHERE name = ?",
            (self.place, row.at.number, row.hash, row.prevhash, row.topic, row.body, row.at.epoch),
        )
        if row.device:
            sql.execute("INSERT OR REPLACE INTO device VALUES (?, ?, ?)", (row.device, row.boot, row.counter))
        if row.answer is not None:
            store_answer(sql, row.answer)
        self.head = Head(at=row.at, hash=row.hash)


def _head(epoch: str | None, number: int | None, held: str | None) -> Head | None:
    if epoch is None or number is None or held is None:
        return None
    return Head(at=Position(epoch=epoch, number=number), hash=held)
