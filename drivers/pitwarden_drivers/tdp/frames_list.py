"""List in three kinds of frame (SPEC.md section 7). Count and checksum are announced, so that none is cut unnoticed."""

import zlib
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

from pitwarden_drivers.tdp.fields import BodyReader, MalformedBodyError, u32

STACK: Final = 0x14
COUNT: Final = 0x03
# Bytes of a list in one frame: with its head a frame stays below the framer's bound.
MAX_PART: Final = 200
# Bytes: two for each of 416 cards, the largest set.
MAX_SIZE: Final = 832


@dataclass(frozen=True, slots=True)
class ListBeginFrame:
    """Beginning of a list of `size` bytes. `subject` 14: the faces of a stack, `number` is its event's counter.

    `subject` 03: the cards in each compartment, two bytes each, `number` is the number of the command.

    +----+---------+---------+-----------+---------+-----------+
    | 91 | subject | boot  4 | number  4 | size  2 | CRC-32  4 |
    +----+---------+---------+-----------+---------+-----------+
    """

    subject: int
    boot: int
    number: int
    size: int
    crc: int = field(repr=False)  # the checksum of one card reveals the card
    TYPE: ClassVar = 0x91

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        head = bytes((self.TYPE, self.subject)) + u32(self.boot, self.number)
        return head + self.size.to_bytes(2, "big") + u32(self.crc)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        frame = cls(cursor.number(1), cursor.number(4), cursor.number(4), cursor.number(2), cursor.number(4))
        if frame.size > MAX_SIZE:
            raise MalformedBodyError("a list of more than 832 bytes")
        return frame


@dataclass(frozen=True, slots=True)
class ListItemsFrame:
    """Bytes of list `number`, beginning at `offset`.

    +----+-----------+-----------+------------------+
    | 92 | number  4 | offset  2 | bytes, 1 to 200  |
    +----+-----------+-----------+------------------+
    """

    number: int
    offset: int
    items: bytes = field(repr=False)
    TYPE: ClassVar = 0x92

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.number) + self.offset.to_bytes(2, "big") + self.items

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(2), cursor.rest())


@dataclass(frozen=True, slots=True)
class ListEndFrame:
    """End of list `number`.

    +----+-----------+
    | 93 | number  4 |
    +----+-----------+
    """

    number: int
    TYPE: ClassVar = 0x93

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.number)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4))


def list_frames(
    subject: int, boot: int, number: int, content: bytes
) -> tuple[ListBeginFrame | ListItemsFrame | ListEndFrame, ...]:
    """Return the frames that carry `content` as one list."""
    parts = range(0, len(content), MAX_PART)
    items = tuple(ListItemsFrame(number, at, content[at : at + MAX_PART]) for at in parts)
    return (ListBeginFrame(subject, boot, number, len(content), zlib.crc32(content)), *items, ListEndFrame(number))


class ListAssembler:
    """List under reception. It stores at most the announced size and returns the list only when it is complete."""

    def __init__(self, begin: ListBeginFrame) -> None:
        self.begin = begin
        self._content = bytearray()
        self._torn = False

    def add(self, part: ListItemsFrame) -> None:
        """Add a part. One that does not follow the last, or is too long, invalidates the list."""
        fits = part.offset == len(self._content) and len(self._content) + len(part.items) <= self.begin.size
        if part.number != self.begin.number or not fits:
            self._torn = True
        else:
            self._content += part.items

    def finish(self, end: ListEndFrame) -> bytes | None:
        """Return the list; None when a part is missing or the checksum does not agree."""
        content = bytes(self._content)
        same = end.number == self.begin.number and len(content) == self.begin.size
        return content if same and not self._torn and zlib.crc32(content) == self.begin.crc else None
