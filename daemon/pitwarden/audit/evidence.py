"""Journals opened read-only as evidence, also while the service uses them. Threat: a person who had the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pitwarden.journal import field_store, judge_store, stored_signatures
from pitwarden.journal.records import (
    Checkpoint,
    JudgeCheckpoint,
    OutputHead,
    ReceivedRow,
    RecordSignature,
    StoredOutput,
    parse_mark,
)
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head


class AuditError(Exception):
    """A journal cannot be read at all.

    Policy: print the sentence and end with exit code 78.

    Example: `--journals` names a folder without a journal.
    """


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """Stored log row: its position according to the journal, and its bytes."""

    place: int
    at: Position
    hash: str
    body: bytes


class JournalEvidence:
    """Journal file, open for reading only. AuditError when it is not one of kind `application`."""

    def __init__(self, path: Path, application: int) -> None:
        self.path = path
        self.closed_in_order = not path.with_name(f"{path.name}-wal").exists()
        """Whether the program that wrote the file has closed it; false while it runs, and after it was killed."""
        if not path.is_file():
            raise AuditError(f"{path}: there is no such journal")
        try:
            # Read-only: another connection would move the write-ahead log into the file when it closes, and so change
            # the evidence.
            self._sql = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            found = self._sql.execute("PRAGMA application_id").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise AuditError(f"{path}: cannot be read as a journal: {error}") from None
        if found != application:
            self.close()
            raise AuditError(f"{path}: is no journal of this kind")

    def close(self) -> None:
        """Close the file."""
        self._sql.close()

    def damage(self) -> str:
        """Return what SQLite's own check of the complete file finds; empty when it finds nothing."""
        try:
            found = str(self._sql.execute("PRAGMA integrity_check(1)").fetchone()[0])
        except sqlite3.DatabaseError as error:
            return str(error)
        return "" if found == "ok" else found.splitlines()[-1]

    def select(self, query: str, *values: str | int) -> Iterator[tuple[str, ...]]:
        """Yield the result rows of `query`.

        Raises:
            AuditError: The file is damaged.
        """
        try:
            yield from self._sql.execute(query, values)
        except sqlite3.DatabaseError as error:
            raise AuditError(f"{self.path}: {error}") from None


class LogEvidence(JournalEvidence):
    """Journal of the field half."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, field_store.APPLICATION)

    def rows(self, after: int = 0) -> Iterator[EvidenceRow]:
        """Yield all rows after the place `after`, in the order of their places."""
        for place, epoch, number, held, body in self.select(
            "SELECT place, name, number, hash, body FROM row JOIN epoch ON epoch.id = row.epoch"
            " WHERE place > ? ORDER BY place",
            after,
        ):
            yield _row(place, epoch, number, held, body)

    def hash_at(self, at: Position) -> str | None:
        """Return the stored hash of row `at`, or None."""
        query = "SELECT hash FROM row JOIN epoch ON epoch.id = row.epoch WHERE name = ? AND number = ?"
        return next((held for (held,) in self.select(query, at.epoch, at.number)), None)

    def place_of(self, head: Head) -> int | None:
        """Return the place of the row that `head` names, by its position and hash; None when it is not here."""
        query = "SELECT place FROM row JOIN epoch ON epoch.id = row.epoch WHERE name = ? AND number = ? AND hash = ?"
        return next((int(place) for (place,) in self.select(query, head.at.epoch, head.at.number, head.hash)), None)

    def has_hash(self, held: str) -> bool:
        """Return whether any row is stored under this hash."""
        return any(self.select("SELECT 1 FROM row WHERE hash = ?", held))

    def checkpoints(self) -> list[Checkpoint]:
        """Return the signed checkpoints, oldest first; none for a journal of the first layout."""
        if not any(self.select("SELECT 1 FROM sqlite_master WHERE name = 'checkpoint'")):
            return []
        query = "SELECT place, epoch, number, hash, mark, signer, signature FROM checkpoint ORDER BY place"
        return [
            Checkpoint(int(place), _head(epoch, number, held), parse_mark(mark), signer, signature)
            for place, epoch, number, held, mark, signer, signature in self.select(query)
        ]

    def stored_by_consumers(self) -> dict[str, int]:
        """Return the place up to which each durable consumer had stored the log, by its name."""
        return {name: int(place) for name, place in self.select("SELECT name, place FROM consumer")}


class JudgeEvidence(JournalEvidence):
    """Journal of a judge."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, judge_store.APPLICATION)

    def tables(self) -> list[str]:
        """Return the tables whose rows this judge received."""
        return [name for name in self._names() if stored_signatures.SET_ASIDE not in name]

    def set_aside(self, table: str) -> list[str]:
        """Return the names under which unsigned records of `table` are kept."""
        return [name for name in self._names() if name.startswith(f"{table}{stored_signatures.SET_ASIDE}")]

    def _names(self) -> list[str]:
        return [name for (name,) in self.select("SELECT DISTINCT tbl FROM received ORDER BY tbl")]

    def signature(self, table: str) -> RecordSignature | None:
        """Return the signed end of the record of `table`; None for a version that did not sign."""
        if not any(self.select("SELECT 1 FROM sqlite_master WHERE name = 'signed'")):
            return None
        query = "SELECT epoch, number, hash, seq, outputhash, signer, signature FROM signed WHERE tbl = ?"
        for epoch, number, held, seq, output, signer, signature in self.select(query, table):
            last = OutputHead(int(seq), output) if int(seq) else None
            return RecordSignature(_head(epoch, number, held), last, signer, signature)
        return None

    def output_hash(self, table: str, seq: int) -> str | None:
        """Return the stored hash of output `seq`, or None."""
        query = "SELECT hash FROM output WHERE tbl = ? AND seq = ?"
        return next((held for (held,) in self.select(query, table, seq)), None)

    def hash_at(self, table: str, at: Position) -> str | None:
        """Return the stored hash of the received row `at`, or None."""
        query = "SELECT hash FROM received WHERE tbl = ? AND epoch = ? AND number = ?"
        return next((held for (held,) in self.select(query, table, at.epoch, at.number)), None)

    def rows(self, table: str) -> Iterator[EvidenceRow]:
        """Yield the rows received from `table`, in the order of judging."""
        query = "SELECT place, epoch, number, hash, body FROM received WHERE tbl = ? ORDER BY place"
        for place, epoch, number, held, body in self.select(query, table):
            yield _row(place, epoch, number, held, body)

    def has_hash(self, held: str) -> bool:
        """Return whether any row is stored under this hash."""
        return any(self.select("SELECT 1 FROM received WHERE hash = ?", held))

    def received_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` rows after `at`."""
        place = 0
        if at is not None:
            query = "SELECT place FROM received WHERE tbl = ? AND epoch = ? AND number = ?"
            place = next((int(found) for (found,) in self.select(query, table, at.epoch, at.number)), 0)
        query = (
            "SELECT place, epoch, number, hash, body FROM received WHERE tbl = ? AND place > ? ORDER BY place LIMIT ?"
        )
        found = [_row(*values) for values in self.select(query, table, place, limit)]
        return [ReceivedRow(row.at, row.hash, row.body) for row in found]

    def outputs(self, table: str) -> Iterator[StoredOutput]:
        """Yield the outputs for `table`, in the order of their numbers."""
        query = "SELECT seq, epoch, number, idx, hash, topic, body FROM output WHERE tbl = ? ORDER BY seq"
        for seq, epoch, number, index, held, topic, body in self.select(query, table):
            at = Position(epoch=epoch, number=int(number))
            yield StoredOutput(int(seq), at, int(index), held, topic, _bytes(body))

    def position(self, table: str) -> Head | None:
        """Return the head up to which the journal claims to have stored the log."""
        query = "SELECT epoch, number, hash FROM position WHERE tbl = ?"
        return next((_head(*found) for found in self.select(query, table)), None)

    def trimmed(self, table: str) -> JudgeCheckpoint | None:
        """Return the signed checkpoint that replaces the rows deleted by age, or None."""
        for (value,) in self.select("SELECT value FROM meta WHERE tbl = ? AND name = 'trimmed'", table):
            epoch, number, held, signer, signature = value.split(" ")
            return JudgeCheckpoint(_head(epoch, number, held), signer, signature)
        return None

    def published(self, table: str) -> int:
        """Return the number of the output up to which the broker had acknowledged all."""
        return next((int(seq) for (seq,) in self.select("SELECT seq FROM published WHERE tbl = ?", table)), 0)


@contextmanager
def open_log_evidence(path: Path) -> Iterator[LogEvidence]:
    """Yield the log at `path`, and close it at the end."""
    evidence = LogEvidence(path)
    try:
        yield evidence
    finally:
        evidence.close()


@contextmanager
def open_judge_evidence(path: Path) -> Iterator[JudgeEvidence]:
    """Yield the judge's record at `path`, and close it at the end."""
    evidence = JudgeEvidence(path)
    try:
        yield evidence
    finally:
        evidence.close()


def _row(place: object, epoch: str, number: object, held: str, body: object) -> EvidenceRow:
    return EvidenceRow(int(str(place)), Position(epoch=epoch, number=int(str(number))), held, _bytes(body))


def _head(epoch: str, number: object, held: str) -> Head:
    return Head(at=Position(epoch=epoch, number=int(str(number))), hash=held)


def _bytes(body: object) -> bytes:
    return body if isinstance(body, bytes) else str(body).encode()
