"""Records out of a SQLite file's raw pages, without SQLite: what can still be read when the file as such cannot.

The format: sqlite.org/fileformat2.html, sections 1.6 and 2.1. The adversary wrote anything anywhere: a cell that makes
no sense is passed over, and every length is bounded. Whoever takes a record has to check what it says.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pitwarden.journal.pages import PAGE, Pages

MAX_RECORD: Final = 1_048_576  # the longest row is an eighth of it
MAX_HEADER: Final = 128  # the widest of our tables has eight columns
_LEAF: Final = b"\x0d"
_LINK: Final = 4
_SIZES: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_CONSTANTS: Final[dict[int, int | None]] = {0: None, 8: 0, 9: 1}
_FIRST_LONG: Final = 12
_LONGEST_VARINT: Final = 9

Value = int | str | bytes | None


@dataclass(frozen=True, slots=True)
class Record:
    """One row of some table: its rowid and its columns. A column that is the rowid itself is None."""

    rowid: int
    values: tuple[Value, ...]


def records(page: bytes, start: int, pages: Pages) -> Iterator[Record]:
    """Every record of `page` if it is a leaf, whose header is at `start`; `pages` hold what overflows."""
    if page[start : start + 1] != _LEAF:
        return
    (count,) = struct.unpack_from(">H", page, start + 3)
    for index in range(min(count, PAGE // 2)):
        try:
            (cell,) = struct.unpack_from(">H", page, start + 8 + 2 * index)
            yield _record(page, cell, pages)
        except (ValueError, struct.error):
            continue


def _record(page: bytes, at: int, pages: Pages) -> Record:
    """The cell at `at`; ValueError when it is none."""
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
    return Record(rowid, tuple(values))


def _payload(page: bytes, at: int, length: int, pages: Pages) -> bytes:
    """What a cell holds, with its overflow pages; the split is the format's own (section 1.6)."""
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
    """The number at `at` and where it ends; ValueError where the data ends in it."""
    value = 0
    for offset, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        if offset == _LONGEST_VARINT - 1:
            return value << 8 | byte, at + offset + 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  the bit that says more follows
            return value, at + offset + 1
    raise ValueError("a number that does not end")
