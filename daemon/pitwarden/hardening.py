"""What the process gives up at start: core dumps, since a dump of this process would hold hidden cards and keys."""

import ctypes
import resource
from pathlib import Path
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # prctl(2)


def forbid_core_dumps() -> None:
    """No core file, no ptrace by the same user; OSError when the kernel refuses."""
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        if not _none_allowed():  # the unit's sandbox forbids the call, after having set the limit itself
            raise
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")


def _none_allowed() -> bool:
    limits = Path("/proc/self/limits").read_text(encoding="ascii").splitlines()
    return any(line.split()[-3:] == ["0", "0", "bytes"] for line in limits if line.startswith("Max core file size"))
