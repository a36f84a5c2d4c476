"""Devices that are a nuisance to their host: dead, or babbling as fast as a line of 115,200 bit/s carries."""

from collections.abc import Callable
from typing import Final

BYTES_A_MS: Final = 11.52
_EVERY_MS: Final = 10


class Dead:
    """It takes what it is told and never says anything."""

    def receive(self, now: int, data: bytes) -> bytes:  # noqa: ARG002  it does not listen
        """Nothing."""
        return b""

    def tick(self, now: int) -> bytes:  # noqa: ARG002  it has no clock
        """Nothing."""
        return b""

    def wake_at(self, now: int) -> int | None:  # noqa: ARG002  as above
        """Never."""
        return None


class Babbler(Dead):
    """It sends noise without end, frame delimiters among it; `noise` gives so many bytes of it."""

    def __init__(self, noise: Callable[[int], bytes]) -> None:
        self._noise = noise
        self._next: int | None = None

    def tick(self, now: int) -> bytes:
        """The noise since the last time."""
        if self._next is not None and now < self._next:
            return b""
        since = _EVERY_MS if self._next is None else now - self._next + _EVERY_MS
        self._next = now + _EVERY_MS
        return self._noise(int(min(since, 10 * _EVERY_MS) * BYTES_A_MS))

    def wake_at(self, now: int) -> int | None:
        """Every ten milliseconds."""
        return now if self._next is None else self._next
