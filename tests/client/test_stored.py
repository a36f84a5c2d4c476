"""A consumer reports what it has stored, and the table retains the rows until then."""

import asyncio
import contextlib
import json
import sqlite3
from pathlib import Path

import pytest

from pitwarden.journal.field_journal import FieldJournal
from pitwarden_client import BrokerSettings, ConsumerConfig, Cursor, LogItem, connect
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head
from pitwarden_client.stored import BETWEEN_MS, REPEAT_MS, StoredPosition
from pitwarden_simulators.table.setup import TABLES
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.processes.live_table import table


def head(number: int) -> Head:
    return Head(at=Position(epoch="e", number=number), hash=f"{number:064x}")


def numbers(stored: StoredPosition, *times: int) -> list[int | None]:
    said = [stored.due(now) for now in times]
    return [None if each is None or each.at is None else each.at.number for each in said]


def waits(stored: StoredPosition) -> int | None:
    pending = stored.pending
    return None if pending is None or pending.at is None else pending.at.number


def test_the_newest_position_is_published_at_once_then_once_a_second() -> None:
    stored = StoredPosition()
    assert numbers(stored, 0) == [None]
    stored.stored(None)
    assert waits(stored) is None
    stored.stored(head(1))
    assert numbers(stored, 10) == [1]
    for number in range(2, 9):
        stored.stored(head(number))
    assert waits(stored) == 8
    assert numbers(stored, 11, 9 + BETWEEN_MS, 10 + BETWEEN_MS) == [None, None, 8]
    assert waits(stored) is None


def test_what_may_be_lost_is_published_again() -> None:
    stored = StoredPosition()
    stored.stored(head(1))
    assert numbers(stored, 0, REPEAT_MS - 1, REPEAT_MS, REPEAT_MS + 1) == [1, None, 1, None]
    stored.link_up()
    assert numbers(stored, REPEAT_MS + 2) == [1]


def test_a_cursor_comes_back_from_the_columns_of_a_database() -> None:
    cursor = Cursor(log=head(3), output=2, output_hash="0" * 64, cards=head(1), epochs=("d", "e"))
    text = cursor.model_dump_json()
    assert Cursor.model_validate_json(text) == cursor
    assert Cursor.model_validate(json.loads(text)) == cursor
    assert Cursor.model_validate(cursor.model_dump()) == cursor
    with pytest.raises(ValueError, match="epochs"):
        Cursor.model_validate({"epochs": "d"})


def stored_place(journal: Path) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as sql:
        found = sql.execute("SELECT place FROM consumer WHERE name = 'historian'").fetchone()
    return 0 if found is None else int(found[0])


@pytest.mark.broker
@pytest.mark.slow
async def test_a_table_retains_what_its_historian_has_not_stored(broker: MosquittoBroker, tmp_path: Path) -> None:
    setup = TABLES["cb-auto"]
    settings = BrokerSettings("127.0.0.1", broker.port)
    async with table(setup, broker, tmp_path) as rig:
        file = rig.folder / "table.toml"
        file.write_text(file.read_text().replace("[storage]\n", '[storage]\nconsumers = ["historian"]\n'))
        await rig.start()
        await rig.ready()
        await rig.play(1)
        [journal] = (rig.folder / "journals").glob("**/field*.sqlite")
        assert stored_place(journal) == 0
        rows: list[LogItem] = []
        async with connect(ConsumerConfig(settings, "rig", setup.table, "historian", follow=False)) as events:
            async for item in events:
                rows += [item] if isinstance(item, LogItem) else []
                events.stored(item.cursor)
        await until(lambda: stored_place(journal) == len(rows), pause=0.05)  # the last one, though the block has ended
        async with connect(ConsumerConfig(settings, "rig", setup.table, "somebody", rows[9].cursor)) as events:
            await until(lambda: not events.now.link_fault, pause=0.01)
            events.stored(rows[-1].cursor)
        assert await rig.stop() == 0
    closed = await FieldJournal.open(journal)
    try:
        positions = await closed.positions()
        assert positions["historian"] == len(rows)
        assert "somebody" not in positions
        assert await closed.trim_boundary(positions["historian"], "2999-01-01T00:00:00.000Z", 0) is not None
        assert await closed.trim_boundary(0, "2999-01-01T00:00:00.000Z", 0) is None
    finally:
        await closed.close()


@pytest.mark.broker
async def test_a_link_that_is_down_delays_no_end_of_the_block(tmp_path: Path) -> None:
    broker = MosquittoBroker(tmp_path / "b")
    async with (
        asyncio.timeout(10),
        connect(ConsumerConfig(BrokerSettings("127.0.0.1", broker.port), "rig", "t", "historian")) as events,
    ):
        events.stored(Cursor(log=head(1)))
