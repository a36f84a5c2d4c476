"""The store: exact bytes, positions in the same transaction, incidents that can be computed again."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select, text

from pitwarden_client import ChainBreak, Item, LogItem, OutputItem
from pitwarden_console.errors import StoreError
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.chain_check import check_chains
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.history import HistoryReader, HistorySearch
from pitwarden_console.store.projection import rebuild
from pitwarden_console.store.records import UNKNOWN_KIND
from pitwarden_console.store.schema import chain_break, incident, judge_output, log_row, metadata
from testkit.installation.postgresql import PostgresqlServer
from testkit.pages.stored_tables import HARBOR, SteppedClock, night_items, sqlite_url, store_night, writer_of

TABLE = "cb-manual"


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    """Played where no loop runs."""
    return night_items(TABLE, "1", 6, "stub_overdue")


@pytest.fixture(scope="module")
def ten_night() -> tuple[Item, ...]:
    return night_items("tab-shielded", "2", 2, "stray_ten")


async def bodies(database: HistoryDatabase) -> tuple[list[bytes], list[bytes]]:
    async with database.reading() as connection:
        rows = (await connection.execute(select(log_row.c.body).order_by(log_row.c.id))).scalars().all()
        outputs = (await connection.execute(select(judge_output.c.body).order_by(judge_output.c.id))).scalars().all()
    return list(rows), list(outputs)


async def incidents(database: HistoryDatabase) -> list[dict[str, Any]]:
    async with database.reading() as connection:
        found = await connection.execute(select(incident).order_by(incident.c.ref))
        return [{name: value for name, value in row.items() if name != "id"} for row in found.mappings()]


def published(items: Sequence[Item]) -> tuple[list[bytes], list[bytes]]:
    return (
        [item.body for item in items if isinstance(item, LogItem)],
        [item.body for item in items if isinstance(item, OutputItem)],
    )


async def test_a_night_is_stored_byte_for_byte(tmp_path: Path, items: tuple[Item, ...]) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items)
    async with open_database(sqlite_url(tmp_path)) as database:
        assert await bodies(database) == published(items)


@settings(max_examples=8)
@given(data=st.data())
async def test_batches_deaths_and_rebuilding_change_nothing(data: st.DataObject, items: tuple[Item, ...]) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(items) - 1), max_size=4)))
    with tempfile.TemporaryDirectory() as folder:
        one, other = sqlite_url(Path(folder)), f"sqlite+aiosqlite:///{folder}/whole.sqlite"
        for first, last in zip([0, *cuts], [*cuts, len(items)], strict=True):
            # Another process each time: it continues from what is committed, with nothing in memory.
            async with writer_of(one, TABLE, SteppedClock()) as (_, writer):
                assert first == 0 or writer.progress.cursor == items[first - 1].cursor
                await writer.store(items[first:last])
        await store_night(other, TABLE, items)
        async with open_database(one) as database, open_database(other) as whole:
            assert await bodies(database) == await bodies(whole) == published(items)
            live = await incidents(database)
            assert live == await incidents(whole)
            assert await rebuild(database, load_priorities(), HARBOR) == len(live) > 0
            assert await incidents(database) == live


async def test_an_incident_has_its_times_and_people(tmp_path: Path, ten_night: tuple[Item, ...]) -> None:
    await store_night(sqlite_url(tmp_path), "tab-shielded", ten_night)
    async with open_database(sqlite_url(tmp_path)) as database:
        [ten] = [one for one in await incidents(database) if one["catalogue"] == "TAB-37"]
    assert (ten["status"], ten["priority"], ten["verdicts"], ten["ended_by"]) == ("cleared", 1, "DESTROY\nHOLD", "f1")
    assert (ten["clauses"], ten["round"], ten["deck"]) == ("13:69F-36.14(b)", 2, "A")
    assert ten["ended_ms"] > ten["opened_ms"]
    assert (str(ten["day"]), ten["simulated"]) == ("2026-03-02", True)


async def test_a_failed_transaction_stores_nothing_and_can_be_repeated(tmp_path: Path, items: tuple[Item, ...]) -> None:
    async with writer_of(sqlite_url(tmp_path), TABLE, SteppedClock()) as (database, writer):
        await writer.store(items[:10])
        before = writer.progress.cursor
        async with database.writing() as connection:
            await connection.execute(
                text("CREATE TRIGGER full BEFORE INSERT ON log_row BEGIN SELECT RAISE(FAIL, 'disk full'); END")
            )
        with pytest.raises(StoreError, match=r"the store cannot be written: .*disk full"):
            await writer.store(items[10:50])
        assert writer.progress.cursor == before
        assert await bodies(database) == published(items[:10])
        async with database.writing() as connection:
            await connection.execute(text("DROP TRIGGER full"))
        await writer.store(items[10:50])
        assert await bodies(database) == published(items[:50])


async def test_a_break_is_recorded_and_an_output_number_may_occur_again(
    tmp_path: Path, items: tuple[Item, ...]
) -> None:
    first = next(item for item in items if isinstance(item, OutputItem))
    lost = ChainBreak("outputs", "the place where this consumer stood is no output of this judge", first.cursor)
    async with writer_of(sqlite_url(tmp_path), TABLE, SteppedClock()) as (database, writer):
        await writer.store([first, lost, first])
        assert await bodies(database) == ([], [first.body, first.body])
        async with database.reading() as connection:
            [row] = (await connection.execute(select(chain_break))).mappings().all()
    assert (row["chain"], row["reason"], row["output"]) == ("outputs", lost.reason, first.cursor.output)


async def test_what_a_later_version_published_is_stored_unread(tmp_path: Path, items: tuple[Item, ...]) -> None:
    row, output = (next(item for item in items if isinstance(item, kind)) for kind in (LogItem, OutputItem))
    unread = [replace(each, event=None, reason="not a LogEvent") for each in (row, output)]
    async with writer_of(sqlite_url(tmp_path), TABLE, SteppedClock()) as (database, writer):
        await writer.store(unread)
        assert await bodies(database) == ([row.body], [output.body])
        async with database.reading() as connection:
            kinds = await connection.execute(select(log_row.c.kind).union_all(select(judge_output.c.kind)))
            assert set(kinds.scalars()) == {UNKNOWN_KIND}


async def test_the_migrations_make_the_schema(tmp_path: Path) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with open_database(sqlite_url(tmp_path)) as database, database.reading() as connection:
        assert await connection.run_sync(differences) == []


async def test_a_store_of_a_later_version_is_refused(tmp_path: Path) -> None:
    async with open_database(sqlite_url(tmp_path)) as database, database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"cannot be opened: .*9999.* no later version wrote the store"):
        async with open_database(sqlite_url(tmp_path)):
            pass


@pytest.mark.slow
async def test_postgresql_stores_the_same_by_one_address(
    tmp_path: Path, items: tuple[Item, ...], postgresql: PostgresqlServer
) -> None:
    url = f"postgresql+asyncpg://pit@/postgres?host={postgresql.environment['PGHOST']}"
    async with writer_of(url, TABLE, SteppedClock()) as (_, writer):
        await writer.store(items[:100])
    async with writer_of(url, TABLE, SteppedClock()) as (database, writer):
        assert writer.progress.cursor == items[99].cursor
        await writer.store(items[100:])
        assert await bodies(database) == published(items)
        live = await incidents(database)
        [ident] = {row["table_id"] for row in live}
        log, outputs = await check_chains(database, ident, date(2026, 3, 2), date(2026, 3, 2))
        assert (log.is_intact, outputs.is_intact, log.count + outputs.count) == (True, True, len(items))
        found = await HistoryReader(database).search(
            HistorySearch(date(2026, 3, 2), date(2026, 3, 2), clause="51.7(e)", simulated=True)
        )
        assert {each.incident.ref for each in found.found} <= {row["ref"] for row in live}
        assert found.count > 0
        assert await rebuild(database, load_priorities(), HARBOR) == len(live)
        assert await incidents(database) == live
    await store_night(sqlite_url(tmp_path), TABLE, items)
    async with open_database(sqlite_url(tmp_path)) as sqlite:
        assert await incidents(sqlite) == live, "both stores have the same"
