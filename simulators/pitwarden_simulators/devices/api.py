"""What a simulated device is: bytes in, bytes out, time as an argument. No I/O, no clock."""

from typing import Protocol


class SimulatedDevice(Protocol):
    """A device on the far end of a line. `now` is in monotonic ms and never runs back."""

    def receive(self, now: int, data: bytes) -> bytes:
        """Takes bytes from the host; gives the bytes that the device sends at once."""
        ...

    def tick(self, now: int) -> bytes:
        """Time has come to `now`; gives the bytes that are due."""
        ...

    def wake_at(self, now: int) -> int | None:
        """When `tick` wants to be called next, None for not before something happens."""
        ...
