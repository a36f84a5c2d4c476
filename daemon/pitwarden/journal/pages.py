"""A SQLite file's raw pages and those of its write-ahead log, read one by one: what cannot be read costs itself alone.

The format: sqlite.org/fileformat2.html, sections 1.2 and 4.1. The adversary is a medium that fails where it likes, and
whoever wrote anything anywhere. No more than a page is held, and what says where the log's pages are.
"""

import os
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path
from typing import Final

PAGE: Final = 4_096  # what SQLite takes where nobody asks for another size
MAX_USES: Final = 4  # an overflow page belongs to one row; the same row may stand in two images of its leaf
_FILE_HEADER: Final = 100
_WAL_HEADER, _FRAME_HEADER = 32, 24
_SALTS, _SALTS_OF_LOG = slice(8, 16), slice(16, 24)  # in a frame's header, and in that of the whole log


@contextmanager
def opened(path: Path) -> Iterator["Pages"]:
    """The pages of the file at `path` and of the write-ahead log beside it; OSError when there is no file."""
    beside = path.with_name(path.name + "-wal")
    with ExitStack() as stack:
        file = stack.enter_context(FileIO(path))
        yield Pages(file, stack.enter_context(FileIO(beside)) if beside.is_file() else None)


class Pages:
    """A file's pages, counted from 1 as the format does. `unreadable` names what was asked for and cannot be read."""

    def __init__(self, file: FileIO, log: FileIO | None) -> None:
        self.unreadable: dict[str, None] = {}
        self.count = -(-file.seek(0, os.SEEK_END) // PAGE)
        self._file, self._log = file, log
        self._uses: Counter[int] = Counter()
        self._logged = {} if log is None else self._committed(log)

    def all(self) -> Iterator[tuple[bytes, int]]:
        """Each page, empty when it cannot be read, and where in it its own header is; the log's newer images last."""
        for number in range(1, self.count + 1):
            yield self._stored(number), _FILE_HEADER if number == 1 else 0
        for number in self._logged:
            yield self._newer(number), _FILE_HEADER if number == 1 else 0

    def overflow(self, number: int) -> bytes:
        """Page `number` as it is newest; ValueError where none can be read, or when too many rows claim it."""
        self._uses[number] += 1
        if self._uses[number] > MAX_USES:
            raise ValueError("a page that others hold")
        found = self._newer(number) or self._stored(number)
        if not found:
            raise ValueError("a page that is not there, or cannot be read")
        return found

    def _stored(self, number: int) -> bytes:
        """Page `number` as it stands in the file, filled up where the file ends in it; empty when there is none."""
        if not 1 <= number <= self.count:
            return b""
        found = self._read(self._file, f"page {number}", (number - 1) * PAGE, PAGE)
        return found and found.ljust(PAGE, b"\0")

    def _newer(self, number: int) -> bytes:
        """Page `number` as it is newest in the log, of the images that can be read; empty when there is none."""
        if self._log is None:
            return b""
        for frame in reversed(self._logged.get(number, [])):
            found = self._read(self._log, _name(frame), _start(frame) + _FRAME_HEADER, PAGE)
            if found:
                return found
        return b""

    def _committed(self, log: FileIO) -> dict[int, list[int]]:
        """In which frames each page is, the newest last; none of a transaction whose end is not there to be read."""
        committed = defaultdict[int, list[int]](list)
        waiting: list[tuple[int, int]] = []
        salts = self._read(log, "the head of its log", 0, _WAL_HEADER)[_SALTS_OF_LOG]
        for frame in range((log.seek(0, os.SEEK_END) - _WAL_HEADER) // (_FRAME_HEADER + PAGE)):
            header = self._read(log, _name(frame), _start(frame), _FRAME_HEADER)
            if not header:
                continue
            salts = salts or header[_SALTS]
            if header[_SALTS] != salts:  # what lies behind is of an earlier use of the file
                break
            number, ends = struct.unpack_from(">II", header)
            waiting.append((number, frame))
            if ends:
                for ended, image in waiting:
                    committed[ended].append(image)
                waiting.clear()
        return committed

    def _read(self, file: FileIO, name: str, at: int, size: int) -> bytes:
        """`size` bytes, fewer where the file ends; empty when the medium gives back only some of them, or none."""
        if name in self.unreadable:  # a disk may try for half a minute each time
            return b""
        whole = b""
        try:
            while len(whole) < size and (part := os.pread(file.fileno(), size - len(whole), at + len(whole))):
                whole += part
        except OSError:
            self.unreadable[name] = None
            return b""
        return whole


def _start(frame: int) -> int:
    return _WAL_HEADER + frame * (_FRAME_HEADER + PAGE)


def _name(frame: int) -> str:
    return f"frame {frame + 1} of its log"
