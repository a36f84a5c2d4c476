"""One SQLite file: durable open, lock against a second process, transactions, error classes, version claim.

All calls block; group_commit.py keeps them off the event loop. A journal that a newer version has written to is
refused, because an older version cannot know what was written.

Threat: a power cut at any instant, a full disk, and a second process on the same file.
"""

import fcntl
import os
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pitwarden.journal.damage import clear_damage_marker, damage_marker, mark_damaged
from pitwarden.journal.errors import (
    TEMPORARY_ERRORS,
    JournalDamagedError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    JournalOrderError,
    JournalUnwritableError,
    JournalVersionError,
)
from pitwarden.system.version import VERSION

SCHEMA_VERSION: Final = 3
BUSY_MS: Final = 15_000  # a lock held for ten seconds, as a backup may, costs time and no row
WHOLE_PAGES: Final = 8_192
"""Largest number of pages (32 MiB, a table's first day) at which a start checks the complete file.

The start of a larger journal takes no longer as it grows: maintenance.py checks it while it is written. The write-ahead
log survives a crash and a power cut; what the complete check finds are faults of the medium and changes by others.
"""
_NO_LIMIT: Final = 4_294_967_294  # SQLite's own largest page count
_KINDS: Final[dict[int, type[JournalError]]] = {
    sqlite3.SQLITE_FULL: JournalFullError,
    sqlite3.SQLITE_BUSY: JournalLockedError,
    sqlite3.SQLITE_LOCKED: JournalLockedError,
    sqlite3.SQLITE_CORRUPT: JournalDamagedError,
    sqlite3.SQLITE_NOTADB: JournalDamagedError,
    sqlite3.SQLITE_IOERR: JournalUnwritableError,
    sqlite3.SQLITE_READONLY: JournalUnwritableError,
    sqlite3.SQLITE_CANTOPEN: JournalUnwritableError,
    sqlite3.SQLITE_PERM: JournalUnwritableError,
    sqlite3.SQLITE_CONSTRAINT: JournalOrderError,  # a number or an epoch that is stored already
    sqlite3.SQLITE_IOERR_READ: JournalDamagedError,  # what cannot be read now is not what was written
    sqlite3.SQLITE_IOERR_CORRUPTFS: JournalDamagedError,  # the same, reported by the medium as EIO
}


def classify_error(error: sqlite3.DatabaseError) -> type[JournalError] | None:
    """Return the journal error for an error of SQLite; None for a caller's mistake and for an interruption."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    # An extended result code first: a failed read is damage, while other I/O errors may pass.
    return _KINDS.get(code) or _KINDS.get(code & 0xFF)


class Database:
    """One open journal file. Every method may raise a JournalError, whose class selects the policy."""

    def __init__(self, path: Path, schema: str, added: str, application: int, busy_ms: int = BUSY_MS) -> None:
        """Open the journal at `path`, or create it.

        Args:
            path: File name. The lock file and SQLite's own files are next to it.
            schema: SQL of layout 1.
            added: SQL that later layouts added, in a form that can be run again.
            application: Kind of journal, 31 bits, stored in the header of the file.
            busy_ms: How long a statement waits for a lock of another process, in ms.

        Raises:
            JournalDamagedError: Damage is found now, or an earlier run has marked it.
            JournalError: The file cannot be used.
        """
        self.path = path
        self._lock = _lock(path)
        self.closed_in_order = not path.with_name(path.name + "-wal").exists()
        """Whether no write-ahead log lay beside the file, as after an orderly close."""
        # A placeholder, so that `close` works when the file cannot be opened.
        self._connection = sqlite3.connect(":memory:")
        try:
            with self._classified_errors():
                self._connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None)
                self._prepare(schema, added, application)
        except JournalError:
            self.close()
            raise
        self._file = _identity(path)
        self.within = self._connection
        """Connection, for statements inside a transaction that the caller has opened."""

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction.

        At the end of the block it is committed and on the disk; after an exception nothing of it is.
        """
        with self._classified_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._check_still_there()
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def run_separately(self, call: Callable[[], None]) -> JournalError | None:
        """Run `call` in a savepoint of the current transaction.

        Returns:
            The error if `call` contradicts the file; only its own writes are then undone.
        """
        self._connection.execute("SAVEPOINT apart")
        error: JournalOrderError | None = None
        try:
            call()
        except sqlite3.IntegrityError as refused:
            self._connection.execute("ROLLBACK TO apart")
            error = JournalOrderError(f"{self.path}: {refused}")
        self._connection.execute("RELEASE apart")
        return error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for queries."""
        with self._classified_errors():
            yield self._connection

    def limit_pages(self, pages: int | None) -> None:
        """Limit the file to `pages` pages of 4,096 bytes; None removes the limit."""
        with self._classified_errors():
            self._connection.execute(f"PRAGMA max_page_count={_NO_LIMIT if pages is None else pages:d}")

    def damaged(self, reason: str) -> JournalDamagedError:
        """Return the error to raise for content that is not what was written, and mark the file for the next start."""
        error = JournalDamagedError(f"{self.path}: {reason}")
        mark_damaged(self.path, str(error))
        return error

    def close(self) -> None:
        """Close the file and release its lock. A second call does nothing."""
        self._connection.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _check_still_there(self) -> None:
        """Raise JournalDamagedError if the file was removed or replaced: what is committed to it now is lost."""
        if _identity(self.path) != self._file:
            raise JournalDamagedError(
                f"{self.path}: the file was removed or replaced while the service used it. Restart the service, and "
                "find out who did it"
            )

    def _prepare(self, schema: str, added: str, application: int) -> None:
        fresh = self._number("page_count") == 0
        if fresh:
            clear_damage_marker(self.path)
        else:
            self._check(application)
        self._connection.execute("PRAGMA journal_mode=WAL")
        # SQLite's default for WAL does not fsync each commit. A row is acknowledged to its device and published as soon
        # as its transaction ends, so it must be on the disk by then.
        self._connection.execute("PRAGMA synchronous=FULL")
        if fresh:
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {schema} {added} PRAGMA application_id={application:d};"
                f" PRAGMA user_version={SCHEMA_VERSION:d}; COMMIT;"
            )
        elif self._number("user_version") < SCHEMA_VERSION:
            self._connection.executescript(f"BEGIN IMMEDIATE; {added} PRAGMA user_version={SCHEMA_VERSION:d}; COMMIT;")

    def _check(self, application: int) -> None:
        """Check a file that exists, without writing: a file that is not ours stays as it is."""
        if self._number("application_id") != application:
            raise JournalDamagedError(f"{self.path}: this is no journal of this kind")
        version = self._number("user_version")
        if not 1 <= version <= SCHEMA_VERSION:
            raise JournalVersionError(
                f"{self.path}: written with layout {version}, and this pitwarden knows 1 to {SCHEMA_VERSION}."
                " Run the version that wrote it"
            )
        seen = damage_marker(self.path)
        if seen is not None:
            raise JournalDamagedError(seen)
        if self._number("page_count") > WHOLE_PAGES:
            return
        if self._connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise JournalDamagedError(f"{self.path}: SQLite's own check finds damage")

    def _number(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])

    @contextmanager
    def _classified_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            kind = classify_error(error)
            if kind is None:
                raise
            if kind is JournalDamagedError:
                mark_damaged(self.path, f"{self.path}: {error}")
            raise kind(f"{self.path}: {error}") from error


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of the file that `path` leads to now; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _lock(path: Path) -> int:
    """Take an exclusive advisory lock on a file next to `path`; SQLite's own locks end with each transaction."""
    beside = path.with_name(path.name + ".lock")
    try:
        descriptor = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalUnwritableError(
            f"{beside}: {error.strerror}. Make the folder, or its owner this account"
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise JournalLockedError(f"{path}: another process has this journal open. Stop it first") from None
    return descriptor


WRITTEN_BY: Final = "written_by"


async def claim_journal(name: str, last: str | None, note: Callable[[str], Awaitable[None]]) -> None:
    """Record that this version of pitwarden writes to the journal `name`.

    Args:
        name: The journal, for the error's sentence.
        last: Version noted under WRITTEN_BY; None for a new journal.
        note: Stores the version under WRITTEN_BY.

    Raises:
        JournalVersionError: A newer version has written to this journal. Nothing is changed.
    """
    ours = VERSION
    if last is not None and is_newer(last):
        raise JournalVersionError(
            f"{name}: pitwarden {last} went on with this journal, and this is {ours}: a downgrade is refused, since"
            f" older code judges by other rules and may not read what was written. Install {last} or a newer one. If"
            " the older one is meant: keep the journals elsewhere as evidence and begin afresh; the table holds until"
            " its decks are verified"
        )
    if last != ours:
        with suppress(*TEMPORARY_ERRORS):  # a full disk must not prevent a start; the next start writes the note
            await note(ours)


def is_newer(last: str) -> bool:
    """Return whether version `last` is newer than this one."""
    return release_of(last) > release_of(VERSION)


def release_of(text: str) -> tuple[int, ...]:
    """Return the release numbers of a version. A build or pre-release part does not change what it can read."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
