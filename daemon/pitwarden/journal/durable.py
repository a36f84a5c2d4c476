"""What outlasts a power cut."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Returns once the file at `path`, or the names in the folder, are on the disk; OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
