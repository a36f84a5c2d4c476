"""Client for one table over MQTT: every row and output once and in order, through lost links and restarts.

The connections are those of a group of tables, which may be one table.
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self

from pitwarden_client.errors import UnsupportedVersionError
from pitwarden_client.events.base import Role
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.topics import Topics
from pitwarden_client.follower import Follower
from pitwarden_client.input_sender import InputLink, InputSender
from pitwarden_client.items import Cursor, Item
from pitwarden_client.log_reader import Start, trust_signed_by
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_client.router import MessageRouter, subscription_filters
from pitwarden_client.state import NOT_YET, TableView, VersionMonitor
from pitwarden_client.stored import StoredPosition


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """Table, broker, the consumer's own `name`, and its position. `keying`: the login for inputs, if it is another one.

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
    keying: BrokerSettings | None = None


class ReadingLink(Protocol):
    """The link that a table is read over, and its requests sent."""

    @property
    def up(self) -> bool:
        """True while the connection is open and every filter is subscribed."""
        ...

    def post(self, topic: str, payload: bytes) -> None:
        """Publish without waiting, and without repeating a loss."""
        ...

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 1 and wait for the broker's acknowledgement."""
        ...


def table_filters(consumer: ConsumerConfig) -> list[str]:
    """Return the filters that the reading link of a table subscribes to."""
    topics = Topics(consumer.site, consumer.table)
    return subscription_filters(topics, consumer.name, VersionMonitor(topics))


class TableClient:
    """One table as a consumer sees it, created by `connect` or `connect_all`.

    `async for item in table` returns items; `now` is its state.
    """

    def __init__(
        self, consumer: ConsumerConfig, reading: ReadingLink, keying: InputLink, on_change: Callable[[], None]
    ) -> None:
        self.topics = Topics(consumer.site, consumer.table)
        self.now = TableView()
        self._consumer, self._link, self._on_change = consumer, reading, on_change
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
        self._keying = InputSender(keying, self.topics)
        self._routing = MessageRouter(
            self.topics, consumer.name, follower=self._follower, now=self.now, versions=self._versions,
            answered=self._keying.answered,
        )  # fmt: skip
        self.keying_fault = NOT_YET
        """Reason why no input can be sent; empty while one can."""

    @property
    def caught_up(self) -> bool:
        """True once all earlier items have been returned."""
        return self._follower.caught_up and not self._follower.items

    @property
    def unanswered(self) -> bool:
        """True while the table does not reply to requests for earlier rows.

        At a table that is online, the broker refuses them to this login: MQTT reports that to no client.
        """
        return self._follower.unanswered

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
        self.tick()
        return item

    def stored(self, cursor: Cursor) -> None:
        """Report that every row up to `cursor` is stored durably. Call it after the commit of each transaction.

        A table that names this consumer in `[storage] consumers` retains the rows that it has not reported. The newest
        position is published at most once a second, and again each minute.
        """
        self._stored.stored(cursor.log)
        self.tick()

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Send an input, again with the same id until the table replies.

        Raises:
            BusError: The broker refuses the reply's subscription, or the link is down.
            TimeoutError: No reply arrived in time.
            ValueError: Another input with its id is under way.
        """
        return await self._keying.key(role, terminal, wanted)

    def tick(self) -> None:
        """Send the requests that are due. Called by the group, a few times a second."""
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

    def link_up(self) -> None:
        """Handle that the reading link is up."""
        self.now.link_fault = ""
        self._stored.link_up()
        self._follower.link(up=True)
        self._changed()

    def link_down(self, fault: BusError) -> None:
        """Handle that the reading link is down, or was not opened."""
        self.now.link_fault = str(fault)
        self._follower.link(up=False)
        self._changed()

    def failed(self, bug: Exception) -> None:
        """End the iteration with a bug of the group's."""
        self._bug = bug
        self._wake.set()

    def heard(self, topic: str, payload: bytes) -> None:
        """Handle a message below the table's root, of either link."""
        self._routing.on_message(topic, payload, self.now_ms)
        self._changed()

    def _changed(self) -> None:
        self.tick()
        self._wake.set()
        self._on_change()
