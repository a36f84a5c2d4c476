"""Damaged files: marker, quarantine, fsync.

What outlasts a power cut.

Damage that was seen in a journal, noted beside it: the next start sets the file aside, however it was closed since.

A start does not read a large journal whole, so it could not find the damage again.

A damaged journal is evidence: it keeps its bytes under a new name, and the work goes on in a fresh one.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, Protocol, TypeVar

from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalUnwritableError


def fsync_path(path: Path) -> None:
    """Returns once the file at `path`, or the names in the folder, are on the disk; OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


SEEN: Final = ".damage-seen"
"""What the note's name ends with; an empty one counts too, as a full disk or a person's `touch` leaves it."""


def mark_damaged(path: Path, reason: str) -> None:
    """Notes damage of the journal at `path`, durably. The first reason stays; a disk that takes no note has none."""
    beside = _marker_path(path)
    with suppress(OSError):
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fsync_path(beside.parent)
            os.write(descriptor, reason.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def damage_marker(path: Path) -> str | None:
    """Why the journal at `path` is not to be gone on with; None when nothing was seen."""
    unsaid = f"{path}: damage was seen"
    try:
        return _marker_path(path).read_text(errors="replace") or unsaid
    except FileNotFoundError:
        return None
    except OSError:
        return unsaid


def clear_damage_marker(path: Path) -> None:
    """Takes the note away: of a journal that is there no more."""
    _marker_path(path).unlink(missing_ok=True)


def _marker_path(path: Path) -> Path:
    return path.with_name(path.name + SEEN)


PARTS = ("", "-wal", "-shm", SEEN)


@dataclass(frozen=True, slots=True)
class QuarantinedJournal:
    """What was found and where the evidence lies now; the caller tells the table."""

    kept_as: Path
    reason: str


class _Store(Protocol):
    def check(self) -> None:
        """JournalDamagedError when the content is not what was written."""
        ...

    def close(self) -> None:
        """Lets the file go."""
        ...


S = TypeVar("S", bound=_Store)


def open_or_quarantine(path: Path, opened: Callable[[Path], S]) -> tuple[S, QuarantinedJournal | None]:
    """The checked store at `path`; or a fresh one there, with the damage that made it necessary.

    Another JournalError when that cannot be had: the damaged one then stands where it stood, for the next try.
    """
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


def _quarantine(path: Path, opened: Callable[[Path], S], reason: str) -> tuple[S, QuarantinedJournal]:
    free = (path.with_name(f"{path.name}.damaged-{n}") for n in count(1))
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
        _put_back(kept, path)
        raise


def _put_back(kept: Path, path: Path) -> None:
    """Each failing start would else set aside what the one before it left, and the salvage begin with that."""
    with suppress(OSError):
        for part in PARTS:
            old, new = kept.with_name(kept.name + part), path.with_name(path.name + part)
            if old.exists():
                old.replace(new)
            else:
                new.unlink(missing_ok=True)
