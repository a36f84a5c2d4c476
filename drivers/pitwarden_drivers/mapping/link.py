"""Interface of what carries the messages of a mapped device: lines, frames, or acknowledged frames."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class LinkMessage:
    """A message of the device.

    `position` is the device's own number, counted on, or 0. `doubtful`: it may be a repetition. `missed` are numbers
    before it that never arrived.
    """

    text: str = field(repr=False)
    position: int = 0
    doubtful: bool = False
    missed: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """Acknowledgement, or the lack of one, of the message that was sent for the command `request`."""

    request: str
    done: bool


class MessageLink(Protocol):
    """Link of one dialogue. Times are monotonic milliseconds."""

    @property
    def rejected(self) -> int:
        """Number of lines or frames that were damaged."""
        ...

    @property
    def dropped(self) -> int:
        """Number of bytes that belonged to no good line or frame."""
        ...

    @property
    def heard_at(self) -> int:
        """When the device last answered anything, also without a message."""
        ...

    def feed(self, now: int, data: bytes) -> Iterator[LinkMessage]:
        """Yield the messages that `data` completes, in any cut. Settle each before the next."""
        ...

    def identified(self, now: int) -> None:
        """Note that the device has proved to be the configured one."""
        ...

    def settle(self, now: int, counter: int | None) -> None:
        """Acknowledge the message: now (0), when the event `counter` is stored, or not at all (None)."""
        ...

    def stored(self, now: int, counter: int) -> None:
        """Note that the log has stored the dialogue's events up to `counter`."""
        ...

    def send(self, now: int, text: str, request: str = "") -> None:
        """Send a message; `request` is the command that it belongs to."""
        ...

    def tick(self, now: int) -> None:
        """Send again, poll, or give up, as far as it is time."""
        ...

    def take(self) -> tuple[bytes, tuple[Delivery, ...]]:
        """Return and forget the bytes to send, and the deliveries since the last call."""
        ...

    @property
    def wake_at(self) -> int | None:
        """When `tick` must be called next; None when nothing is waited for."""
        ...
