"""A list in three kinds of frames (SPEC.md section 7): announced with count and checksum, so that none passes short."""

import zlib
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

from pitwarden_drivers.tdp.fields import BodyReader, MalformedBodyError, u32

STACK: Final = 0x14
COUNT: Final = 0x03
MAX_PART: Final = 200
MAX_SIZE: Final = 832  # two bytes for each of 416 cards, the largest set


@dataclass(frozen=True, slots=True)
class ListBeginFrame:
    """A list of `size` bytes begins. `subject` 14: the faces of a stack, `number` is its event's counter.

    `subject` 03: the cards in each compartment, two bytes each, `number` is the request that asked.

    +----+---------+---------+-----------+---------+-----------+
    | 91 | subject | boot  4 | number  4 | size  2 | CRC-32  4 |
    +----+---------+---------+-----------+---------+-----------+
    """

    subject: int
    boot: int
    number: int
    size: int
    crc: int = field(repr=False)  # the checksum of one card tells the card
    TYPE: ClassVar = 0x91

    def to_bytes(self) -> bytes:
        """The content."""
        head = bytes((self.TYPE, self.subject)) + u32(self.boot, self.number)
        return head + self.size.to_bytes(2, "big") + u32(self.crc)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """The frame from its body."""
        frame = cls(cursor.number(1), cursor.number(4), cursor.number(4), cursor.number(2), cursor.number(4))
        if frame.size > MAX_SIZE:
            raise MalformedBodyError("a list of more than 832 bytes")
        return frame


@dataclass(frozen=True, slots=True)
class ListItemsFrame:
    """The bytes of list `number` from `offset` on.

    +----+-----------+-----------+------------------+
    | 92 | number  4 | offset  2 | bytes, 1 to 200  |
    +----+-----------+-----------+------------------+
    """

    number: int
    offset: int
    items: bytes = field(repr=False)
    TYPE: ClassVar = 0x92

    def to_bytes(self) -> bytes:
        """The content."""
        return bytes((self.TYPE,)) + u32(self.number) + self.offset.to_bytes(2, "big") + self.items

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """The frame from its body."""
        return cls(cursor.number(4), cursor.number(2), cursor.rest())


@dataclass(frozen=True, slots=True)
class ListEndFrame:
    """List `number` is complete.

    +----+-----------+
    | 93 | number  4 |
    +----+-----------+
    """

    number: int
    TYPE: ClassVar = 0x93

    def to_bytes(self) -> bytes:
        """The content."""
        return bytes((self.TYPE,)) + u32(self.number)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """The frame from its body."""
        return cls(cursor.number(4))


def list_frames(
    subject: int, boot: int, number: int, content: bytes
) -> tuple[ListBeginFrame | ListItemsFrame | ListEndFrame, ...]:
    """The frames that carry `content` as one list."""
    parts = range(0, len(content), MAX_PART)
    items = tuple(ListItemsFrame(number, at, content[at : at + MAX_PART]) for at in parts)
    return (ListBeginFrame(subject, boot, number, len(content), zlib.crc32(content)), *items, ListEndFrame(number))


class ListAssembler:
    """A list on its way in: holds at most what Begin announced, and gives it out only when it is whole."""

    def __init__(self, begin: ListBeginFrame) -> None:
        self.begin = begin
        self._content = bytearray()
        self._torn = False

    def add(self, part: ListItemsFrame) -> None:
        """Takes a part; one that does not follow the last, or is too long, spoils the list."""
        fits = part.offset == len(self._content) and len(self._content) + len(part.items) <= self.begin.size
        if part.number != self.begin.number or not fits:
            self._torn = True
        else:
            self._content += part.items

    def finish(self, end: ListEndFrame) -> bytes | None:
        """The list, or None when a part is missing or the checksum does not agree."""
        content = bytes(self._content)
        same = end.number == self.begin.number and len(content) == self.begin.size
        return content if same and not self._torn and zlib.crc32(content) == self.begin.crc else None
