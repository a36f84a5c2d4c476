"""Process set-up: no core dumps, stop signals and deadline, garbage-collector tuning.

What the process gives up at start: core dumps, since a dump of this process would hold hidden cards and keys.

How a service is asked to stop, and how long it has for that.

Python's search for cycles, for a process that keeps millions of objects and makes hardly any cycle.

Whatever a row leaves behind goes with its last reference. Searching as often as a small program does took a sixth of
the processor at 600 tables, and each whole search kept every table waiting.
"""

import asyncio
import contextlib
import ctypes
import gc
import resource
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # prctl(2)


def disable_core_dumps() -> None:
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


STOP_S: Final = 4.5  # below every manager's patience; what is not committed by then its device still keeps


@contextlib.contextmanager
def install_stop_signals(events: Mapping[signal.Signals, asyncio.Event]) -> Iterator[None]:
    """Each signal sets its event; a second one changes nothing."""
    loop = asyncio.get_running_loop()
    for number, event in events.items():
        loop.add_signal_handler(number, event.set)
    try:
        yield
    finally:
        for number in events:
            loop.remove_signal_handler(number)


_THRESHOLDS: Final = (20_000, 20, 100)  # objects, searches of the young, searches of the middle


def tune_gc() -> None:
    """Searches when much is new, and the whole seldom."""
    gc.set_threshold(*_THRESHOLDS)


def freeze_gc() -> None:
    """What is there now stays: it is not searched any more."""
    gc.freeze()
