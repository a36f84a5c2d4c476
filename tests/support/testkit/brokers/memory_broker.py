"""Broker in memory for the real links: QoS 1 in order, retained messages, and a tap on every message."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.simulation.broker import matches

Tap = Callable[[str, bytes], None]
OnMessage = Callable[[InboundMessage], None]


@dataclass
class MemoryBroker:
    """Delivers each message in a later turn of the loop, to each subscriber in the order of subscribing."""

    tap: Tap
    taps: list[Tap] = field(default_factory=list)
    retained: dict[str, bytes] = field(default_factory=dict)
    _subscribers: list[tuple[str, OnMessage]] = field(default_factory=list)

    def connection(
        self, _broker: BrokerSettings, _client: str, on_message: OnMessage, will: tuple[str, bytes] | None = None
    ) -> "MemoryConnection":
        """Return a connection; a substitute for the class of real connections."""
        del will  # connections end with a DISCONNECT only
        return MemoryConnection(self, on_message)

    def subscribe(self, topic_filter: str, on_message: OnMessage) -> None:
        """Subscribe; retained messages are delivered first, as by a broker."""
        self._subscribers.append((topic_filter, on_message))
        for topic, payload in list(self.retained.items()):
            if matches(topic_filter, topic):
                self._later(on_message, topic, payload, retained=True)

    def leave(self, on_message: OnMessage) -> None:
        """Remove the subscriptions of a connection that ended."""
        self._subscribers = [each for each in self._subscribers if each[1] != on_message]

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish a message. The future ends when it has been delivered."""
        for tap in (self.tap, *self.taps):
            tap(topic, payload)
        if retain:
            self.retained[topic] = payload
        for topic_filter, on_message in self._subscribers:
            if matches(topic_filter, topic):
                self._later(on_message, topic, payload, retained=False)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        loop.call_soon(_settle, done)
        return done

    @staticmethod
    def _later(on_message: OnMessage, topic: str, payload: bytes, *, retained: bool) -> None:
        asyncio.get_running_loop().call_soon(on_message, InboundMessage(topic, payload, retained, lambda: None))


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():  # the publisher may have been cancelled
        done.set_result(None)


class MemoryConnection:
    """One connection as `pitwarden.bus.link` uses it; it is never lost."""

    def __init__(self, bus: MemoryBroker, on_message: OnMessage) -> None:
        self.lost: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        self.session_present = False
        self._bus, self._on_message = bus, on_message

    async def open(self) -> None:
        """Connect."""

    def peer_ends_ms(self) -> int | None:
        """Return None: there is no TLS."""
        return None

    async def subscribe_all(self, filters: Sequence[str]) -> None:
        """Subscribe to all filters."""
        for each in filters:
            self._bus.subscribe(each, self._on_message)

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish a message."""
        return self._bus.publish(topic, payload, retain=retain)

    async def disconnect(self) -> None:
        """Close the connection."""
        self.drop()

    def drop(self) -> None:
        """Close the connection at once."""
        self._bus.leave(self._on_message)

    async def dropped(self) -> None:
        """Return at once: nothing of the connection remains to wait for."""
