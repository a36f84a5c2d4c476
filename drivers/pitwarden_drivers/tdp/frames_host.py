"""Frames that a host sends (SPEC.md section 4). Every diagram shows the content; numbers are big-endian."""

from dataclasses import dataclass
from typing import ClassVar, Self

from pitwarden_drivers.tdp.fields import BodyReader, u32

VERSION = 1


@dataclass(frozen=True, slots=True)
class IdentifyFrame:
    """Request for the device's identity. From here until Resume the device sends heartbeats only.

    +----+---------+-----------+
    | 01 | version | token  4  |
    +----+---------+-----------+
    """

    token: int
    version: int = VERSION
    TYPE: ClassVar = 0x01

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE, self.version)) + u32(self.token)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(version=cursor.number(1), token=cursor.number(4))


@dataclass(frozen=True, slots=True)
class ResumeFrame:
    """Request for the events of `boot` after counter `after`, and for each new one if `boot` is the present one.

    +----+---------+----------+
    | 02 | boot  4 | after  4 |
    +----+---------+----------+
    """

    boot: int
    after: int
    TYPE: ClassVar = 0x02

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.boot, self.after)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(4))


@dataclass(frozen=True, slots=True)
class AckFrame:
    """Acknowledgment: all events of `boot` up to `counter`, and all of earlier boots, are stored and may be deleted.

    +----+---------+------------+
    | 03 | boot  4 | counter  4 |
    +----+---------+------------+
    """

    boot: int
    counter: int
    TYPE: ClassVar = 0x03

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.boot, self.counter)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(4))


@dataclass(frozen=True, slots=True)
class CommandFrame:
    """Command: 1 lock, 2 unlock, 3 report count. A repeated request number is answered again, not executed again.

    `until` is on the device's clock, mod 2**32: later than that it must not be done; 0 for no limit.

    +----+------------+------+----------+
    | 04 | request  4 | code | until  4 |
    +----+------------+------+----------+
    """

    request: int
    code: int
    until: int = 0
    TYPE: ClassVar = 0x04

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.request) + bytes((self.code,)) + u32(self.until)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(1), cursor.number(4))


@dataclass(frozen=True, slots=True)
class LampFrame:
    """Lamps of a keypad. They go dark after `hold` ms unless the frame is repeated.

    `permit` 0 dark, 1 green, 2 red; `case` 0 none, 1 another person clears it, 2 the dealer does; `key` FF for none.

    +----+--------+------+-----+---------+
    | 05 | permit | case | key | hold  2 |
    +----+--------+------+-----+---------+
    """

    permit: int
    case: int
    key: int
    hold: int
    TYPE: ClassVar = 0x05

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE, self.permit, self.case, self.key)) + self.hold.to_bytes(2, "big")

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(1), cursor.number(1), cursor.number(1), cursor.number(2))


HostFrame = IdentifyFrame | ResumeFrame | AckFrame | CommandFrame | LampFrame
