"""One judge process for several tables: poison, a flood, a lag and a long fold are one table's own trouble."""

import asyncio
import os
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.metrics.families import QUEUE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.pit import METRICS, PitTables, busy_disk, frozen, journal_of, judging, samples, tables_of, write
from testkit.processes.service_manager import FakeManager

TABLES = ("t1", "t2", "t3")
ROWS = 60
MANY = 900
ALL_AT_ONCE = ("allow_anonymous true", "max_inflight_messages 0")  # else the broker's window alone is fair

pytestmark = pytest.mark.broker


async def test_a_poisoned_flood_keeps_no_other_table_and_a_restart_goes_on(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    write(tmp_path, broker.port, *TABLES)
    async with tables_of(tmp_path, broker.port, *TABLES) as tables:
        async with judging(tmp_path):
            await tables.listening(*TABLES)
            topic = tables.feeds["t1"].topics.event("shoe", "shoe_card")
            poison = (b"{", b'{"tableseq":NaN}')
            flood = [tables.link.publish(topic, poison[number % 2]) for number in range(1_500)]
            for name in TABLES[1:]:
                tables.send(name, ROWS)
            await tables.judged(ROWS, *TABLES[1:])
            await asyncio.gather(*flood)
            assert tables.states.get("t1") is None
        async with judging(tmp_path, name="again"):
            await tables.listening(*TABLES)
            tables.send("t1", ROWS)
            tables.send("t2", ROWS)
            await tables.judged(ROWS, "t1")
            await tables.judged(2 * ROWS, "t2")
    assert sorted(path.name for path in (tmp_path / "journals").glob("*.sqlite")) == ["judge.sqlite"]


async def test_a_backlog_and_a_long_recovery_let_other_tables_go_first(tmp_path: Path) -> None:
    with MosquittoBroker(tmp_path / "mosquitto", ALL_AT_ONCE) as broker:
        write(tmp_path, broker.port, *TABLES, more=METRICS)
        async with tables_of(tmp_path, broker.port, *TABLES) as tables:
            async with judging(tmp_path) as manager:
                await tables.listening(*TABLES)
                await _all_wait(tmp_path, tables, manager)
                await tables.judged(ROWS, *TABLES[1:])
                await tables.judged(MANY, "t1")
            assert _judged_to_the_end(tmp_path)[-1] == "t1", "the others waited until the lagging table had caught up"
            _without_snapshots(tmp_path)
            tables.came_online.clear()
            async with judging(tmp_path, name="again"):
                await tables.until(lambda: set(tables.came_online) == set(TABLES))
                assert list(dict.fromkeys(tables.came_online))[-1] == "t1", "the others waited for a long fold"
                tables.send("t1", 1)
                await tables.judged(MANY + 1, "t1")


async def _all_wait(folder: Path, tables: PitTables, manager: FakeManager) -> None:
    """All rows wait for the disk in the judge, those of t1 first; once this returns, it has the disk."""
    with busy_disk(folder):
        with frozen(manager):  # what lies at the broker is read from all connections in turns
            rows = {"t1": MANY} | dict.fromkeys(TABLES[1:], ROWS)
            await asyncio.gather(*[sent for name, count in rows.items() for sent in tables.send(name, count)])
        while (await samples(folder)).of(QUEUE.name, "bench/t1", "rows_to_judge") < MANY - 2 * ROWS:
            pass


def _judged_to_the_end(folder: Path) -> list[str]:
    """Return the tables in the order in which their last row was judged and committed."""
    with closing(journal_of(folder)) as sql:
        found = sql.execute("SELECT tbl FROM received GROUP BY tbl ORDER BY max(place)").fetchall()
    return [name.removeprefix("bench/") for (name,) in found]


def _without_snapshots(folder: Path) -> None:
    with closing(journal_of(folder)) as sql:
        sql.execute("DELETE FROM snapshot")


def test_several_tables_are_refused_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, 1883, *TABLES)
    one, two = tmp_path / "tables" / "t1.toml", tmp_path / "tables" / "t2.toml"
    assert main(["run", "--config", str(one), str(two)]) == os.EX_CONFIG
    assert "add --only judge" in capsys.readouterr().err
    assert main(["run", "--only", "judge", "--config", str(one), str(one)]) == os.EX_CONFIG
    assert "a table has one judge" in capsys.readouterr().err
    one.write_text(f'{one.read_text()}\n[metrics]\nsocket = "one"\n')
    two.write_text(f'{two.read_text()}\n[metrics]\nsocket = "other"\n')
    assert main(["run", "--only", "judge", "--config", str(one), str(two)]) == os.EX_CONFIG
    assert "t2.toml: metrics: another file of this process names another place" in capsys.readouterr().err
    two.write_text("[table]\n")
    assert main(["run", "--only", "judge", "--config", str(tmp_path / "tables")]) == os.EX_CONFIG
    assert "t2.toml" in capsys.readouterr().err
    assert main(["run", "--only", "judge", "--config", str(tmp_path / "keys")]) == os.EX_CONFIG
    assert "no table file" in capsys.readouterr().err
