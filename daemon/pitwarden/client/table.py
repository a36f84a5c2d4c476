"""The client: one table over MQTT, every row and output once and in order, through lost links and restarts."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, Self

from pitwarden.client.consumer import Consumer
from pitwarden.client.faults import VersionRefusedError
from pitwarden.client.follower import Follower
from pitwarden.client.items import Item
from pitwarden.client.keying import Keying
from pitwarden.client.mqtt.faults import BusError
from pitwarden.client.mqtt.link import ConsumerLink
from pitwarden.client.now import TableNow
from pitwarden.client.retry import LinkRetry
from pitwarden.client.routing import Routing, filters
from pitwarden.client.trust import signed_by
from pitwarden.client.versions import Versions
from pitwarden.events.codec import encode
from pitwarden.events.inputs import InputReply, Role, TerminalInput
from pitwarden.events.topics import Topics, checked

TICK_S: Final = 0.25


class Table:
    """One table as a consumer sees it; made by `connect`. `async for item in table` gives items; `now` is its state."""

    def __init__(self, consumer: Consumer, client_id: str, on_change: Callable[[], None]) -> None:
        self.topics = Topics(consumer.site, consumer.table)
        self.now = TableNow()
        self._consumer, self._on_change = consumer, on_change
        self._loop = asyncio.get_running_loop()
        self._follower = Follower(
            f"/{consumer.site}/{consumer.table}/",
            consumer.cursor,
            consumer.start,
            lambda: secrets.token_hex(6),
            signed_by(consumer.trusted, consumer.site, consumer.table),
        )
        self._versions = Versions(self.topics)
        self._wake = asyncio.Event()
        self._bug: BaseException | None = None
        self._link = ConsumerLink(
            consumer.broker, client_id, filters(self.topics, consumer.name, self._versions),
            on_message=self._heard, on_up=self._up, on_down=self._down, retry=LinkRetry(),
        )  # fmt: skip
        self._keying = Keying(self._link, self.topics)
        self._routing = Routing(
            self.topics, consumer.name, follower=self._follower, now=self.now, versions=self._versions,
            answered=self._keying.answered,
        )  # fmt: skip

    @property
    def caught_up(self) -> bool:
        """Whether all that was said before the link came up has been given out."""
        return self._follower.caught_up and not self._follower.items

    @property
    def now_ms(self) -> int:
        """The clock that `now` is measured by, in ms."""
        return round(self._loop.time() * 1_000)

    def stale(self) -> tuple[str, ...]:
        """Why `now` is not what is true at the table, in words; empty when it is."""
        return self.now.stale(self.now_ms)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        """The next item; VersionRefusedError when the table cannot be understood at all."""
        while not self._follower.items:
            if self._versions.refused:
                raise VersionRefusedError(self._versions.refused)
            if self._bug is not None:
                raise RuntimeError("the client ended by a bug") from self._bug
            if not self._consumer.follow and self._follower.caught_up:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        item = self._follower.items.popleft()
        self._ask()
        return item

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Keys an input, again with the same id until the table's answer comes.

        BusError, TimeoutError; ValueError while another input with its id is under way.
        """
        return await self._keying.key(role, terminal, wanted)

    async def run(self) -> None:
        """Keeps the link and the requests up, until cancelled; a bug is raised to whoever iterates."""
        try:
            await self._run()
        except Exception as bug:  # noqa: BLE001  __anext__ raises it
            self._bug = bug
            self._wake.set()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._link.run(), name="client link")
            while True:
                await asyncio.sleep(TICK_S)
                self._ask()

    def _ask(self) -> None:
        if not self._link.up:
            return
        for request in self._follower.requests(self.now_ms):
            self._link.post(self.topics.replay_request(self._consumer.name), encode(request))

    def _up(self) -> None:
        self.now.link_fault = ""
        self._follower.link(up=True)
        self._changed()

    def _down(self, fault: BusError) -> None:
        self.now.link_fault = str(fault)
        self._follower.link(up=False)
        self._changed()

    def _heard(self, topic: str, payload: bytes) -> None:
        self._routing.heard(topic, payload, self.now_ms)
        self._changed()

    def _changed(self) -> None:
        self._ask()
        self._wake.set()
        self._on_change()


@asynccontextmanager
async def connect(consumer: Consumer, on_change: Callable[[], None] = lambda: None) -> AsyncIterator[Table]:
    """A table that is read until the block ends. `on_change` is called in the loop after anything came.

    ValueError for a name that may not stand in a topic. Two consumers of one table need two names. The end of the block
    waits for an attempt to connect that is under way: some seconds where the broker's host does not answer.
    """
    client_id = f"{checked(consumer.name)}-{consumer.site}-{consumer.table}-{secrets.token_hex(4)}"
    table = Table(consumer, client_id, on_change)
    running = asyncio.create_task(table.run(), name="client")
    try:
        yield table
    finally:
        running.cancel()
        await asyncio.wait({running})  # awaiting it itself would take our own cancellation for its
