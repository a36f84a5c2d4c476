"""Who else has a port open (B04): the first thing that a person asks when a port is busy."""

import os
from pathlib import Path


def holder_of(place: str, proc: Path = Path("/proc")) -> str:
    """The other process that has `place` open, as far as this user may see, for an error sentence."""
    wanted = os.path.realpath(place)
    for process in proc.glob("[0-9]*"):
        if process.name != str(os.getpid()) and _holds(process, wanted):
            return f"process {process.name} ({_name(process)})"
    return "another process, which this user may not see"


def _holds(process: Path, wanted: str) -> bool:
    try:
        return any(os.path.realpath(fd) == wanted for fd in (process / "fd").iterdir())
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "name unknown"
