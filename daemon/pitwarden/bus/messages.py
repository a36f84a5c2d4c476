"""Messages as received, before their content is trusted, and the protocols of a link."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """Topic and bytes of a message, and whether the broker sent it from its store of retained messages.

    `ack` acknowledges the message after processing; the broker sends a bounded number of unacknowledged messages.
    """

    topic: str
    payload: bytes = field(repr=False)
    retained: bool
    ack: Callable[[], None] = field(repr=False)


class Publisher(Protocol):
    """Link to the broker, for those who publish over it."""

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish at QoS 1. The future ends at the broker's acknowledgement, or with a BusError; it may be ignored."""
        ...


class StatusLink(Publisher, Protocol):
    """Link over which a half publishes its own status too."""

    @property
    def address(self) -> str:
        """Address at which the link is up; empty while it is down."""
        ...

    def publish_online(self) -> asyncio.Future[None]:
        """Publish the status of the half as it is now."""
        ...
