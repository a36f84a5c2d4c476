"""B38 and reload: an ordered stop within a bound, whatever hangs; a changed file applied, or refused and survived."""

import asyncio
import signal
from pathlib import Path

import pytest

from broker import Broker
from fake_manager import FakeManager, managed
from pitwarden.cli.main import main
from small_table import small_table

pytestmark = [pytest.mark.broker, pytest.mark.slow]


async def ended(manager: FakeManager) -> tuple[int, float]:
    """SIGTERM twice; the exit code, and how long it took in seconds."""
    assert manager.process is not None
    loop = asyncio.get_running_loop()
    began = loop.time()
    manager.process.send_signal(signal.SIGTERM)
    await manager.until(lambda said: "STOPPING" in said, 20)
    manager.process.send_signal(signal.SIGTERM)
    return await asyncio.wait_for(manager.process.wait(), 30), loop.time() - began


def run_command(folder: Path, port: int) -> list[str]:
    file = small_table(folder, port=port)
    assert main(["keys", str(file)]) == 0
    return ["-m", "pitwarden.cli", "run", "--config", str(file)]


def linked(said: dict[str, str]) -> bool:
    return said.get("STATUS", "").count("broker linked") == 2


async def test_a_frozen_broker_does_not_keep_the_service_from_ending(broker: Broker, tmp_path: Path) -> None:
    async with managed(tmp_path, run_command(tmp_path, broker.port), watchdog_s=2) as manager:
        await manager.until(linked, 20)
        broker.freeze()
        code, seconds = await ended(manager)
    assert code == 0
    assert seconds < 8  # 4.5 s are the service's own bound; the rest is the machine's


async def test_reload_applies_what_it_can_and_says_what_waits(broker: Broker, tmp_path: Path) -> None:
    command = run_command(tmp_path, 1)
    file = tmp_path / "table.toml"
    async with managed(tmp_path, command, watchdog_s=2) as manager:
        assert manager.process is not None
        said = await manager.until(lambda said: "BROKER LOST" in said.get("STATUS", ""), 20)
        since = len(manager.heard)
        small_table(tmp_path, port=broker.port)
        file.write_text(file.read_text().replace("positions = 6", "positions = 7"))
        manager.process.send_signal(signal.SIGHUP)
        said = await manager.until(lambda said: "READY" in said, 20, since)
        assert "RELOADING" in manager.heard[since][1]
        assert "RESTART NEEDED for table" in said["STATUS"]
        await manager.until(linked, 20, since)
        since = len(manager.heard)
        file.write_text("not a table file")
        manager.process.send_signal(signal.SIGHUP)
        said = await manager.until(lambda said: "READY" in said, 20, since)
        assert "RELOAD REFUSED" in said["STATUS"]
        assert linked(said)
        code, _ = await ended(manager)
    assert code == 0
