"""Sectors that a medium no longer returns: the kernel itself answers EIO to each read that touches them.

A seccomp filter over one thread, and over those that it starts, notifies us of each `pread64`, by which SQLite and the
salvage read, each `pwrite64`, and renames. It needs no privilege, and ends with its threads. Linux, x86-64 and AArch64.
Where no such filter can be set (a container may forbid it, or use one already) the test is skipped.
"""

import ctypes
import errno
import os
import platform
import select
import struct
from collections.abc import Callable, Iterable, Mapping
from fcntl import ioctl
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeVar

import pytest

from pitwarden.journal.sqlite_pages import PAGE

T = TypeVar("T")

_SECCOMP, _PREAD64, _PWRITE64, _RENAMES = {
    "x86_64": (317, 17, 18, (82, 264, 316)),
    "aarch64": (277, 67, 68, (38, 276)),
}[platform.machine()]
_SET_MODE_FILTER, _NEW_LISTENER, _NO_NEW_PRIVS = 1, 8, 38  # from here on: linux/seccomp.h, filter.h and prctl.h
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ASK, _ALLOW = 0x7FC00000, 0x7FFF0000
_ASKED: Final = struct.Struct("=QIIiIQ6Q")


def on_bad_medium(bad: Mapping[Path, Iterable[int]], call: Callable[[], T], renames: int = 0, writes: int = 0) -> T:
    """Run `call` in a thread for which these pages of these files, from 0, cannot be read; return its result.

    The files stay bad under any name. `renames` and `writes`: the error number with which those fail, everywhere.
    """
    inodes = {path.stat().st_ino: set(pages) for path, pages in bad.items()}
    done: list[T] = []
    failed: list[BaseException] = []
    listeners: SimpleQueue[int] = SimpleQueue()

    def work() -> None:
        try:
            listeners.put(_filtered())
            done.append(call())
        except (Exception, pytest.skip.Exception) as error:  # noqa: BLE001  the caller's thread raises it
            failed.append(error)
            listeners.put(-1)

    thread = Thread(target=work)
    thread.start()
    listener = listeners.get()
    if listener >= 0:
        _answer(listener, inodes, {_PWRITE64: writes} | dict.fromkeys(_RENAMES, renames))
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _filtered() -> int:
    """Set the filter and return the descriptor of its notifications."""
    asked = (_PREAD64, _PWRITE64, *_RENAMES)
    steps = [(_LOAD, 0, 0, 0)]
    steps += [(_IF_EQUAL, len(asked) - at, 0, number) for at, number in enumerate(asked)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ASK)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    whole = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    listener = int(libc.syscall(_SECCOMP, _SET_MODE_FILTER, _NEW_LISTENER, whole))
    if listener < 0:
        pytest.skip(f"no seccomp filter that asks can be set here: {os.strerror(ctypes.get_errno())}")
    return listener


def _answer(listener: int, bad: Mapping[int, set[int]], errors: Mapping[int, int]) -> None:
    """Answer notifications until no filtered thread is left."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while poll.poll()[0][1] & select.POLLIN:
        asked = bytearray(_ASKED.size)
        ioctl(listener, _RECEIVE, asked)
        call, _, _, number, _, _, descriptor, _, size, at, *_ = _ASKED.unpack(asked)
        error = errors.get(number, 0)
        if number == _PREAD64:
            touched = range(at // PAGE, -(-(at + size) // PAGE))
            error = errno.EIO if bad.get(os.fstat(descriptor).st_ino, set()).intersection(touched) else 0
        ioctl(listener, _SEND, struct.pack("=QqiI", call, 0, -error, 0 if error else _CONTINUE))
    os.close(listener)
