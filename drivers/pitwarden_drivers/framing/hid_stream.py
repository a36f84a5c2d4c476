"""Records of a HID device in a byte stream: its identity and report descriptor first, then each input report.

+------+-----------+--------------------+
| kind | length  2 | length bytes       |
+------+-----------+--------------------+

A HID transfer has a beginning and an end, a port has neither: the port writes these records and a session reads them.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

from pitwarden_drivers.framing.hid_descriptor import MAX_DESCRIPTOR

MAX_BODY: Final = MAX_DESCRIPTOR + 512
_HEAD: Final = 3


@dataclass(frozen=True, slots=True)
class HidIdentity:
    """Identity of the device at the opened interface: serial number, release (bcdDevice), report descriptor."""

    serial: str
    release: str
    descriptor: bytes = field(repr=False)
    KIND: ClassVar = 0x01

    def to_bytes(self) -> bytes:
        """Return the encoded record."""
        serial, release = self.serial.encode()[:255], self.release.encode()[:255]
        return _record(self.KIND, bytes((len(serial),)) + serial + bytes((len(release),)) + release + self.descriptor)

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        """Return the record decoded from its body.

        Raises:
            IndexError: The body is too short.
        """
        serial_end = 1 + body[0]
        release_end = serial_end + 1 + body[serial_end]
        serial, release = body[1:serial_end], body[serial_end + 1 : release_end]
        return cls(serial.decode(errors="replace"), release.decode(errors="replace"), body[release_end:])


@dataclass(frozen=True, slots=True)
class HidReport:
    """Input report. It may hold a card, so its repr shows no data."""

    report: bytes = field(repr=False)
    KIND: ClassVar = 0x02

    def to_bytes(self) -> bytes:
        """Return the encoded record."""
        return _record(self.KIND, self.report)

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        """Return the record decoded from its body."""
        return cls(body)


KINDS: Final[dict[int, type[HidIdentity | HidReport]]] = {HidIdentity.KIND: HidIdentity, HidReport.KIND: HidReport}


class HidStream:
    """Splitter of a byte stream into records. It never raises and buffers at most one.

    `dropped` counts discarded bytes.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._held = bytearray()

    def feed(self, data: bytes) -> tuple[HidIdentity | HidReport, ...]:
        """Return the records that `data` completes."""
        self._held += data
        found: list[HidIdentity | HidReport] = []
        while len(self._held) >= _HEAD:
            kind, length = KINDS.get(self._held[0]), int.from_bytes(self._held[1:_HEAD], "big")
            if kind is None or length > MAX_BODY:
                self.dropped += 1
                del self._held[:1]
                continue
            if len(self._held) < _HEAD + length:
                break
            body = bytes(self._held[_HEAD : _HEAD + length])
            del self._held[: _HEAD + length]
            try:
                found.append(kind.from_bytes(body))
            except IndexError:
                self.dropped += _HEAD + length
        return tuple(found)


def _record(kind: int, body: bytes) -> bytes:
    return bytes((kind,)) + len(body).to_bytes(2, "big") + body
