"""Files under SQLite that fail on demand: full, unwritable, slow, or as a power cut leaves them.

SQLite reaches every file through a table of functions (https://www.sqlite.org/c3ref/io_methods.html). A VFS of ours is
registered as the default in the very library that Python's `sqlite3` uses; it opens files as SQLite does, and replaces
the functions that read, write, truncate and sync. So the faults lie under the journal's own code and under SQLite's.
"""

import ctypes
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

OK: Final = 0
FULL: Final = sqlite3.SQLITE_FULL
WRITE_FAILED: Final = sqlite3.SQLITE_IOERR_WRITE
SYNC_FAILED: Final = sqlite3.SQLITE_IOERR_FSYNC
SHORT_WRITE: Final = -1
"""Half of a write reaches the file, and then the disk is full."""
LIED: Final = -2
"""The disk reports that it has synced a file, and has not."""

_POINTER: Final = ctypes.c_void_p
_TRANSFER: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, ctypes.c_int, ctypes.c_int64)
_TRUNCATE: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int64)
_FILE_SIZE: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.POINTER(ctypes.c_int64))
_SYNC: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, ctypes.c_int)
# The name as a pointer: SQLite keeps it, and a copy of Python's would be freed.
_OPEN: Final = ctypes.CFUNCTYPE(ctypes.c_int, _POINTER, _POINTER, _POINTER, ctypes.c_int, _POINTER)

_METHODS: Final = 19
"""Pointers in sqlite3_io_methods version 3, with the version at the front."""
_READ, _WRITE, _TRUNC, _SYNCS, _SIZE = 2, 3, 4, 5, 6


class _Vfs(ctypes.Structure):
    _fields_ = (
        ("iVersion", ctypes.c_int), ("szOsFile", ctypes.c_int), ("mxPathname", ctypes.c_int), ("pNext", _POINTER),
        ("zName", ctypes.c_char_p), ("pAppData", _POINTER), ("xOpen", _POINTER), ("rest", _POINTER * 15),
    )  # fmt: skip


class FilesUnavailableError(Exception):
    """Python's `sqlite3` does not use a shared library, so that its files cannot be simulated.

    Policy: refuse to simulate; Debian's python3 has one.
    """


@dataclass
class FileFaults:
    """Faults of the files whose name begins with `prefix`; calls are counted from 1.

    `on_write` and `on_sync` receive the name of the file and return OK or a code for the failure: SQLite's, SHORT_WRITE
    of a write, LIED of a sync.
    """

    prefix: str
    on_write: Callable[[str], int] = lambda _name: OK
    on_sync: Callable[[str], int] = lambda _name: OK
    writes: int = 0
    syncs: int = 0
    unsynced: list[tuple[str, int, bytes, int]] = field(default_factory=list)
    """Writes since the last sync: file, offset, the bytes before, and the size before."""


@dataclass(frozen=True)
class _Original:
    """Functions of SQLite for one kind of file."""

    read: Callable[..., int]
    write: Callable[..., int]
    truncate: Callable[..., int]
    sync: Callable[..., int]
    size: Callable[..., int]


class SimulatedFiles:
    """Default VFS of this process while it is installed. One for each process: SQLite has one list of them."""

    def __init__(self) -> None:
        self._library = _library()
        self._watched: list[FileFaults] = []
        self._names: dict[int, str] = {}
        self._sizes: dict[str, int] = {}
        """Sizes of the files that were written since they were last opened."""
        self._tables: dict[int, ctypes.Array[Any]] = {}
        self._originals: dict[int, _Original] = {}
        self._kept: list[object] = []
        found = self._library.sqlite3_vfs_find(None)
        self._default = found
        plain = ctypes.cast(found, ctypes.POINTER(_Vfs)).contents
        self._plain_open = _OPEN(plain.xOpen)
        self._open = _OPEN(self._opened)
        self._vfs = _Vfs()
        ctypes.memmove(ctypes.byref(self._vfs), found, ctypes.sizeof(_Vfs))
        self._vfs.zName, self._vfs.xOpen = b"pitwarden-simulated", ctypes.cast(self._open, _POINTER)

    def install(self) -> None:
        """Make this the VFS of all connections that are opened from now on."""
        self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1)

    def remove(self) -> None:
        """Make SQLite's own VFS the default again. Files that are open stay as they are."""
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs))
        self._library.sqlite3_vfs_register(self._default, 1)

    def watch(self, prefix: Path) -> FileFaults:
        """Return the faults of the files whose name begins with `prefix`."""
        faults = FileFaults(str(prefix))
        self._watched.append(faults)
        return faults

    def forget(self, faults: FileFaults) -> None:
        """Leave the files of `faults` alone from now on."""
        self._watched.remove(faults)

    def _faults(self, name: str) -> FileFaults | None:
        return next((each for each in self._watched if name.startswith(each.prefix)), None)

    def _opened(self, _vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        result: int = self._plain_open(self._default, name, file, flags, out)
        methods = ctypes.cast(file, ctypes.POINTER(ctypes.c_uint64))
        if result != OK or name is None or not methods[0]:
            return result
        self._names[file] = opened = os.fsdecode(ctypes.string_at(name))
        self._sizes.pop(opened, None)
        methods[0] = ctypes.addressof(self._table(methods[0]))
        return result

    def _table(self, methods: int) -> "ctypes.Array[Any]":
        """Return the functions of SQLite at `methods` with ours in their place."""
        if methods in self._tables:
            return self._tables[methods]
        table = (ctypes.c_uint64 * _METHODS)()
        version = ctypes.cast(methods, ctypes.POINTER(ctypes.c_int)).contents.value
        size = {1: 13, 2: 17}.get(version, _METHODS)
        ctypes.memmove(table, methods, 8 * size)
        plain = _Original(
            _TRANSFER(table[_READ]), _TRANSFER(table[_WRITE]), _TRUNCATE(table[_TRUNC]), _SYNC(table[_SYNCS]),
            _FILE_SIZE(table[_SIZE]),
        )  # fmt: skip
        write = _TRANSFER(lambda file, data, amount, at: self._write(plain, file, data, amount, at))
        truncate = _TRUNCATE(lambda file, size: self._truncate(plain, file, size))
        sync = _SYNC(lambda file, flags: self._sync(plain, file, flags))
        for place, function in ((_WRITE, write), (_TRUNC, truncate), (_SYNCS, sync)):
            table[place] = ctypes.cast(function, _POINTER).value or 0
        self._kept += [write, truncate, sync, plain]
        self._tables[methods] = table
        return table

    def _write(self, plain: _Original, file: int, data: int, amount: int, at: int) -> int:
        name = self._names.get(file, "")
        faults = self._faults(name)
        if faults is None:
            return plain.write(file, data, amount, at)
        faults.writes += 1
        result = faults.on_write(name)
        if result not in {OK, SHORT_WRITE}:
            return result
        size = self._size(plain, file, name)
        faults.unsynced.append((name, at, _before(plain, file, min(amount, size - at), at), size))
        del self._sizes[name]
        if result == SHORT_WRITE:
            plain.write(file, data, amount // 2, at)
            return FULL
        written = plain.write(file, data, amount, at)
        if written == OK:
            self._sizes[name] = max(size, at + amount)
        return written

    def _size(self, plain: _Original, file: int, name: str) -> int:
        """Return the size of a file. The system is asked once after each opening, since that takes long."""
        if name not in self._sizes:
            size = ctypes.c_int64()
            plain.size(file, ctypes.byref(size))
            self._sizes[name] = size.value
        return self._sizes[name]

    def _truncate(self, plain: _Original, file: int, size: int) -> int:
        name = self._names.get(file, "")
        faults = self._faults(name)
        if faults is not None:
            faults.writes += 1
            result = faults.on_write(name)
            if result != OK:
                return WRITE_FAILED if result == SHORT_WRITE else result
            whole = self._size(plain, file, name)
            faults.unsynced.append((name, size, _before(plain, file, whole - size, size), whole))
            del self._sizes[name]
        return plain.truncate(file, size)

    def _sync(self, plain: _Original, file: int, flags: int) -> int:
        name = self._names.get(file, "")
        faults = self._faults(name)
        if faults is None:
            return plain.sync(file, flags)
        faults.syncs += 1
        result = faults.on_sync(name)
        if result == LIED:
            return OK
        if result != OK:
            return result
        faults.unsynced = [each for each in faults.unsynced if each[0] != name]
        # What this machine's disk does is not part of the simulation: `unsynced` is what a power cut takes away.
        return OK


def _before(plain: _Original, file: int, amount: int, at: int) -> bytes:
    """Return the `amount` bytes of the file that are to be replaced; none where it is written beyond its end."""
    if amount <= 0:
        return b""
    buffer = ctypes.create_string_buffer(amount)
    plain.read(file, ctypes.addressof(buffer), amount, at)
    return buffer.raw


def _library() -> ctypes.CDLL:
    """Return the library that Python's `sqlite3` uses.

    Raises:
        FilesUnavailableError: It is linked into the interpreter.
    """
    sqlite3.connect(":memory:").close()
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    paths = {line.split()[-1] for line in lines if "libsqlite3.so" in line}
    if len(paths) != 1:
        raise FilesUnavailableError(
            "Python's sqlite3 uses no shared libsqlite3, so its files cannot be simulated: use Debian's python3"
        )
    library = ctypes.CDLL(paths.pop())
    library.sqlite3_vfs_find.restype = _POINTER
    library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
    library.sqlite3_vfs_register.argtypes = [_POINTER, ctypes.c_int]
    library.sqlite3_vfs_unregister.argtypes = [_POINTER]
    return library
