"""A table whose judge recovers for long, or hangs, is named; it stops when asked to, and handles a reload."""

import signal
from contextlib import closing
from pathlib import Path

import pytest

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes import faulty_service
from testkit.processes.pit import journal_of, judging, tables_of, write

HELD = (str(Path(faulty_service.__file__)), "fold", "", "--")
ROWS = 30

pytestmark = pytest.mark.broker


async def test_a_recovery_that_hangs_is_reported_and_delays_neither_stop_nor_reload(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    write(tmp_path, broker.port, "t1", "t2")
    async with tables_of(tmp_path, broker.port, "t1", "t2") as tables:
        async with judging(tmp_path):
            await tables.listening("t1", "t2")
            tables.send("t1", ROWS)
            await tables.judged(ROWS, "t1")
        await tables.listening()
        with closing(journal_of(tmp_path)) as sql:
            sql.execute("DELETE FROM snapshot")
        async with judging(tmp_path, watchdog_s=1, name="hangs", program=HELD) as manager:
            await manager.until(lambda said: "bench/t1 judge fold stands still" in said.get("STATUS", ""))
            await tables.listening("t2")
        log = (tmp_path / "hangs.log").read_text()
        assert "stopped at the deadline" not in log
        await tables.listening()
        write(tmp_path, 1, "t1", "t2")
        async with judging(tmp_path, name="reloads", program=HELD) as manager:
            await manager.until(lambda said: "READY" in said)
            write(tmp_path, broker.port, "t1", "t2")
            assert manager.process is not None
            manager.process.send_signal(signal.SIGHUP)
            await tables.listening("t2")
            manager.process.send_signal(signal.SIGUSR1)
            await tables.listening("t1", "t2")
            tables.send("t1", ROWS)
            await tables.judged(2 * ROWS, "t1")
