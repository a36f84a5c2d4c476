"""Byte-stuffed frames with CRC-32 (tdp/SPEC.md section 2). The adversary is the line: noise, babble, torn frames.

+------+-------------------------------+------+
| 0x7E | stuffed( content | CRC-32 BE ) | 0x7E |
+------+-------------------------------+------+
"""

import zlib
from dataclasses import dataclass, field
from typing import Final

FLAG: Final = 0x7E
ESCAPE: Final = 0x7D
XOR: Final = 0x20
MAX_CONTENT: Final = 256  # the longest frame of TDP 1 is far below; a longer one is noise between two lost flags
CRC_BYTES: Final = 4

_STUFFED: Final = frozenset({FLAG, ESCAPE, 0x11, 0x13})  # XON and XOFF too: a line left in IXON would eat them
_UNSTUFF: Final = {byte ^ XOR: bytes((byte,)) for byte in _STUFFED}
_FLAG: Final = bytes((FLAG,))
_ESCAPE: Final = bytes((ESCAPE,))
_MAX_RAW: Final = 2 * (MAX_CONTENT + CRC_BYTES)  # every byte escaped


@dataclass(frozen=True, slots=True)
class GoodFrame:
    """The content of a frame whose CRC agreed, and the bytes that it took on the wire."""

    content: bytes = field(repr=False)
    size: int


@dataclass(frozen=True, slots=True)
class BadFrame:
    """What stood between two flags and was no frame: only its size on the wire."""

    size: int


def encode_frame(content: bytes) -> bytes:
    """`content` (1 to 256 bytes) as a frame; ValueError for any other length."""
    if not 1 <= len(content) <= MAX_CONTENT:
        raise ValueError(f"a frame holds 1 to {MAX_CONTENT} bytes, not {len(content)}: send less at a time")
    checked = content + zlib.crc32(content).to_bytes(CRC_BYTES, "big")
    stuffed = bytearray((FLAG,))
    for byte in checked:
        stuffed += bytes((ESCAPE, byte ^ XOR)) if byte in _STUFFED else bytes((byte,))
    stuffed.append(FLAG)
    return bytes(stuffed)


class Framer:
    """Cuts a byte stream into frames. Never raises, never holds more than one frame."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._skipped = 0

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished frame are held or were skipped."""
        return len(self._raw) + self._skipped

    def feed(self, data: bytes) -> tuple[GoodFrame | BadFrame, ...]:
        """The frames, good and bad, that `data` completes, in order."""
        *closed, rest = data.split(_FLAG)
        found: list[GoodFrame | BadFrame] = []
        for part in closed:
            if part:
                self._hold(part)
            if self._raw or self._skipped:
                found.append(self._close())
        if rest:
            self._hold(rest)
        return tuple(found)

    def _hold(self, part: bytes) -> None:
        room = _MAX_RAW - len(self._raw)
        self._raw += part[:room]
        self._skipped += len(part) - len(part[:room])

    def _close(self) -> GoodFrame | BadFrame:
        size = self.pending + 2
        content = None if self._skipped else _unstuff(bytes(self._raw))
        self._raw.clear()
        self._skipped = 0
        return BadFrame(size - 2) if content is None else GoodFrame(content, size)


def _unstuff(raw: bytes) -> bytes | None:
    plain, *escaped = raw.split(_ESCAPE)
    for part in escaped:
        if not part or part[0] not in _UNSTUFF:
            return None
        plain += _UNSTUFF[part[0]] + part[1:]
    content, crc = plain[:-CRC_BYTES], plain[-CRC_BYTES:]
    whole = 1 <= len(content) <= MAX_CONTENT and int.from_bytes(crc, "big") == zlib.crc32(content)
    return content if whole else None
