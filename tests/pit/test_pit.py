"""One judge process for several tables: poison, a flood, a lag and a long fold are one table's own trouble."""

import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from broker import Broker
from pit_tables import judging, tables_of, write
from pitwarden.cli.main import main

TABLES = ("t1", "t2", "t3")
ROWS = 60
MANY = 400

pytestmark = pytest.mark.broker


async def test_a_poisoned_flood_keeps_no_other_table_and_a_restart_goes_on(broker: Broker, tmp_path: Path) -> None:
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


async def test_a_table_that_lags_and_a_long_fold_let_the_others_go_first(broker: Broker, tmp_path: Path) -> None:
    write(tmp_path, broker.port, *TABLES)
    async with tables_of(tmp_path, broker.port, *TABLES) as tables:
        async with judging(tmp_path):
            await tables.listening(*TABLES)
            tables.send("t1", MANY)
            for name in TABLES[1:]:
                tables.send(name, ROWS)
            await tables.judged(ROWS, *TABLES[1:])
            assert tables.states.get("t1", 0) < MANY, "the others waited until the lagging table had caught up"
            await tables.judged(MANY, "t1")
        _without_snapshots(tmp_path)
        async with judging(tmp_path, name="again") as manager:
            await manager.until(lambda said: "READY" in said, 30)
            await tables.until(lambda: len(tables.online) >= len(TABLES) - 1)
            assert "t1" not in tables.online, "the others waited for a long fold"
            await tables.listening(*TABLES)
            tables.send("t1", 1)
            await tables.judged(MANY + 1, "t1")


def _without_snapshots(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "journals" / "judge.sqlite", isolation_level=None)) as sql:
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
