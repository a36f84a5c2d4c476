"""Backup and restore of a table's journals. A restored log is an older one: the opening of its next epoch shows it."""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from pitwarden.audit.evidence import AuditError
from pitwarden.journal.damage import PARTS, fsync_path
from pitwarden.system.file_errors import file_reason

MANIFEST: Final = "backup.json"
FILES: Final = ("field.sqlite", "judge.sqlite")


def backup(journals: Sequence[Path], folder: Path) -> dict[str, str]:
    """Copy the journals to the new `folder`, also while the service runs.

    Returns:
        The SHA-256 of each copy, by file name.

    Raises:
        AuditError: There is no journal, one is damaged, or the folder cannot be written.
    """
    found = {path.name: path for path in journals if path.is_file()}
    if not found:
        raise AuditError(f"{journals[0].parent}: holds no journal to back up")
    try:
        folder.mkdir(parents=True, mode=0o700)
        sums = {name: _copied(path, folder / name) for name, path in found.items()}
        _written(folder / MANIFEST, json.dumps({"sha256": sums}, indent=2).encode())
    except OSError as error:
        raise AuditError(f"{folder}: the backup cannot be written: {error.strerror}. Name a new folder") from None
    return sums


def restore(folder: Path, journals: Sequence[Path]) -> list[Path]:
    """Replace the journals by the copies in `folder`; the replaced files are kept under new names.

    Returns:
        The files that were kept.

    Raises:
        AuditError: The service is running, or a copy is not the one that the backup wrote.
    """
    sums = _manifest(folder)
    for name, wanted in sums.items():
        if not (folder / name).is_file() or _digest(folder / name) != wanted:
            raise AuditError(f"{folder / name}: is not the copy that the backup wrote")
    kept: list[Path] = []
    wanted_at = [path for path in journals if path.name in sums]
    try:
        for path in wanted_at:
            path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        with ExitStack() as stack:
            for path in wanted_at:
                # Both locks before either file changes: a service that starts meanwhile must not find only one journal
                # restored.
                stack.enter_context(_held(path))
            for path in wanted_at:
                kept.extend(_set_aside(path))
                shutil.copyfile(folder / path.name, path)
                path.chmod(0o600)
                fsync_path(path)
                _give_to_owner_of(path.parent, path)
                _give_to_owner_of(path.parent, _lock(path))
    except OSError as error:
        raise AuditError(f"{journals[0].parent}: cannot be restored: {error.strerror}") from None
    return kept


def _copied(source: Path, target: Path) -> str:
    """Write one consistent copy, whatever is committed meanwhile, and return its digest."""
    target.touch(0o600)
    try:
        with (
            sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True) as here,
            sqlite3.connect(target) as there,
        ):
            # SQLite's own backup takes a read transaction; copying the file's bytes would tear a commit that is under
            # way.
            here.backup(there)
            found = there.execute("PRAGMA integrity_check(1)").fetchone()[0]
        here.close()
        there.close()
    except sqlite3.DatabaseError as error:
        raise AuditError(f"{source}: cannot be copied: {error}") from None
    if found != "ok":
        raise AuditError(f"{source}: is damaged, and so is its copy: {found}")
    fsync_path(target)
    return _digest(target)


def _manifest(folder: Path) -> dict[str, str]:
    try:
        sums = json.loads((folder / MANIFEST).read_bytes())["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditError(f"{folder / MANIFEST}: is no backup's: {file_reason(error)}") from None
    if not isinstance(sums, dict) or not sums or not set(sums) <= set(FILES):
        raise AuditError(f"{folder / MANIFEST}: names other files than {' and '.join(FILES)}")
    return {str(name): str(wanted) for name, wanted in sums.items()}


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold the lock of this journal; AuditError when a running service holds it."""
    descriptor = os.open(_lock(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise AuditError(f"{path}: the service has it open. Stop it first") from None
    finally:
        os.close(descriptor)


def _lock(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _give_to_owner_of(folder: Path, path: Path) -> None:
    """Give `path` to the owner of its folder: root restores, and the service's account must open the files."""
    owner = folder.stat()
    os.chown(path, owner.st_uid, owner.st_gid)


def _set_aside(path: Path) -> list[Path]:
    number = next(n for n in count(1) if not path.with_name(f"{path.name}.before-restore-{n}").exists())
    kept = []
    for part in PARTS:
        old = path.with_name(path.name + part)
        if old.exists():
            kept.append(old.rename(path.with_name(f"{path.name}.before-restore-{number}{part}")))
    return kept


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _written(path: Path, body: bytes) -> None:
    path.write_bytes(body)
    fsync_path(path)
