"""MQTT clients for tests: a link with quick retries that records its events, and a plain connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from pitwarden.bus.connection import Connection
from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.presence import Presence
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.clocks.waiting import PATIENCE_S


class QuickRetry:
    """Retries for tests: 20 ms after a failure, 200 ms after a refusal; counts both."""

    def __init__(self) -> None:
        self.failures = self.refusals = self.successes = 0

    def after_failure(self) -> float:
        self.failures += 1
        return 0.02

    def after_refusal(self) -> float:
        self.refusals += 1
        return 0.2

    def succeeded(self) -> None:
        self.successes += 1


@dataclass
class ClientNotes:
    """Record of what a client received and of its ups and downs, and a way to wait for more."""

    messages: list[InboundMessage] = field(default_factory=list)
    ups: list[bool] = field(default_factory=list)
    downs: list[BusError] = field(default_factory=list)
    foreign: list[bytes] = field(default_factory=list)
    """Statuses that others published on our topic."""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def message(self, message: InboundMessage) -> None:
        message.ack()
        self.messages.append(message)
        self.news.set()

    def up(self, session_present: bool) -> None:  # noqa: FBT001  the callback's signature
        self.ups.append(session_present)
        self.news.set()

    def down(self, fault: BusError) -> None:
        self.downs.append(fault)
        self.news.set()

    def foreign_status(self, payload: bytes) -> None:
        self.foreign.append(payload)
        self.news.set()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until `true()` holds; fail the test when it does not become so."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self.news.clear()
                await self.news.wait()

    def payloads(self, topic: str) -> list[bytes]:
        """Return the payloads received on `topic`, in order."""
        return [message.payload for message in self.messages if message.topic == topic]


@dataclass
class LinkClient:
    """A running link with the record of its events."""

    link: Link
    notes: ClientNotes
    retry: QuickRetry
    running: asyncio.Task[None]

    async def is_up(self) -> None:
        await self.notes.until(lambda: self.link.up)

    async def until(self, *, ups: int = 0, downs: int = 0, messages: int = 0) -> None:
        """Wait until the link was up and down, and received messages, at least this many times."""
        notes = self.notes
        await notes.until(
            lambda: len(notes.ups) >= ups and len(notes.downs) >= downs and len(notes.messages) >= messages
        )

    async def leave(self) -> None:
        """End the link as a kill would: without a DISCONNECT."""
        self.running.cancel()
        await asyncio.wait({self.running})


def settings(port: int, keepalive: int = 5) -> BrokerSettings:
    """Return the settings of a client of the test's broker."""
    return BrokerSettings("127.0.0.1", port, keepalive=keepalive)


@asynccontextmanager
async def link_client(
    broker: BrokerSettings,
    name: str = "field",
    filters: tuple[str, ...] = (),
    on_message: Callable[[InboundMessage], None] | None = None,
    *,
    online: bytes = b"online",
) -> AsyncIterator[LinkClient]:
    """Run a link called `name` with its status under `<name>/status`; it is closed at the end."""
    notes, retry = ClientNotes(), QuickRetry()
    presence = Presence(f"{name}/status", lambda: online, b"offline", notes.foreign_status)
    link = Link(
        broker, name, presence, filters,
        on_message=on_message or notes.message, on_up=notes.up, on_down=notes.down, retry=retry,
    )  # fmt: skip
    made = LinkClient(link, notes, retry, asyncio.create_task(link.run(), name=f"link-{name}"))
    try:
        yield made
    finally:
        await made.leave()


@asynccontextmanager
async def connection(
    broker: BrokerSettings, name: str, filters: tuple[str, ...] = (), will: tuple[str, bytes] | None = None
) -> AsyncIterator[tuple[Connection, ClientNotes]]:
    """Open a single connection; yield it with the record of what it received."""
    notes = ClientNotes()
    made = Connection(broker, name, notes.message, will)
    made.lost.add_done_callback(lambda _: notes.news.set())
    try:
        await made.open()
        if filters:
            await made.subscribe_all(filters)
        yield made, notes
    finally:
        made.drop()
        await made.dropped()


def login(broker: BrokerSettings, username: str) -> BrokerSettings:
    """Return `broker` for `username` without a password."""
    return replace(broker, username=username)
