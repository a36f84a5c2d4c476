"""Damage that was seen in a journal, noted beside it: the next start sets the file aside, however it was closed since.

A start does not read a large journal whole, so it could not find the damage again.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from pitwarden.journal.durable import sync

SEEN: Final = ".damage-seen"
"""What the note's name ends with; an empty one counts too, as a full disk or a person's `touch` leaves it."""


def note(path: Path, reason: str) -> None:
    """Notes damage of the journal at `path`, durably. The first reason stays; a disk that takes no note has none."""
    beside = _beside(path)
    with suppress(OSError):
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            sync(beside.parent)
            os.write(descriptor, reason.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def noted(path: Path) -> str | None:
    """Why the journal at `path` is not to be gone on with; None when nothing was seen."""
    unsaid = f"{path}: damage was seen"
    try:
        return _beside(path).read_text(errors="replace") or unsaid
    except FileNotFoundError:
        return None
    except OSError:
        return unsaid


def forget(path: Path) -> None:
    """Takes the note away: of a journal that is there no more."""
    _beside(path).unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + SEEN)
