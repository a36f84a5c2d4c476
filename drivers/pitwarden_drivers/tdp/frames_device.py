"""Frames that a device sends (SPEC.md section 5). Fields that may be a face or the reader's bit appear in no repr."""

from dataclasses import dataclass, field
from struct import Struct
from typing import ClassVar, Final, Self

from pitwarden_drivers.api import Family
from pitwarden_drivers.tdp.fields import BodyReader, MalformedBodyError, choice, text, u32
from pitwarden_drivers.tdp.frames_host import VERSION

HEARTBEAT_MS: Final = range(100, 10_001)
FAMILIES: Final[tuple[Family, ...]] = ("shoe", "shuffler", "reader", "keypad")
_FAMILY: Final = choice(*FAMILIES)
_EVENT: Final = Struct(">IIB")


@dataclass(frozen=True, slots=True)
class IdentityFrame:
    """Answer to Identify. `newest` is the counter of the newest event of this boot, 0 for none yet.

    +----+---------+----------+--------+---------+-----------+--------------+--------+----------+----------+
    | 81 | version | token  4 | family | boot  4 | newest  4 | heartbeat  2 | serial | firmware | clock  4 |
    +----+---------+----------+--------+---------+-----------+--------------+--------+----------+----------+
    """

    token: int
    family: Family
    boot: int
    newest: int
    heartbeat_ms: int
    serial: str
    firmware: str
    version: int = VERSION
    clock: int = 0
    TYPE: ClassVar = 0x81

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        head = bytes((self.TYPE, self.version)) + u32(self.token) + _FAMILY.write(self.family)
        beat = self.heartbeat_ms.to_bytes(2, "big")
        return head + u32(self.boot, self.newest) + beat + text(self.serial) + text(self.firmware) + u32(self.clock)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        version, token, family = cursor.number(1), cursor.number(4), _FAMILY.read(cursor)
        boot, newest, beat = cursor.number(4), cursor.number(4), cursor.number(2)
        if boot == 0 or beat not in HEARTBEAT_MS:
            raise MalformedBodyError("a boot id of 0, or a heartbeat out of range")
        return cls(token, family, boot, newest, beat, cursor.text(), cursor.text(), version, cursor.number(4))


@dataclass(frozen=True, slots=True)
class BacklogFrame:
    """Answer to Resume: events `first` to `last` of `boot` follow; `first` is `last` + 1 when there are none.

    `first` 0: the device has no record of that boot. `then`: the boot to request next, 0 when `boot` is the present.

    +----+---------+----------+---------+---------+
    | 82 | boot  4 | first  4 | last  4 | then  4 |
    +----+---------+----------+---------+---------+
    """

    boot: int
    first: int
    last: int
    then: int
    TYPE: ClassVar = 0x82

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.boot, self.first, self.last, self.then)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        frame = cls(cursor.number(4), cursor.number(4), cursor.number(4), cursor.number(4))
        if frame.first > frame.last + 1 or (frame.first == 0 and frame.last != 0):
            raise MalformedBodyError("a backlog that ends before it begins")
        return frame


@dataclass(frozen=True, slots=True)
class EventFrame:
    """Event of the device: `counter` counts from 1 in each boot; `kind` and `payload` as in section 6.

    +----+---------+------------+------+---------+
    | 83 | boot  4 | counter  4 | kind | payload |
    +----+---------+------------+------+---------+
    """

    boot: int
    counter: int
    kind: int
    payload: bytes = field(default=b"", repr=False)
    TYPE: ClassVar = 0x83

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.boot, self.counter) + bytes((self.kind,)) + self.payload

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        boot, counter, kind = cursor.numbers(_EVENT)
        return cls(boot, counter, kind, cursor.rest())


@dataclass(frozen=True, slots=True)
class ReplyFrame:
    """Outcome of a command: 0 done, 1 refused, 2 refused because a fault is latched, 3 not done: too late.

    +----+------------+--------+
    | 84 | request  4 | result |
    +----+------------+--------+
    """

    request: int
    result: int
    TYPE: ClassVar = 0x84

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.request) + bytes((self.result,))

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(1))


@dataclass(frozen=True, slots=True)
class HeartbeatFrame:
    """Sign of life: the oldest stored event (`sent` + 1 for none) and the last one sent on this line.

    `clock`: milliseconds since the device started, mod 2**32; 0 for a device without a clock.

    +----+---------+-----------+---------+----------+
    | 85 | boot  4 | oldest  4 | sent  4 | clock  4 |
    +----+---------+-----------+---------+----------+
    """

    boot: int
    oldest: int
    sent: int
    clock: int = 0
    TYPE: ClassVar = 0x85

    def to_bytes(self) -> bytes:
        """Return the content of the frame."""
        return bytes((self.TYPE,)) + u32(self.boot, self.oldest, self.sent, self.clock)

    @classmethod
    def from_bytes(cls, cursor: BodyReader) -> Self:
        """Return the frame decoded from its body."""
        return cls(cursor.number(4), cursor.number(4), cursor.number(4), cursor.number(4))
