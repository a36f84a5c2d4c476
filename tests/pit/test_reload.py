"""SIGHUP: which tables there are is read again; a bad file is named, and everybody else lives on."""

import signal
from pathlib import Path

import pytest

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.pit import judging, tables_of, write
from testkit.processes.service_manager import FakeManager

TABLES = ("t1", "t2", "t3")
ROWS = 30

pytestmark = pytest.mark.broker


async def test_tables_start_and_stop_with_their_files_and_a_bad_file_stops_no_table(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    write(tmp_path, broker.port, "t1", "t2")
    folder = tmp_path / "tables"
    async with tables_of(tmp_path, broker.port, *TABLES) as tables, judging(tmp_path) as manager:
        await tables.listening("t1", "t2")
        for name in ("t1", "t2"):
            tables.send(name, ROWS)
        await tables.judged(ROWS, "t1", "t2")

        write(tmp_path, broker.port, "t3")
        (folder / "t2.toml").write_text("[table]\n")
        said = await _reloaded(manager)
        assert "RELOAD REFUSED, see the log: t2.toml" in said
        assert "t2.toml" in (tmp_path / "service.log").read_text()
        await tables.listening(*TABLES)
        tables.send("t2", ROWS)
        tables.send("t3", ROWS)
        await tables.judged(2 * ROWS, "t2")
        await tables.judged(ROWS, "t3")

        (folder / "t2.toml").unlink()
        whole = (folder / "t1.toml").read_text()
        (folder / "t1.toml").write_text(whole.replace("[rules]", "[judge]\ngrace_ms = 1500\n\n[rules]"))
        said = await _reloaded(manager)
        assert "RELOAD REFUSED" not in said
        assert " of 2 tables judged" in said
        await tables.listening("t1", "t3")
        tables.send("t1", ROWS)
        tables.send("t3", ROWS)
        await tables.judged(2 * ROWS, "t1", "t3")
        log = (tmp_path / "service.log").read_text()
        assert '"changed": "bench/t1"' in log
        assert '"gone": "bench/t2"' in log


async def _reloaded(manager: FakeManager) -> str:
    since = len(manager.heard)
    assert manager.process is not None
    manager.process.send_signal(signal.SIGHUP)
    await manager.until(lambda said: "RELOADING" in said, since=since)
    return (await manager.until(lambda said: "READY" in said, since=since))["STATUS"]
