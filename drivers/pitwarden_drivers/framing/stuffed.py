"""Byte-stuffed frames with CRC-32 (tdp/SPEC.md section 2).

Threat: a line with noise, babble and torn frames.

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
# Bytes. The longest frame of TDP 1 is far below; a longer one is noise between two lost flags.
MAX_CONTENT: Final = 256
CRC_BYTES: Final = 4

# XON and XOFF too: a line left in IXON would swallow them.
_STUFFED: Final = frozenset({FLAG, ESCAPE, 0x11, 0x13})
_UNSTUFF: Final = {byte ^ XOR: bytes((byte,)) for byte in _STUFFED}
_FLAG: Final = bytes((FLAG,))
_ESCAPE: Final = bytes((ESCAPE,))
# Bytes on the wire, when every byte is escaped.
_MAX_RAW: Final = 2 * (MAX_CONTENT + CRC_BYTES)


@dataclass(frozen=True, slots=True)
class GoodFrame:
    """Content of a frame with a correct CRC, and its length on the wire in bytes."""

    content: bytes = field(repr=False)
    size: int


@dataclass(frozen=True, slots=True)
class BadFrame:
    """Bytes between two flags that are not a frame: only their number."""

    size: int


def encode_frame(content: bytes) -> bytes:
    """Return `content` as a frame.

    Raises:
        ValueError: The content is not 1 to 256 bytes long.
    """
    if not 1 <= len(content) <= MAX_CONTENT:
        raise ValueError(f"a frame holds 1 to {MAX_CONTENT} bytes, not {len(content)}: send less at a time")
    checked = content + zlib.crc32(content).to_bytes(CRC_BYTES, "big")
    stuffed = bytearray((FLAG,))
    for byte in checked:
        stuffed += bytes((ESCAPE, byte ^ XOR)) if byte in _STUFFED else bytes((byte,))
    stuffed.append(FLAG)
    return bytes(stuffed)


class Framer:
    """Splitter of a byte stream into frames. It never raises and buffers at most one frame."""

    def __init__(self) -> None:
        self._raw = bytearray()
        self._skipped = 0

    @property
    def pending(self) -> int:
        """Number of bytes of an unfinished frame, buffered or skipped."""
        return len(self._raw) + self._skipped

    def feed(self, data: bytes) -> tuple[GoodFrame | BadFrame, ...]:
        """Return the frames, good and bad, that `data` completes, in order."""
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
