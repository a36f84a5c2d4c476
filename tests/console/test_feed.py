"""A table read over a real broker into a store: everything once, over restarts and a store that fails for a while."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest
from sqlalchemy import func, select, text

from pitwarden_client import BrokerSettings, ConsumerConfig
from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_console.clock import MachineClock
from pitwarden_console.ingest.feed import NOT_STARTED, TableFeed, TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.recent import restore_activity
from pitwarden_console.store.schema import judge_output, log_row
from pitwarden_console.store.writer import TableWriter, open_progress
from pitwarden_tools.simulation.halves import SITE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night, ten_is_open
from testkit.pages.stored_tables import HARBOR, sqlite_url

pytestmark = pytest.mark.broker

TABLE = "tab-shielded"


@pytest.fixture(scope="module")
def messages() -> tuple[PublishedMessage, ...]:
    return published_night(TABLE, "2", 2, "stray_ten")


@asynccontextmanager
async def feeding(database: HistoryDatabase, port: int) -> AsyncIterator[TableFeed]:
    progress = await open_progress(database, SITE, TABLE)
    writer = TableWriter(database, progress, HARBOR, MachineClock(), load_priorities())
    consumer = ConsumerConfig(BrokerSettings("127.0.0.1", port), SITE, TABLE, "console", progress.cursor)
    activity = await restore_activity(database, progress.table_id)
    feed = TableFeed(TableKey("Pit A", SITE, TABLE), consumer, writer, activity, lambda: None)
    running = asyncio.create_task(feed.run(), name="feed")
    try:
        yield feed
    finally:
        running.cancel()
        await asyncio.wait({running})


async def stored(database: HistoryDatabase) -> tuple[list[bytes], list[bytes]]:
    async with database.reading() as connection:
        rows = await connection.execute(select(log_row.c.body).order_by(log_row.c.id))
        outputs = await connection.execute(select(judge_output.c.body).order_by(judge_output.c.id))
        return list(rows.scalars()), list(outputs.scalars())


async def everything(database: HistoryDatabase, table: ReplayedTable) -> None:
    """Wait until the store holds what was published, byte for byte; the test's timeout ends a wait in vain."""
    while await stored(database) != (table.rows, table.outputs):  # noqa: ASYNC110  written by another task
        await asyncio.sleep(0.05)


async def count(database: HistoryDatabase) -> int:
    async with database.reading() as connection:
        return int((await connection.execute(select(func.count()).select_from(log_row))).scalar_one())


async def reach(database: HistoryDatabase, table: ReplayedTable) -> None:
    while await count(database) < len(table.rows):  # noqa: ASYNC110  what is waited for happens in another task
        await asyncio.sleep(0.01)


async def test_a_table_is_stored_once_over_restarts_and_shown_as_before(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with replayed_table(TABLE, messages, broker.port, tmp_path) as table:
        async with open_database(sqlite_url(tmp_path)) as database, feeding(database, broker.port) as feed:
            await table.publish_next(80)
            await reach(database, table)
        await table.publish_next(60)  # while no console runs
        async with open_database(sqlite_url(tmp_path)) as database, feeding(database, broker.port) as feed:
            await table.publish_next(until=ten_is_open)
            await reach(database, table)
            await until(lambda: feed.progress.open and list(feed.activity.cards()), pause=0.01)
            before = feed.activity
            [ten] = feed.progress.open.values()
            assert ten.catalogue == "TAB-37"
        async with open_database(sqlite_url(tmp_path)) as database, feeding(database, broker.port) as feed:
            assert list(feed.activity.cards()) == list(before.cards())
            assert (feed.activity.step, feed.activity.decks) == (before.step, before.decks)
            assert list(feed.progress.open) == [ten.ref], "what is open is known at once"
            await table.publish_next()
            await everything(database, table)
            assert feed.progress.open == {}


async def test_the_table_is_given_the_position_that_is_committed(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path) as table,
        open_database(sqlite_url(tmp_path)) as database,
        aiomqtt.Client("127.0.0.1", broker.port) as field_half,
    ):
        await field_half.subscribe(table.topics.position("console"))
        async with feeding(database, broker.port) as feed:
            await table.publish_next(100)
            await everything(database, table)
            committed = feed.progress.cursor.log
        assert committed is not None
        async for message in field_half.messages:
            assert isinstance(message.payload, bytes)
            if decode(ConsumerPosition, message.payload).at == committed.at:
                break


async def test_a_store_that_fails_is_behind_and_catches_up(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path) as table,
        open_database(sqlite_url(tmp_path)) as database,
        feeding(database, broker.port) as feed,
    ):
        assert feed.stale() == (NOT_STARTED,)
        await table.publish_next(100)
        await reach(database, table)
        async with database.writing() as connection:
            await connection.execute(
                text("CREATE TRIGGER full BEFORE INSERT ON log_row BEGIN SELECT RAISE(FAIL, 'disk full'); END")
            )
        await table.publish_next()
        await until(lambda: "disk full" in feed.behind(), pause=0.01)
        assert feed.view.state is not None, "the present is shown all the same"
        async with database.writing() as connection:
            await connection.execute(text("DROP TRIGGER full"))
        await everything(database, table)


async def test_a_dead_broker_makes_the_table_stale(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...]
) -> None:
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path) as table,
        open_database(sqlite_url(tmp_path)) as database,
        feeding(database, broker.port) as feed,
    ):
        await table.publish_next(until=ten_is_open)
        await until(lambda: feed.stale() == (), pause=0.01)
        broker.kill()
        await until(feed.stale, pause=0.01)
        assert "127.0.0.1" in feed.stale()[0] or "lost" in feed.stale()[0]
        broker.start()
        await table.publish_next()
        await everything(database, table)
