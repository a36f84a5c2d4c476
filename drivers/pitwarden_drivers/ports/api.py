"""What a port is: bytes both ways, and one word when the line is lost. Only this folder does I/O with devices."""

from dataclasses import dataclass
from typing import Final, Protocol

from pitwarden_drivers.faults import DeviceFault

MAX_QUEUED: Final = 65_536  # bytes; a device that reads takes them in seconds
WRITE_DEADLINE_S: Final = 2.0
CLOSE_S: Final = 2.0
OPEN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """Where a device is: a stable path or a URL, and bit/s where that means something."""

    place: str
    baud: int = 115_200


class Listener(Protocol):
    """Who hears what a port says. Called in the event loop."""

    def received(self, data: bytes) -> None:
        """Bytes came, at least one."""
        ...

    def lost(self, fault: DeviceFault) -> None:
        """The port is of no more use. Called once at most, and never after `close` was called."""
        ...


class Port(Protocol):
    """An open line. Its owner closes it, lost or not."""

    def write(self, data: bytes) -> None:
        """Queues bytes; never blocks. Bytes that the device does not take within two seconds make the port lost."""
        ...

    async def close(self) -> None:
        """Discards what was queued and closes; returns within two seconds whatever the line does."""
        ...
