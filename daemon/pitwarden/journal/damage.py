"""Damaged journal files: durable marker and quarantine.

A start does not read a large journal completely, so it could miss damage that an earlier run found. The run that finds
damage therefore leaves a marker next to the file, and the next start quarantines the file however it was closed.

A damaged journal is evidence: its bytes stay under a new name, and the service continues with a new file.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final, Protocol, TypeVar

from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalUnwritableError


def fsync_path(path: Path) -> None:
    """Wait until the file at `path`, or the directory entries in it, are on the disk.

    Raises:
        OSError: The path cannot be opened, or the medium reports an error.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SEEN: Final = ".damage-seen"
"""Suffix of the marker's name. An empty marker counts too: a full disk or `touch` leaves one."""


def mark_damaged(path: Path, reason: str) -> None:
    """Write a durable marker for damage of the journal at `path`.

    The first reason stays. On a disk that accepts no marker there is none.
    """
    beside = _marker_path(path)
    with suppress(OSError):
        # O_EXCL keeps the first reason: what a later check finds may be a consequence of the first damage.
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            # The name first: an empty marker already makes the next start quarantine the file, whatever becomes of the
            # reason.
            fsync_path(beside.parent)
            os.write(descriptor, reason.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def damage_marker(path: Path) -> str | None:
    """Return why the journal at `path` must not be used; None without a marker."""
    unsaid = f"{path}: damage was seen"
    try:
        return _marker_path(path).read_text(errors="replace") or unsaid
    except FileNotFoundError:
        return None
    except OSError:
        return unsaid


def clear_damage_marker(path: Path) -> None:
    """Remove the marker of a journal that no longer exists."""
    _marker_path(path).unlink(missing_ok=True)


def _marker_path(path: Path) -> Path:
    return path.with_name(path.name + SEEN)


PARTS = ("", "-wal", "-shm", SEEN)


@dataclass(frozen=True, slots=True)
class QuarantinedJournal:
    """Result of a quarantine. The caller reports it to the table."""

    kept_as: Path
    reason: str
    unsigned: bool = False
    """Whether the file is whole, and what it holds was not signed by the table."""


class _Store(Protocol):
    def check(self) -> None:
        """Check the content.

        Raises:
            JournalDamagedError: The content is not what was written.
        """
        ...

    def close(self) -> None:
        """Close the file and release its lock."""
        ...


S = TypeVar("S", bound=_Store)


def open_or_quarantine(path: Path, opened: Callable[[Path], S]) -> tuple[S, QuarantinedJournal | None]:
    """Open and check the store at `path`; quarantine a damaged file and open a new one in its place.

    Returns:
        The store, and the quarantined file if there was damage.

    Raises:
        JournalError: The file or its replacement cannot be opened. A damaged file then stays in its place for the next
            start.
    """
    # SQLite takes an empty file for a new database. A journal of ours was never empty on the disk after its first
    # commit, so an emptied file must not silently become an empty log.
    if path.exists() and not path.stat().st_size and not path.with_name(path.name + "-wal").exists():
        return _quarantine(path, opened, f"{path}: the file is empty, and it never was when this program wrote it")
    try:
        return _checked(opened(path)), None
    except JournalDamagedError as error:
        return _quarantine(path, opened, str(error))


def _checked(store: S) -> S:
    try:
        store.check()
    except JournalDamagedError:
        store.close()
        raise
    return store


def set_aside_unsigned(path: Path, opened: Callable[[Path], S], reason: str) -> tuple[S, QuarantinedJournal]:
    """Keep the closed journal at `path` under another name, because its end is not signed, and open a new one.

    Raises:
        JournalError: It cannot be renamed, or no new one can be opened. The file then stays in its place.
    """
    store, kept = _quarantine(path, opened, reason, "unsigned")
    return store, replace(kept, unsigned=True)


def _quarantine(
    path: Path, opened: Callable[[Path], S], reason: str, word: str = "damaged"
) -> tuple[S, QuarantinedJournal]:
    free = (path.with_name(f"{path.name}.{word}-{n}") for n in count(1))
    kept = next(name for name in free if not name.exists())
    try:
        for part in PARTS:
            old = path.with_name(path.name + part)
            if old.exists():
                old.rename(kept.with_name(kept.name + part))
    except OSError as error:
        raise JournalUnwritableError(f"{reason}; and it cannot be set aside: {error.strerror}") from error
    try:
        return opened(path), QuarantinedJournal(kept, reason)
    except JournalError:
        _restore(kept, path)
        raise


def _restore(kept: Path, path: Path) -> None:
    """Undo a quarantine.

    Otherwise each failing start would quarantine what the previous one left, and salvage would begin there.
    """
    with suppress(OSError):
        for part in PARTS:
            old, new = kept.with_name(kept.name + part), path.with_name(path.name + part)
            if old.exists():
                old.replace(new)
            else:
                new.unlink(missing_ok=True)
