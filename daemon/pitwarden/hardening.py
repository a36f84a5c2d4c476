"""What the process gives up at start: core dumps, since a dump of this process would hold hidden cards and keys."""

import ctypes
import resource
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # prctl(2)


def forbid_core_dumps() -> None:
    """No core file, no ptrace by the same user; OSError when the kernel refuses."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")
