"""B35, B36: a dead part ends the process, a hung part starves the watchdog, and nothing else does."""

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import read_table_file
from pitwarden.metrics.families import LOG_LINES_DROPPED, STARTED, WITHHELD
from pitwarden.service import run
from pitwarden.system.service_manager import SystemdNotifier
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.faulty_service import crash
from testkit.processes.metrics_samples import Samples
from testkit.processes.service_manager import FakeManager, listening_manager, managed
from testkit.tables.table_file import small_table

SABOTEUR = str(Path(__file__).parent.parent / "support" / "testkit" / "processes" / "faulty_service.py")
PLANTED = [
    "watchdog", "reloads", "metrics", "field log", "field link", "field delivery", "field ticker", "field desk",
    "field orders", "field heads", "field replay", "field consumers", "field housekeeping", "device shoe", "judge work",
    "judge link", "judge pump", "judge replay", "judge housekeeping",
]  # fmt: skip
pytestmark = [pytest.mark.slow]


def keyed_table(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    file = small_table(folder, more='\n[metrics]\nsocket = "metrics"\n')
    assert main(["keys", str(file)]) == 0
    return file


def sabotaged(file: Path, kind: str, what: str) -> Sequence[str]:
    return [SABOTEUR, kind, what, "--", "run", "--config", str(file)]


def strike(manager: FakeManager) -> int:
    """SIGUSR1; how many datagrams had come by then."""
    assert manager.process is not None
    manager.process.send_signal(signal.SIGUSR1)
    return len(manager.heard)


@pytest.mark.parametrize("task", PLANTED)
async def test_whichever_task_dies_the_run_ends_with_its_error(task: str, tmp_path: Path) -> None:
    file = keyed_table(tmp_path)
    table = read_table_file(file)
    assert table is not None
    async with listening_manager(tmp_path / "notify") as manager:
        with contextlib.closing(SystemdNotifier(str(tmp_path / "notify"))) as notifier:
            running = asyncio.create_task(
                run.run_service(table, only=None, notifier=notifier, reread=lambda: read_table_file(file))
            )
            await manager.until(lambda said: "READY" in said)
            while not crash(task):  # noqa: ASYNC110  no event tells when another task waits again
                await asyncio.sleep(0)
            with pytest.RaisesGroup(pytest.RaisesExc(RuntimeError, match=f"planted in {task}"), flatten_subgroups=True):
                await asyncio.wait_for(running, PATIENCE_S)


async def test_a_process_whose_task_died_exits_with_an_error(tmp_path: Path) -> None:
    file = keyed_table(tmp_path)
    async with managed(tmp_path, sabotaged(file, "crash", "field desk")) as manager:
        await manager.until(lambda said: "READY" in said)
        strike(manager)
        assert manager.process is not None
        assert await asyncio.wait_for(manager.process.wait(), PATIENCE_S) == 1
        assert "planted in field desk" in (tmp_path / "service.log").read_text()


@pytest.mark.parametrize("part", ["field log", "field delivery"])
async def test_a_hung_part_starves_the_watchdog_and_is_named(part: str, tmp_path: Path) -> None:
    file = keyed_table(tmp_path)
    async with managed(tmp_path, sabotaged(file, "hang", part), watchdog_s=1) as manager:
        await manager.until(lambda said: "WATCHDOG" in said)
        since = strike(manager)
        await manager.until(lambda said: f"{part} stands still" in said.get("STATUS", ""), since=since)
        assert await manager.silent("WATCHDOG", 1.2)


async def test_a_blocked_loop_feeds_nothing(tmp_path: Path) -> None:
    file = keyed_table(tmp_path)
    async with managed(tmp_path, sabotaged(file, "block", "1.5"), watchdog_s=1) as manager:
        await manager.until(lambda said: "WATCHDOG" in said)
        since = strike(manager)
        said = await manager.until(lambda said: "the loop was blocked" in said.get("STATUS", ""), since=since)
        assert "WATCHDOG" not in said


async def test_a_healthy_service_is_fed_again_and_again_and_says_how_it_is(tmp_path: Path) -> None:
    file = keyed_table(tmp_path)
    async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=4) as manager:
        for _ in range(4):
            said = await manager.until(lambda said: "WATCHDOG" in said, since=len(manager.heard))
        status = said["STATUS"]
        assert "harbor/ta01" in status
        assert "BROKER LOST" in status
        assert "shoe lost" in status
        reader, writer = await asyncio.open_unix_connection(tmp_path / "metrics")
        writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
        found = Samples((await reader.read()).decode().partition("\r\n\r\n")[2])
        writer.close()
    assert found.of("pitwarden_device_state", "harbor/ta01", "shoe", "lost") == 1
    assert found.of("pitwarden_link_up", "harbor/ta01", "judge") == 0
    assert found.has(STARTED)
    assert found.has(LOG_LINES_DROPPED)
    assert any("no judge was heard since the start" in labels for labels in found.values(WITHHELD))
