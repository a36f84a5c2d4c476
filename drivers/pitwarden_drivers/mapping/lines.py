"""Bytes to lines, bounded (B12, B13): a line that is too long or no printable ASCII is dropped whole and counted."""

from collections.abc import Iterator
from typing import Final

_PRINTABLE: Final = frozenset(range(0x20, 0x7F)) | {0x09}


class Lines:
    """Cuts a stream at `end`; `rejected` and `dropped` count what was thrown away."""

    def __init__(self, end: bytes, longest: int) -> None:
        self.rejected = 0
        self.dropped = 0
        self._end = end
        self._longest = longest
        self._held = bytearray()
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that `data` completes, in any cut; empty ones are none."""
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
        surplus = len(self._held) - len(self._end) + 1  # half an end may be at the back
        if surplus > self._longest:
            self._skipping = True
            self.dropped += surplus
            del self._held[:surplus]
