"""Line splitting and checksums of ASCII devices.

Lines are bounded (B12, B13): one that is too long or not printable ASCII is dropped completely and counted. The
checksums are the common ones of ASCII lines, over the bytes of the group `body`.
"""

import binascii
from collections.abc import Iterator
from functools import reduce
from operator import xor
from typing import Final, Literal

_PRINTABLE: Final = frozenset(range(0x20, 0x7F)) | {0x09}


class LineSplitter:
    """Splitter of a stream at `end`. `rejected` counts discarded lines, `dropped` discarded bytes."""

    def __init__(self, end: bytes, longest: int) -> None:
        self.rejected = 0
        self.dropped = 0
        self._end = end
        self._longest = longest
        self._held = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the lines that `data` completes; empty lines are skipped."""
        self._held += data
        while (at := self._held.find(self._end)) >= 0:
            line = bytes(self._held[:at])
            del self._held[: at + len(self._end)]
            skipped, self._skipping = self._skipping, False
            if skipped or len(line) > self._longest or not _PRINTABLE.issuperset(line):
                self.rejected += 1
                self.dropped += len(line)
            elif line:
                yield line.decode("ascii")
        # The buffer may end with the first part of a line end.
        surplus = len(self._held) - len(self._end) + 1
        if surplus > self._longest:
            self._skipping = True
            self.dropped += surplus
            del self._held[:surplus]


Kind = Literal["xor8", "sum8", "sum8-negated", "crc16-ccitt", "crc16-modbus"]
_MODBUS: Final = 0xA001


def checksum(kind: Kind, body: bytes) -> int:
    """Return the checksum of `body`: 8 bits for the first three kinds, 16 for the others."""
    match kind:
        case "xor8":
            return reduce(xor, body, 0)
        case "sum8":
            return sum(body) & 0xFF
        case "sum8-negated":
            return -sum(body) & 0xFF
        case "crc16-ccitt":
            return binascii.crc_hqx(body, 0xFFFF)
        case _:
            return reduce(_modbus, body, 0xFFFF)


def _modbus(value: int, byte: int) -> int:
    value ^= byte
    for _ in range(8):
        value = value >> 1 ^ (_MODBUS if value & 1 else 0)
    return value
