"""A message as it came, before anything in it is believed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """Topic, bytes, and whether the broker sent it from its store rather than live.

    `ack` tells the broker that it is dealt with; the broker sends only so many that are not.
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

    def publish_online(self) -> asyncio.Future[None]:
        """Publish the status of the half as it is now."""
        ...
