"""Reader of the raw pages and records of a SQLite file and its write-ahead log, for a file that SQLite cannot open.

The format: sqlite.org/fileformat2.html, sections 1.2, 1.6, 2.1 and 4.1. An unreadable page costs only itself. At most
one page is held in memory, and the list of pages in the log. The caller must check the content of each record.

Threat: a medium that fails anywhere, and a file in which any byte may have been written by an attacker. A cell that
makes no sense is skipped, and every length is bounded.
"""

import os
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final

PAGE: Final = 4_096  # SQLite's default
MAX_USES: Final = 4  # an overflow page belongs to one row; the same row may stand in two images of its leaf
_FILE_HEADER: Final = 100
_WAL_HEADER, _FRAME_HEADER = 32, 24
_SALTS, _SALTS_OF_LOG = slice(8, 16), slice(16, 24)  # in a frame's header, and in that of the whole log


@contextmanager
def open_pages(path: Path) -> Iterator["SqlitePages"]:
    """Open the file at `path`, and the write-ahead log next to it if there is one.

    Raises:
        OSError: The file does not exist or cannot be opened.
    """
    beside = path.with_name(path.name + "-wal")
    with ExitStack() as stack:
        file = stack.enter_context(FileIO(path))
        yield SqlitePages(file, stack.enter_context(FileIO(beside)) if beside.is_file() else None)


class SqlitePages:
    """Pages of one file, numbered from 1 as in the format. `unreadable` names those that could not be read."""

    def __init__(self, file: FileIO, log: FileIO | None) -> None:
        self.unreadable: dict[str, None] = {}
        self.count = -(-file.seek(0, os.SEEK_END) // PAGE)
        self._file, self._log = file, log
        self._uses: Counter[int] = Counter()
        self._logged = {} if log is None else self._committed(log)

    def all(self) -> Iterator[tuple[bytes, int]]:
        """Yield each page and the offset of the page header in it; the newer images in the log follow last.

        A page that cannot be read is empty.
        """
        for number in range(1, self.count + 1):
            yield self._stored(number), _FILE_HEADER if number == 1 else 0
        for number in self._logged:
            yield self._newer(number), _FILE_HEADER if number == 1 else 0

    def overflow(self, number: int) -> bytes:
        """Return the newest image of page `number`.

        Raises:
            ValueError: The page cannot be read, or more than MAX_USES rows claim it.
        """
        # A forged link could form a circle, or name one page in every row, and make the salvage endless.
        self._uses[number] += 1
        if self._uses[number] > MAX_USES:
            raise ValueError("a page that others hold")
        found = self._newer(number) or self._stored(number)
        if not found:
            raise ValueError("a page that is not there, or cannot be read")
        return found

    def _stored(self, number: int) -> bytes:
        """Return page `number` of the file, padded where the file ends within it; empty when there is none."""
        if not 1 <= number <= self.count:
            return b""
        found = self._read(self._file, f"page {number}", (number - 1) * PAGE, PAGE)
        return found and found.ljust(PAGE, b"\0")

    def _newer(self, number: int) -> bytes:
        """Return the newest readable image of page `number` in the log; empty when there is none."""
        if self._log is None:
            return b""
        for frame in reversed(self._logged.get(number, [])):
            found = self._read(self._log, _name(frame), _start(frame) + _FRAME_HEADER, PAGE)
            if found:
                return found
        return b""

    def _committed(self, log: FileIO) -> dict[int, list[int]]:
        """Return the frames of each page, the newest last, without transactions whose end cannot be read."""
        committed = defaultdict[int, list[int]](list)
        waiting: list[tuple[int, int]] = []
        salts = self._read(log, "the head of its log", 0, _WAL_HEADER)[_SALTS_OF_LOG]
        for frame in range((log.seek(0, os.SEEK_END) - _WAL_HEADER) // (_FRAME_HEADER + PAGE)):
            header = self._read(log, _name(frame), _start(frame), _FRAME_HEADER)
            if not header:
                continue
            salts = salts or header[_SALTS]
            if header[_SALTS] != salts:  # the rest is from an earlier use of the file
                break
            number, ends = struct.unpack_from(">II", header)
            waiting.append((number, frame))
            if ends:
                for ended, image in waiting:
                    committed[ended].append(image)
                waiting.clear()
        return committed

    def _read(self, file: FileIO, name: str, at: int, size: int) -> bytes:
        """Return `size` bytes, fewer at the end of the file; empty when the medium returns only some of them."""
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


MAX_RECORD: Final = 1_048_576  # the longest row is an eighth of it
MAX_HEADER: Final = 128  # the widest of our tables has eight columns
_LEAF: Final = b"\x0d"
_LINK: Final = 4
_SIZES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_CONSTANTS: Final[dict[int, int | None]] = {0: None, 8: 0, 9: 1}
_FIRST_LONG: Final = 12
# Bytes of SQLite's longest variable-length number.
_LONGEST_VARINT: Final = 9

Value = int | str | bytes | None


@dataclass(frozen=True, slots=True)
class SqliteRecord:
    """One row of any table: its rowid and its columns. A column that is the rowid itself is None."""

    rowid: int
    values: tuple[Value, ...]


def read_records(page: bytes, start: int, pages: SqlitePages) -> Iterator[SqliteRecord]:
    """Yield every readable record of a leaf page whose header is at `start`. `pages` supplies the overflow pages."""
    if page[start : start + 1] != _LEAF:
        return
    (count,) = struct.unpack_from(">H", page, start + 3)
    for index in range(min(count, PAGE // 2)):
        try:
            (cell,) = struct.unpack_from(">H", page, start + 8 + 2 * index)
            yield _record(page, cell, pages)
        except (ValueError, struct.error):
            continue


def _record(page: bytes, at: int, pages: SqlitePages) -> SqliteRecord:
    """Return the record of the cell at `at`; ValueError when it is not a cell."""
    length, at = _varint(page, at)
    rowid, at = _varint(page, at)
    payload = _payload(page, at, length, pages)
    end, at = _varint(payload, 0)
    if end > MAX_HEADER:
        raise ValueError("more columns than any row of ours has")
    types = []
    while at < end:
        kind, at = _varint(payload, at)
        types.append(kind)
    values = []
    at = end
    for kind in types:
        value, at = _value(payload, at, kind)
        values.append(value)
    return SqliteRecord(rowid, tuple(values))


def _payload(page: bytes, at: int, length: int, pages: SqlitePages) -> bytes:
    """Return the payload of a cell, with its overflow pages. The split is that of the format (section 1.6)."""
    if not 0 < length <= MAX_RECORD:
        raise ValueError("a length that no row has")
    least = (PAGE - 12) * 32 // 255 - 23
    local = length
    if length > PAGE - 35:
        local = least + (length - least) % (PAGE - 4)
        local = local if local <= PAGE - 35 else least
    whole = page[at : at + local]
    link = page[at + local : at + local + _LINK]
    while len(whole) < length:
        following = pages.overflow(int.from_bytes(link, "big"))
        link, part = following[:_LINK], following[_LINK:]
        whole += part[: length - len(whole)]
    return whole


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], at
    size = _SIZES.get(kind, (kind - _FIRST_LONG) // 2 if kind >= _FIRST_LONG else -1)
    raw = payload[at : at + size]
    if size < 0 or len(raw) != size:
        raise ValueError("a column that no row of ours has")
    if kind < _FIRST_LONG:
        return int.from_bytes(raw, "big", signed=True), at + size
    return (raw.decode() if kind % 2 else raw), at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at `at` and its end; ValueError when the data ends within it."""
    value = 0
    for offset, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        if offset == _LONGEST_VARINT - 1:
            return value << 8 | byte, at + offset + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  the continuation bit
            return value, at + offset + 1
    raise ValueError("a number that does not end")
