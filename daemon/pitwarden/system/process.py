"""Process set-up: no core dumps, stop signals and deadline, garbage-collector tuning.

A core dump of this process would contain hidden cards and keys.

The process keeps millions of objects and creates hardly any reference cycle. At the default thresholds, cycle detection
took a sixth of the processor at 600 tables, and each full collection delayed every table.
"""

import asyncio
import contextlib
import ctypes
import gc
import resource
import signal
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

_PR_SET_DUMPABLE: Final = 4  # prctl(2)


def disable_core_dumps() -> None:
    """Disable core files, and ptrace by the same user.

    Raises:
        OSError: The kernel refuses.
    """
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError):
        if not _none_allowed():  # the unit's sandbox forbids the call, after having set the limit itself
            raise
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_DUMPABLE) failed")


def raise_open_files() -> int:
    """Raise the number of files that this process may open to what the kernel allows it, and return that number.

    The soft limit of 1,024 is for programs that use select(2). A judge of 500 tables needs more.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # a sandbox may forbid it: the unit has set the limit itself
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


# Files that each table of a judge needs, measured on a running one: two sockets of its link.
_FILES_PER_TABLE: Final = 2
# Other files of a judge: its journal and the inspection of it, the system journal, metrics and their readers. A quiet
# judge has 11 open.
_FILES_BESIDES: Final = 64
# Files that each device needs: its port, and one more while the port is being opened again.
_FILES_PER_DEVICE: Final = 2


def open_files_needed(tables: int, devices: int = 0) -> int:
    """Return how many files a process opens at most for `tables` tables and `devices` devices."""
    return _FILES_BESIDES + _FILES_PER_TABLE * tables + _FILES_PER_DEVICE * devices


def open_files_problem(tables: int, limit: int) -> str:
    """Return why a judge of `tables` tables cannot run with `limit` open files; empty when it can."""
    needed = open_files_needed(tables)
    if needed <= limit:
        return ""
    return (
        f"{tables} tables need {needed} open files, and this process may have {limit}."
        f" Set LimitNOFILE={needed} or more in the unit, or judge fewer tables in one process"
    )


def _none_allowed() -> bool:
    limits = Path("/proc/self/limits").read_text(encoding="ascii").splitlines()
    return any(line.split()[-3:] == ["0", "0", "bytes"] for line in limits if line.startswith("Max core file size"))


STOP_S: Final = 4.5  # below every manager's patience; what is not committed by then its device still keeps


@contextlib.contextmanager
def install_stop_signals(events: Mapping[signal.Signals, asyncio.Event]) -> Iterator[None]:
    """Set each signal's event when it arrives; a second signal changes nothing."""
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
    """Collect when many objects are new, and rarely all generations."""
    gc.set_threshold(*_THRESHOLDS)


def freeze_gc() -> None:
    """Exempt all objects alive now from garbage collection (`gc.freeze`)."""
    gc.freeze()


@contextlib.contextmanager
def loading() -> Iterator[None]:
    """Load modules without searching them for garbage, and exempt what was loaded from all later searches.

    Modules live until the process ends. The interpreter's last search, through all of them, took 0.2 s of each stop.
    """
    gc.disable()
    try:
        _load_structlog()
        yield
    finally:
        freeze_gc()
        gc.enable()


def _load_structlog() -> None:
    """Load structlog without rich, whose 64 modules serve its tracebacks on a console.

    No log of ours has one: they took 0.06 s of each start. Whatever is loaded afterwards finds rich as usual.
    """
    missing = "rich" not in sys.modules
    if missing:
        sys.modules["rich"] = None  # type: ignore[assignment]  # the import system's own mark: "not to be found"
    try:
        import_module("structlog")
    finally:
        if missing:
            del sys.modules["rich"]
