"""A table whose judge fails or hangs is named; it recovers until it succeeds; other tables are judged."""

import signal
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden_client.events.codec import digest
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes import faulty_service
from testkit.processes.pit import METRICS, journal_of, judging, samples, tables_of, write

TABLES = ("t1", "t2")
BEFORE, AFTER = 30, 50

pytestmark = pytest.mark.broker


async def test_a_table_whose_rows_contradict_its_journal_fails_alone_and_restarts(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    write(tmp_path, broker.port, *TABLES, more=METRICS)
    async with tables_of(tmp_path, broker.port, *TABLES) as tables, judging(tmp_path, watchdog_s=4) as manager:
        await tables.listening(*TABLES)
        for name in TABLES:
            tables.send(name, BEFORE)
        await tables.judged(BEFORE, *TABLES)
        _plant(tmp_path, BEFORE + 1)
        for name in TABLES:
            tables.send(name, AFTER - BEFORE)
        await tables.judged(AFTER, "t2")
        await manager.until(lambda said: "FALLEN: bench/t1 (JournalOrderError)" in said.get("STATUS", ""))
        tables.send("t2", 10)
        await tables.judged(AFTER + 10, "t2")
        assert tables.states["t1"] < AFTER
        _take_away(tmp_path, BEFORE + 1)
        await tables.judged(AFTER, "t1")
        alive = len(manager.heard)
        said = await manager.until(lambda said: "WATCHDOG" in said, since=alive)
        assert "2 of 2 tables judged" in said["STATUS"]
        read = await samples(tmp_path)
        assert [read.of("pitwarden_link_up", f"bench/{name}", "judge") for name in TABLES] == [1, 1]
        assert read.of("pitwarden_rows_judged_total", "bench/t2") == AFTER + 10


async def test_a_table_that_hangs_starves_the_watchdog_and_is_named(broker: MosquittoBroker, tmp_path: Path) -> None:
    write(tmp_path, broker.port, *TABLES)
    saboteur = (str(Path(faulty_service.__file__)), "hang", "judge work", "--")
    async with (
        tables_of(tmp_path, broker.port, *TABLES) as tables,
        judging(tmp_path, watchdog_s=1, program=saboteur) as manager,
    ):
        await tables.listening(*TABLES)
        await manager.until(lambda said: "2 of 2 tables judged" in said.get("STATUS", ""))
        assert manager.process is not None
        manager.process.send_signal(signal.SIGUSR1)
        since = len(manager.heard)
        tables.send("t1", BEFORE)
        said = await manager.until(
            lambda said: "bench/t1 judge work stands still" in said.get("STATUS", ""), since=since
        )
        assert "WATCHDOG" not in said
        assert "bench/t2" not in said["STATUS"]


def _plant(folder: Path, number: int) -> None:
    """Put a row that this judge never received in the place of the next one of t1."""
    with closing(journal_of(folder)) as sql:
        row = (number, digest(b"{}"), b"{}")
        sql.execute("INSERT INTO received VALUES (NULL, 'bench/t1', 'e1', ?, ?, 0, ?)", row)


def _take_away(folder: Path, number: int) -> None:
    with closing(journal_of(folder)) as sql:
        sql.execute("DELETE FROM received WHERE tbl = 'bench/t1' AND number >= ?", (number,))
