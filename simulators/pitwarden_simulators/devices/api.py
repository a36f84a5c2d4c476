"""Simulated device: bytes in, bytes out, time as an argument. No I/O, no clock."""

from typing import Protocol


class SimulatedDevice(Protocol):
    """Device on the far end of a line. `now` is in monotonic ms and never runs back."""

    def receive(self, now: int, data: bytes) -> bytes:
        """Process bytes from the host and return the bytes that the device sends at once."""
        ...

    def tick(self, now: int) -> bytes:
        """Return the bytes that are due at `now`."""
        ...

    def wake_at(self, now: int) -> int | None:
        """Return the time of the next `tick`, None for not before an event."""
        ...
