"""Tables that one consumer reads over one connection, and keys for over another where that is a login of its own.

A pit of a hundred tables needs one connection instead of a hundred. A page that reads with a login of its own keys with
the login of the person who uses it.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.topics import checked
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.link import ConsumerLink
from pitwarden_client.table import ConsumerConfig, TableClient, table_filters

# Seconds between two checks for what is due by time, such as a stale state or a replay to request again.
TICK_S: Final = 0.25
PLACE_PARTS: Final = 4
"""Number of segments of a topic up to its table: `pitwarden/v1/<site>/<table>`."""


class TableGroup:
    """Tables that share their links, which `run` keeps up. All belong to one consumer at one broker."""

    def __init__(self, consumers: Sequence[ConsumerConfig], on_change: Callable[[], None]) -> None:
        """Set up the links without connecting.

        Raises:
            ValueError: A name cannot be a topic segment, a table occurs twice, or the consumers are none, or differ in
                broker, name or login for inputs.
        """
        places = [(each.site, each.table) for each in consumers]
        if len({(each.broker, each.name, each.keying) for each in consumers}) != 1:
            raise ValueError("tables that share a connection need one broker, one name and one login for inputs")
        if len(set(places)) < len(places):
            raise ValueError("a table occurs twice among those that share a connection")
        first = consumers[0]
        own = f"{first.site}-{first.table}" if len(consumers) == 1 else f"{len(consumers)}-tables"
        client_id = f"{checked(first.name)}-{own}-{secrets.token_hex(4)}"
        self._on_change = on_change
        self._reading = ConsumerLink(
            first.broker, client_id, [each for one in consumers for each in table_filters(one)],
            on_message=self._heard, on_up=self._up, on_down=self._down, retry=LinkBackoff(),
        )  # fmt: skip
        self._keying: ConsumerLink | None = None
        if first.keying is not None:
            self._keying = ConsumerLink(
                first.keying, f"{client_id}-k", (),
                on_message=self._heard, on_up=self._keying_up, on_down=self._keying_down, retry=LinkBackoff(),
            )  # fmt: skip
        keying = self._keying or self._reading
        self.tables = tuple(TableClient(each, self._reading, keying, on_change) for each in consumers)
        """The tables, in the order of the consumers."""
        self._by_place = dict(zip(places, self.tables, strict=True))

    async def run(self) -> None:
        """Keep the links and the requests up until cancelled. A bug is raised to the iterating tasks."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._reading.run(), name="client link")
                if self._keying is not None:
                    group.create_task(self._keying.run(), name="client keying link")
                while True:
                    await asyncio.sleep(TICK_S)
                    for table in self.tables:
                        table.tick()
        except Exception as bug:  # noqa: BLE001  the tasks that iterate raise it
            for table in self.tables:
                table.failed(bug)

    def _heard(self, topic: str, payload: bytes) -> None:
        parts = topic.split("/", 4)
        table = self._by_place.get((parts[2], parts[3])) if len(parts) > PLACE_PARTS else None
        if table is not None:
            table.heard(topic, payload)

    def _up(self) -> None:
        for table in self.tables:
            table.link_up()
        if self._keying is None:
            self._keying_up()

    def _down(self, fault: BusError) -> None:
        for table in self.tables:
            table.link_down(fault)
        if self._keying is None:
            self._keying_down(fault)

    def _keying_up(self) -> None:
        self._keying_down_because("")

    def _keying_down(self, fault: BusError) -> None:
        self._keying_down_because(str(fault))

    def _keying_down_because(self, reason: str) -> None:
        for table in self.tables:
            table.keying_fault = reason
        self._on_change()


@asynccontextmanager
async def connect_all(
    consumers: Sequence[ConsumerConfig], on_change: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[TableClient, ...]]:
    """Yield tables that are read over one connection until the block ends, in the order of `consumers`.

    Each is read by a task of its own. Inputs go over the same connection, or over one more with the login `keying`. The
    end of the block waits for a connection attempt that is under way: some seconds where the broker's host does not
    answer.

    Args:
        consumers: Table and position of each; broker, name and login for inputs are the same in all.
        on_change: Called in the event loop after any message or change of a link.

    Raises:
        ValueError: A name cannot be a topic segment, a table occurs twice, or the consumers are none, or differ in
            broker, name or login for inputs.
    """
    group = TableGroup(consumers, on_change)
    running = asyncio.create_task(group.run(), name="client")
    try:
        yield group.tables
    finally:
        for table in group.tables:
            await table.leave()
        running.cancel()
        await asyncio.wait({running})  # awaiting it itself would take our own cancellation for its


@asynccontextmanager
async def connect(consumer: ConsumerConfig, on_change: Callable[[], None] = lambda: None) -> AsyncIterator[TableClient]:
    """Yield a table that is read until the block ends.

    Two consumers of one table need two names. The end of the block waits for a connection attempt that is under way:
    some seconds where the broker's host does not answer.

    Args:
        consumer: Table, broker, name and position.
        on_change: Called in the event loop after any message or change of a link.

    Raises:
        ValueError: The name cannot be a topic segment.
    """
    async with connect_all((consumer,), on_change) as (table,):
        yield table
