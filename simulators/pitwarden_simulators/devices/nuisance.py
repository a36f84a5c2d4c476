"""Devices that disturb their host: silent, or babbling as fast as a line of 115,200 bit/s carries."""

from collections.abc import Callable
from typing import Final

BYTES_A_MS: Final = 11.52
_EVERY_MS: Final = 10


class Dead:
    """Device that accepts all bytes and never answers."""

    def receive(self, now: int, data: bytes) -> bytes:  # noqa: ARG002  it ignores its input
        """Return no bytes."""
        return b""

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it has no clock
        """Return no bytes."""
        return b""

    def wake_at(self, now: int) -> int | None:  # noqa: ARG002  as above
        """Return None: it is never due."""
        return None


class Babbler(Dead):
    """Device that sends noise without end, frame delimiters included; `noise` returns a number of bytes of it."""

    def __init__(self, noise: Callable[[int], bytes]) -> None:
        self._noise = noise
        self._next: int | None = None

    def tick(self, now: int) -> bytes:
        """Return the noise since the last call."""
        if self._next is not None and now < self._next:
            return b""
        since = _EVERY_MS if self._next is None else now - self._next + _EVERY_MS
        self._next = now + _EVERY_MS
        return self._noise(int(min(since, 10 * _EVERY_MS) * BYTES_A_MS))

    def wake_at(self, now: int) -> int | None:
        """Return a time ten ms ahead."""
        return now if self._next is None else self._next
