"""One SQLite file: open, lock, transactions, version claim.

One SQLite file: opened durably, locked against a second process, its errors told apart. Blocking; see group_commit.py.

The adversary is a power cut at any instant, a full disk, and a second process on the same file.

Which pitwarden went on with a journal last: an older one may not, since it may not know what was written.
"""

import fcntl
import os
import re
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
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

SCHEMA_VERSION: Final = 2
BUSY_MS: Final = 15_000  # a lock held for ten seconds, as a backup may, costs time and no row
WHOLE_PAGES: Final = 8_192
"""A journal of so many pages at most (32 MiB, a table's first day) is checked whole before it is gone on with.

Of a larger one the start reads no more when it has grown: it is looked at while it is written (inspection.py). The
write-ahead log survives a crash and a power cut; what the whole check finds are a medium's faults and foreign hands.
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
    sqlite3.SQLITE_CONSTRAINT: JournalOrderError,  # a number or an epoch that is there already
    sqlite3.SQLITE_IOERR_READ: JournalDamagedError,  # what cannot be read now is not what was written
    sqlite3.SQLITE_IOERR_CORRUPTFS: JournalDamagedError,  # the same, where the medium says EIO
}


def classify_error(error: sqlite3.DatabaseError) -> type[JournalError] | None:
    """Which of ours an error of SQLite is; None for a mistake of the caller, and for an interruption."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return _KINDS.get(code) or _KINDS.get(code & 0xFF)


class Database:
    """One open journal file. Every method may raise a JournalError whose class is the policy."""

    def __init__(self, path: Path, schema: str, added: str, application: int, busy_ms: int = BUSY_MS) -> None:
        """Opens `path` or makes it; `application` (31 bits) marks the kind of journal in the file's header.

        JournalDamagedError for a file in which damage is found now, or was seen by an earlier run.
        `schema` is layout 1; `added` is what layout 2 added to it, in a form that may be run again.
        """
        self.path = path
        self._lock = _lock(path)
        self._connection = sqlite3.connect(":memory:")
        try:
            with self._classified_errors():
                self._connection = sqlite3.connect(path, timeout=busy_ms / 1000, isolation_level=None)
                self._prepare(schema, added, application)
        except JournalError:
            self.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All of the block is committed and on the disk when it ends, or nothing of it is."""
        with self._classified_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @property
    def within(self) -> sqlite3.Connection:
        """The connection, for whoever writes within a transaction."""
        return self._connection

    def run_separately(self, call: Callable[[], None]) -> JournalError | None:
        """Makes `call` within a transaction; what contradicts the file is undone alone, and its error returned."""
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
        """The connection, for queries."""
        with self._classified_errors():
            yield self._connection

    def limit_pages(self, pages: int | None) -> None:
        """The file may take so many pages of 4,096 bytes at most; None takes the limit away."""
        with self._classified_errors():
            self._connection.execute(f"PRAGMA max_page_count={_NO_LIMIT if pages is None else pages:d}")

    def damaged(self, reason: str) -> JournalDamagedError:
        """The error to raise for content that is not what was written; noted for the next start."""
        error = JournalDamagedError(f"{self.path}: {reason}")
        mark_damaged(self.path, str(error))
        return error

    def close(self) -> None:
        """Closes the file and lets others have it."""
        self._connection.close()
        os.close(self._lock)

    def _prepare(self, schema: str, added: str, application: int) -> None:
        fresh = self._number("page_count") == 0
        if fresh:
            clear_damage_marker(self.path)
        else:
            self._check(application)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        if fresh:
            self._connection.executescript(
                f"BEGIN IMMEDIATE; {schema} {added} PRAGMA application_id={application:d};"
                f" PRAGMA user_version={SCHEMA_VERSION:d}; COMMIT;"
            )
        elif self._number("user_version") < SCHEMA_VERSION:
            self._connection.executescript(f"BEGIN IMMEDIATE; {added} PRAGMA user_version={SCHEMA_VERSION:d}; COMMIT;")

    def _check(self, application: int) -> None:
        """Touches nothing: a file that is not ours stays as it is."""
        if self._number("application_id") != application:
            raise JournalDamagedError(f"{self.path}: this is no journal of this kind")
        version = self._number("user_version")
        if version not in (1, SCHEMA_VERSION):
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


def _lock(path: Path) -> int:
    """An exclusive advisory lock beside `path`; SQLite's own locks come and go with each transaction."""
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


async def claim_journal(path: Path, last: str | None, note: Callable[[str], Awaitable[None]]) -> None:
    """Goes on with the journal at `path`, whose note WRITTEN_BY is `last`, and has it noted.

    JournalVersionError, and nothing touched, when a newer version went on with it before.
    """
    ours = version("pitwarden")
    if last is not None and is_newer(last):
        raise JournalVersionError(
            f"{path}: pitwarden {last} went on with this journal, and this is {ours}: a downgrade is refused, since"
            f" older code judges by other rules and may not read what was written. Install {last} or a newer one. If"
            " the older one is meant: keep the journals elsewhere as evidence and begin afresh; the table holds until"
            " its decks are verified"
        )
    if last != ours:
        with suppress(*TEMPORARY_ERRORS):  # a full disk is no reason not to start; the next start notes it
            await note(ours)


def is_newer(last: str) -> bool:
    """Whether version `last` is newer than this one."""
    return _release(last) > _release(version("pitwarden"))


def _release(text: str) -> tuple[int, ...]:
    """The numbers of a version; what follows them (a build, a pre-release) tells nothing about what can be read."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
