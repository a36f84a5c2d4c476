"""Line splitting of ASCII devices.

Lines are bounded (B12, B13): one that is too long or not printable ASCII is dropped completely and counted.
"""

from collections.abc import Iterator
from typing import Final

PRINTABLE: Final = frozenset(range(0x20, 0x7F)) | {0x09}


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
            if skipped or len(line) > self._longest or not PRINTABLE.issuperset(line):
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
