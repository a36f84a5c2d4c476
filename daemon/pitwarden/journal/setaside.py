"""A damaged journal is evidence: it keeps its bytes under a new name, and the work goes on in a fresh one."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

from pitwarden.journal.faults import JournalDamagedError, JournalError, JournalUnwritableError
from pitwarden.journal.seen import SEEN

PARTS = ("", "-wal", "-shm", SEEN)


@dataclass(frozen=True, slots=True)
class Damage:
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


def open_or_set_aside(path: Path, opened: Callable[[Path], S]) -> tuple[S, Damage | None]:
    """The checked store at `path`; or a fresh one there, with the damage that made it necessary.

    Another JournalError when that cannot be had: the damaged one then stands where it stood, for the next try.
    """
    if path.exists() and not path.stat().st_size and not path.with_name(path.name + "-wal").exists():
        return _afresh(path, opened, f"{path}: the file is empty, and it never was when this program wrote it")
    try:
        return _checked(opened(path)), None
    except JournalDamagedError as error:
        return _afresh(path, opened, str(error))


def _checked(store: S) -> S:
    try:
        store.check()
    except JournalDamagedError:
        store.close()
        raise
    return store


def _afresh(path: Path, opened: Callable[[Path], S], reason: str) -> tuple[S, Damage]:
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
        return opened(path), Damage(kept, reason)
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
