"""Files of an installation: what is written where, with which rights, and what happens to one that is there already."""

import grp
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from pitwarden.system.file_errors import file_reason

READABLE: Final = 0o644
GROUP_ONLY: Final = 0o640
OWNER_ONLY: Final = 0o600
FOLDER_OF_SECRETS: Final = 0o700

Policy = Literal["keep", "replace", "refuse"]


class InstallationError(Exception):
    """A file cannot be written, or one that is there must not be replaced.

    Policy: print the sentence and stop with exit code 1; files written so far stay.

    Example: a table file that differs from the answers.
    """


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """File that belongs to the installation.

    `present` decides about a file that is there with other content: it is kept (keys, passwords), replaced (what the
    installation generates), or refused (what a person may have edited). `group` is used where it exists.
    """

    path: Path
    content: bytes = field(repr=False)
    mode: int = READABLE
    present: Policy = "replace"
    group: str | None = None
    secret: bool = False


FileState = Literal["new", "unchanged", "kept", "changed", "refused"]
_STATES: Final[dict[Policy, FileState]] = {"keep": "kept", "replace": "changed", "refuse": "refused"}


def state_of(planned: PlannedFile, root: Path) -> FileState:
    """Return what installing `planned` below `root` would do.

    Raises:
        InstallationError: The file that is there cannot be read.
    """
    file = _below(root, planned.path)
    try:
        present = file.read_bytes()
    except FileNotFoundError:
        return "new"
    except OSError as error:
        raise InstallationError(f"{file}: cannot be read: {error.strerror}; run setup as root") from None
    return "unchanged" if present == planned.content else _STATES[planned.present]


def install(planned: Iterable[PlannedFile], root: Path) -> Iterator[tuple[PlannedFile, FileState]]:
    """Write each file that is new or changed, and yield it with its state.

    Raises:
        InstallationError: A file must not be replaced, or cannot be written.
    """
    files = list(planned)
    refused = [one for one in files if state_of(one, root) == "refused"]
    if refused:
        raise InstallationError(
            f"{refused[0].path}: is there and differs from the answers. Edit it and run setup without answers, or move "
            "it away"
        )
    for one in files:
        state = state_of(one, root)
        if state in {"new", "changed"}:
            _write(one, _below(root, one.path))
        yield one, state


def read_present(path: Path, root: Path) -> str:
    """Return the text of the installed file `path`; empty when it is not there.

    Raises:
        InstallationError: It cannot be read.
    """
    try:
        return _below(root, path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InstallationError(f"{path}: cannot be read: {file_reason(error)}; run setup as root") from None


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _write(planned: PlannedFile, file: Path) -> None:
    """Replace the file in one step, so that a crash leaves the old one or the new one."""
    try:
        if planned.secret:
            file.parent.mkdir(mode=FOLDER_OF_SECRETS, parents=True, exist_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(handle, "wb") as opened:
            opened.write(planned.content)
            opened.flush()
            os.fsync(opened.fileno())
        if planned.group is not None and os.getuid() == 0:
            _give(fresh, planned.group)
        fresh.chmod(planned.mode)
        fresh.replace(file)
    except OSError as error:
        raise InstallationError(f"{file}: cannot be written: {error.strerror}; run setup as root") from None


def _give(file: Path, group: str) -> None:
    try:
        number = grp.getgrnam(group).gr_gid
    except KeyError:
        return  # the broker's package is not installed yet; doctor reports files that it cannot read
    os.chown(file, 0, number)
