"""Link of a consumer that records its events and retries quickly."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pitwarden_client.mqtt.connection import ConsumerConnection
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.link import ConsumerLink
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.clients import QuickRetry
from testkit.clocks.waiting import PATIENCE_S


@dataclass
class Received:
    """Record of received messages and link events, and a way to wait for more."""

    messages: list[tuple[str, bytes]] = field(default_factory=list)
    ups: int = 0
    downs: list[BusError] = field(default_factory=list)
    retry: QuickRetry = field(default_factory=QuickRetry)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def message(self, topic: str, payload: bytes) -> None:
        self.messages.append((topic, payload))
        self.news.set()

    def up(self) -> None:
        self.ups += 1
        self.news.set()

    def down(self, fault: BusError) -> None:
        self.downs.append(fault)
        self.news.set()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until `true()`; fail the test when it does not become so."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self.news.clear()
                await self.news.wait()

    async def up_again(self, times: int) -> None:
        """Wait until the link was up this many times."""
        await self.until(lambda: self.ups == times)

    async def has(self, number: int) -> None:
        """Wait until this many messages arrived."""
        await self.until(lambda: len(self.messages) == number)


@asynccontextmanager
async def consumer_link(
    broker: BrokerSettings, filters: tuple[str, ...] = ("a/#",), name: str = "consumer"
) -> AsyncIterator[tuple[ConsumerLink, Received]]:
    """Yield a link that runs until the block ends."""
    got = Received()
    link = ConsumerLink(
        broker, name, filters, on_message=got.message, on_up=got.up, on_down=got.down, retry=got.retry
    )  # fmt: skip
    running = asyncio.create_task(link.run(), name="consumer link")
    try:
        yield link, got
    finally:
        running.cancel()
        await asyncio.wait({running})
        assert running.cancelled()


@asynccontextmanager
async def consumer_connection(broker: BrokerSettings) -> AsyncIterator[tuple[ConsumerConnection, asyncio.Task[None]]]:
    """Yield a single connection, and the task that receives on it."""
    made = ConsumerConnection(broker, "single", lambda _topic, _payload: None)
    receiving: asyncio.Task[None] | None = None
    try:
        await made.open()
        receiving = asyncio.create_task(made.run(), name="receiving")
        yield made, receiving
    finally:
        if receiving is not None:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)
        await made.close()
