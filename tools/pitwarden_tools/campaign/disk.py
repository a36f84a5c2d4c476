"""Small file system for one table's journals, so that it can really be full. Needs root and mount(2)."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

SIZE: Final = 24_000_000  # a night takes a few megabytes
_BLOCK: Final = bytes(65_536)


@cache
def why_not() -> str:
    """Return why this machine cannot have one; empty when it can."""
    if os.geteuid() != 0:
        return "mounting a file system takes root"
    with TemporaryDirectory() as place:
        try:
            with small_disk(Path(place) / "disk", 65_536):
                return ""
        except OSError as error:
            return f"this machine does not let a file system be mounted: {error}"


@contextlib.contextmanager
def small_disk(folder: Path, size: int = SIZE) -> Iterator[None]:
    """Make `folder` a file system of `size` bytes; afterwards it is a folder with the same files.

    Raises:
        OSError: It cannot be mounted.
    """
    folder.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder))
    kept = folder.with_name(f"{folder.name}.kept")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            shutil.copytree(folder, kept)
        _run("umount", str(folder))
        if kept.is_dir():
            folder.rmdir()
            kept.rename(folder)


def fill(filler: Path) -> None:
    """Write until the file system of `filler` has no byte left."""
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(_BLOCK):
            pass


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  mount and umount
    if done.returncode:
        raise OSError(done.stderr.strip() or f"{words[0]} failed")
