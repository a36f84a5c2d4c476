"""One table as the console reads it: the client, the writer of its history, and what pages show of it.

Threat: a store that fails for a while. Then items wait, the client stops requesting, and the pages report that history
is behind; the table's own journal still has everything.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from pitwarden_client import ClientError, ConsumerConfig, Item, TableClient, TableView, connect
from pitwarden_console.activity import TableActivity
from pitwarden_console.errors import StoreError
from pitwarden_console.store.writer import TableProgress, TableWriter

BATCH: Final = 500  # items in a transaction: a page of a replay, 2 to 3 ms for its commit
WAITING: Final = 1_000  # two batches: the next one fills while one is written
# Seconds between two attempts while the database refuses. The table keeps what is not stored here.
STORE_RETRY_S: Final = 1.0

NOT_STARTED: Final = "the console has just started"


class TableSource(Protocol):
    """A table as pages read it."""

    key: "TableKey"
    activity: TableActivity

    @property
    def progress(self) -> TableProgress:
        """Committed progress of the table."""
        ...

    @property
    def view(self) -> TableView:
        """Its retained messages."""
        ...

    def stale(self) -> tuple[str, ...]:
        """Return why what is shown can differ from what is true at the table."""
        ...

    def behind(self) -> str:
        """Return why history does not reach the present; empty when it does."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class TableKey:
    """Address of a table, and the pit in which it is."""

    pit: str
    site: str
    name: str


class TableFeed:
    """Reader of one table. `on_change` is called with whether items were stored, after any change."""

    def __init__(
        self, key: TableKey, consumer: ConsumerConfig, writer: TableWriter, activity: TableActivity,
        on_change: Callable[[], None],
    ) -> None:  # fmt: skip
        self.key, self.activity = key, activity
        self._consumer, self._writer, self._on_change = consumer, writer, on_change
        self._client: TableClient | None = None
        self._refused = ""
        self._store_fault = ""
        self._items: asyncio.Queue[Item] = asyncio.Queue(WAITING)

    @property
    def progress(self) -> TableProgress:
        """Committed progress of the table."""
        return self._writer.progress

    @property
    def view(self) -> TableView:
        """The table's retained messages, as last received."""
        return TableView() if self._client is None else self._client.now

    def stale(self) -> tuple[str, ...]:
        """Return why what is shown can differ from what is true at the table, as sentences."""
        if self._refused:
            return (self._refused,)
        return (NOT_STARTED,) if self._client is None else self._client.stale()

    def behind(self) -> str:
        """Return why history does not reach the present; empty when it does."""
        if self._store_fault:
            return self._store_fault
        caught_up = self._client is not None and self._client.caught_up and self._items.empty()
        return "" if caught_up else "earlier rows are being read"

    async def run(self) -> None:
        """Read and store until cancelled."""
        try:
            async with connect(self._consumer, self._on_change) as client:
                self._client = client
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._store(), name=f"store {self.key.name}")
                    async for item in client:
                        await self._items.put(item)
        except* ClientError as refused:
            self._refused = str(refused.exceptions[0])
            self._on_change()

    async def _store(self) -> None:
        while True:
            batch = [await self._items.get()]
            with suppress(asyncio.QueueEmpty):
                while len(batch) < BATCH:
                    batch.append(self._items.get_nowait())
            await self._write(batch)
            if self._client is not None:
                self._client.stored(self.progress.cursor)
            for item in batch:
                self.activity.item(item)
            self._on_change()

    async def _write(self, batch: list[Item]) -> None:
        while True:
            try:
                await self._writer.store(batch)
            except StoreError as error:
                self._store_fault = str(error)
                self._on_change()
                await asyncio.sleep(STORE_RETRY_S)
            else:
                self._store_fault = ""
                return
