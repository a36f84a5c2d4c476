"""The field half's log in SQLite: rows, epochs, device marks, answers to inputs, positions. Blocking."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.envelope import GENESIS
from pitwarden_client.events.table import Head

from pitwarden.journal import field_trimming as trimming
from pitwarden.journal.database import BUSY_MS, Database
from pitwarden.journal.faults import JournalDamagedError, JournalError, JournalOrderError
from pitwarden.journal.field_answers import answer_to, remember
from pitwarden.journal.field_schema import ADDED, APPLICATION, ROWS, SCHEMA, stored
from pitwarden.journal.rows import Checkpoint, DeviceMark, EpochRecord, InputAnswer, NewRow, StoredRow

CHECKED_ROWS: Final = 1_000  # the hash chain is checked so far back at each start; `journal verify` checks it whole


class FieldStore:
    """An open log. `head` and `place` are those of its last row, None and 0 when it has none."""

    def __init__(self, path: Path, busy_ms: int = BUSY_MS) -> None:
        self.database = Database(path, SCHEMA, ADDED, APPLICATION, busy_ms)
        self.head: Head | None = None
        self.place = 0
        self.trimmed: Checkpoint | None = None
        try:
            self._reload()
        except JournalError:
            self.close()
            raise

    def check(self) -> None:
        """JournalDamagedError unless the last rows hold what their hashes say and follow on one another."""
        with self.database.reading() as sql:
            rows = sql.execute(
                "SELECT place, hash, prevhash, body FROM row ORDER BY place DESC LIMIT ?", (CHECKED_ROWS,)
            )
            wanted = None
            for place, held, before, body in rows:
                if digest(body) != held or wanted not in (None, held):
                    raise JournalDamagedError(f"{self.database.path}: row {place} is not what was written")
                wanted = before

    def append(self, rows: Sequence[NewRow]) -> None:
        """Commits `rows` in one transaction; JournalOrderError unless they continue the head."""
        try:
            with self.database.transaction() as sql:
                for row in rows:
                    self._append(sql, row)
        except BaseException:
            self._reload()
            raise

    def commit_group(self, group: Sequence[Sequence[NewRow]]) -> list[None]:
        """Commit all rows of `group` in one transaction: they are numbered on top of each other."""
        self.append([row for rows in group for row in rows])
        return [None] * len(group)

    def rows_after(self, place: int, limit: int) -> list[StoredRow]:
        """The rows behind `place`, at most `limit`, in order through all epochs."""
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} WHERE place > ? ORDER BY place LIMIT ?", (place, limit)).fetchall()
        return [stored(row) for row in found]

    def locate(self, at: Position, held: str) -> int | None:
        """The place of row `at`; None when this log has none there, or one with another hash than `held`."""
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} WHERE name = ? AND number = ?", (at.epoch, at.number)).fetchone()
        return None if found is None or found[3] != held else int(found[0])

    def epochs(self) -> list[EpochRecord]:
        """All epochs of this log, oldest first."""
        with self.database.reading() as sql:
            found = sql.execute(
                "SELECT name, parent_epoch, parent_number, parent_hash, first_place FROM epoch ORDER BY id"
            ).fetchall()
        return [EpochRecord(name, _head(*parent), first) for name, *parent, first in found]

    def device_marks(self) -> dict[str, DeviceMark]:
        """What was last committed from each device."""
        with self.database.reading() as sql:
            return {n: DeviceMark(boot, counter) for n, boot, counter in sql.execute("SELECT * FROM device")}

    def remember(self, answer: InputAnswer) -> None:
        """Stores a refusal; the first answer to an id stays."""
        with self.database.transaction() as sql:
            remember(sql, answer)

    def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        """The first answer to this input id, if it ever came."""
        with self.database.reading() as sql:
            return answer_to(sql, role, terminal, input_id)

    def positions(self) -> dict[str, int]:
        """Up to which place each durable consumer has stored the log."""
        with self.database.reading() as sql:
            return dict(sql.execute("SELECT name, place FROM consumer"))

    def set_position(self, consumer: str, place: int, checkpoint: Checkpoint | None = None) -> None:
        """`consumer` has stored all up to `place`; a `checkpoint` is stored with that."""
        with self.database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO consumer VALUES (?, ?)", (consumer, place))
            if checkpoint is not None:
                trimming.put_checkpoint(sql, checkpoint)

    def checkpoints(self) -> list[Checkpoint]:
        """The signed checkpoints of this log, oldest first."""
        with self.database.reading() as sql:
            return trimming.checkpoints(sql)

    def last_to_go(self, kept_by_all: int, before: str, most_bytes: int) -> StoredRow | None:
        """The last row that may be trimmed, None for none: older than `before`, or of too many, and stored by all.

        `kept_by_all`: the place up to which all consumers have stored the log. The row behind it announces a key.
        """
        with self.database.reading() as sql:
            return trimming.last_to_go(sql, kept_by_all, before, most_bytes)

    def trim(self, checkpoint: Checkpoint) -> int:
        """Deletes all rows up to the `checkpoint`, which stands in their place; how many that were."""
        with self.database.transaction() as sql:
            return trimming.trim(sql, checkpoint)

    def meta(self, name: str) -> str | None:
        """The value stored under `name`."""
        with self.database.reading() as sql:
            found = sql.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def set_meta(self, name: str, value: str) -> None:
        """Stores `value` under `name`."""
        with self.database.transaction() as sql:
            sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Lets the file go."""
        self.database.close()

    def _reload(self) -> None:
        with self.database.reading() as sql:
            found = sql.execute(f"{ROWS} ORDER BY place DESC LIMIT 1").fetchone()
        last = None if found is None else stored(found)
        self.head, self.place = (None, 0) if last is None else (last.head, last.place)
        self.trimmed = next((c for c in self.checkpoints() if c.mark == "trimmed"), None)
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
            remember(sql, row.answer)
        self.head = Head(at=row.at, hash=row.hash)


def _head(epoch: str | None, number: int | None, held: str | None) -> Head | None:
    if epoch is None or number is None or held is None:
        return None
    return Head(at=Position(epoch=epoch, number=number), hash=held)
