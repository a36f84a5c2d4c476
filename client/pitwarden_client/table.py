"""Client for one table over MQTT: every row and output once and in order, through lost links and restarts.

Inputs are sent again until the table replies.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Self

from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.errors import UnsupportedVersionError
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputReply, Role, TerminalInput
from pitwarden_client.events.topics import Topics, checked
from pitwarden_client.follower import Follower
from pitwarden_client.items import Cursor, Item
from pitwarden_client.log_reader import Start, trust_signed_by
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.link import ConsumerLink
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.router import MessageRouter, subscription_filters
from pitwarden_client.state import TableView, VersionMonitor
from pitwarden_client.stored import StoredPosition

RETRY_S: Final = 1.0
ANSWER_S: Final = 8.0


class InputSender:
    """Inputs that are under way, by their ids."""

    def __init__(self, link: ConsumerLink, topics: Topics) -> None:
        self._link, self._topics = link, topics
        self._answers: dict[str, asyncio.Future[InputReply]] = {}

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Send an input, again with the same id until the table replies.

        Raises:
            BusError: The broker refuses the reply's subscription, or the link is down.
            TimeoutError: No reply arrived in time.
            ValueError: Another input with its id is under way; a reply names only the id.
        """
        if wanted.id in self._answers:
            raise ValueError(f"input {wanted.id} is still under way: give each input an id of its own")
        answer: asyncio.Future[InputReply] = asyncio.get_running_loop().create_future()
        self._answers[wanted.id] = answer
        replies = self._topics.reply(role, terminal)
        try:
            async with asyncio.timeout(ANSWER_S):
                # Before the input is sent, so that a quick reply is not missed.
                await self._link.subscribe([replies])
                while not answer.done():
                    with suppress(BusError):  # sent again below
                        await self._link.publish(self._topics.input(role, terminal), encode(wanted))
                    await asyncio.wait({answer}, timeout=RETRY_S)
            return answer.result()
        finally:
            del self._answers[wanted.id]

    def answered(self, reply: InputReply) -> None:
        """Handle a reply, to one of these inputs or to another client's."""
        answer = self._answers.get(reply.id)
        if answer is not None and not answer.done():
            answer.set_result(reply)


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """Table, broker, the consumer's own `name`, and its position.

    Without a cursor it starts at the oldest stored row, or at the next live one (`now`). With `follow` False, iteration
    ends once all earlier items have been returned.
    """

    broker: BrokerSettings
    site: str
    table: str
    name: str
    cursor: Cursor = Cursor()  # noqa: RUF009  a frozen record
    start: Start = "oldest"
    follow: bool = True
    trusted: tuple[str, ...] = ()
    """Public keys of the field half, in hexadecimal: an epoch that none of them signed is rejected as garbage.

    Rows read within an epoch, before the first opening, depend on the broker's rights only.
    """


TICK_S: Final = 0.25


class TableClient:
    """One table as a consumer sees it, created by `connect`.

    `async for item in table` returns items; `now` is its state.
    """

    def __init__(self, consumer: ConsumerConfig, client_id: str, on_change: Callable[[], None]) -> None:
        self.topics = Topics(consumer.site, consumer.table)
        self.now = TableView()
        self._consumer, self._on_change = consumer, on_change
        self._loop = asyncio.get_running_loop()
        self._follower = Follower(
            f"/{consumer.site}/{consumer.table}/",
            consumer.cursor,
            consumer.start,
            lambda: secrets.token_hex(6),
            trust_signed_by(consumer.trusted, consumer.site, consumer.table),
        )
        self._stored = StoredPosition()
        self._versions = VersionMonitor(self.topics)
        self._wake = asyncio.Event()
        self._bug: BaseException | None = None
        self._link = ConsumerLink(
            consumer.broker, client_id, subscription_filters(self.topics, consumer.name, self._versions),
            on_message=self._heard, on_up=self._up, on_down=self._down, retry=LinkBackoff(),
        )  # fmt: skip
        self._keying = InputSender(self._link, self.topics)
        self._routing = MessageRouter(
            self.topics, consumer.name, follower=self._follower, now=self.now, versions=self._versions,
            answered=self._keying.answered,
        )  # fmt: skip

    @property
    def caught_up(self) -> bool:
        """True once all earlier items have been returned."""
        return self._follower.caught_up and not self._follower.items

    @property
    def now_ms(self) -> int:
        """Time of the clock that `now` is measured by, in ms."""
        return round(self._loop.time() * 1_000)

    def stale(self) -> tuple[str, ...]:
        """Return why `now` may differ from what is true at the table, as sentences; empty when it does not."""
        return self.now.stale(self.now_ms)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        """Return the next item.

        Raises:
            UnsupportedVersionError: The table publishes no schema version that this client knows.
        """
        while not self._follower.items:
            if self._versions.refused:
                raise UnsupportedVersionError(self._versions.refused)
            if self._bug is not None:
                raise RuntimeError("the client ended by a bug") from self._bug
            if not self._consumer.follow and self._follower.caught_up:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        item = self._follower.items.popleft()
        self._ask()
        return item

    def stored(self, cursor: Cursor) -> None:
        """Report that every row up to `cursor` is stored durably. Call it after the commit of each transaction.

        A table that names this consumer in `[storage] consumers` retains the rows that it has not reported. The newest
        position is published at most once a second, and again each minute.
        """
        self._stored.stored(cursor.log)
        self._ask()

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Send an input, again with the same id until the table replies.

        Raises:
            BusError: The broker refuses the reply's subscription, or the link is down.
            TimeoutError: No reply arrived in time.
            ValueError: Another input with its id is under way.
        """
        return await self._keying.key(role, terminal, wanted)

    async def run(self) -> None:
        """Keep the link and the requests up until cancelled. A bug is raised to the iterating task."""
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
        position = self._stored.due(self.now_ms)
        if position is not None:
            self._link.post(self.topics.position(self._consumer.name), encode(position))

    async def leave(self) -> None:
        """Publish the stored position that still waits, if there is one. A link that is down loses it."""
        position = self._stored.pending
        if position is not None:
            with suppress(BusError):
                await self._link.publish(self.topics.position(self._consumer.name), encode(position))

    def _up(self) -> None:
        self.now.link_fault = ""
        self._stored.link_up()
        self._follower.link(up=True)
        self._changed()

    def _down(self, fault: BusError) -> None:
        self.now.link_fault = str(fault)
        self._follower.link(up=False)
        self._changed()

    def _heard(self, topic: str, payload: bytes) -> None:
        self._routing.on_message(topic, payload, self.now_ms)
        self._changed()

    def _changed(self) -> None:
        self._ask()
        self._wake.set()
        self._on_change()


@asynccontextmanager
async def connect(consumer: ConsumerConfig, on_change: Callable[[], None] = lambda: None) -> AsyncIterator[TableClient]:
    """Yield a table that is read until the block ends.

    Two consumers of one table need two names. The end of the block waits for a connection attempt that is under way:
    some seconds where the broker's host does not answer.

    Args:
        consumer: Table, broker, name and position.
        on_change: Called in the event loop after any message or change of the link.

    Raises:
        ValueError: The name cannot be a topic segment.
    """
    client_id = f"{checked(consumer.name)}-{consumer.site}-{consumer.table}-{secrets.token_hex(4)}"
    table = TableClient(consumer, client_id, on_change)
    running = asyncio.create_task(table.run(), name="client")
    try:
        yield table
    finally:
        await table.leave()
        running.cancel()
        await asyncio.wait({running})  # awaiting it itself would take our own cancellation for its
