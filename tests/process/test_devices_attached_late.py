"""B37: without devices the service is ready at once, and works when they are attached; it never restarts."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.system.clock import SystemClock
from pitwarden_simulators.demo.cables import plugged
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_simulators.table.table_builder import SERIALS, build
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.table_file import small_table

pytestmark = [pytest.mark.broker, pytest.mark.slow]


async def test_nothing_is_attached_and_all_comes_later(tmp_path: Path) -> None:
    broker = MosquittoBroker(tmp_path / "mosquitto")
    file = small_table(tmp_path, port=broker.port, shoe=str(tmp_path / "shoe"), serial=SERIALS["shoe"])
    assert main(["keys", str(file)]) == 0
    shoe = build(TAB_SHIELDED, "7").devices["shoe"]
    async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=2) as manager:
        ready = await manager.until(lambda said: "READY" in said)
        assert "shoe lost" in ready["STATUS"]
        for _ in range(3):
            said = await manager.until(lambda said: "WATCHDOG" in said, since=len(manager.heard))
        waiting = said["STATUS"]
        assert waiting.count("BROKER LOST") == 2
        assert "shoe lost" in waiting
        with broker:
            async with plugged({"shoe": shoe}, tmp_path, SystemClock(), lambda: None):
                await manager.until(lambda said: "shoe online" in said.get("STATUS", ""))
                await manager.until(lambda said: said.get("STATUS", "").count("broker linked") == 2)
                await manager.until(lambda said: "rules " in said.get("STATUS", ""))
            assert await stop_twice(manager) == 0
        assert sum("READY" in said for said in manager.heard) == 1
