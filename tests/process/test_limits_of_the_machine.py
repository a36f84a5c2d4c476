"""A journal that is removed under the service; too low a limit of open files, at the start and in the night."""

import asyncio
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.system.process import open_files_problem
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.processes.pit import write
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.table_file import small_table

pytestmark = pytest.mark.slow

WITH_A_LOW_LIMIT = """
import resource, sys
from pitwarden.cli.main import main
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_service_whose_journal_is_removed_ends_and_acknowledges_nothing_more(
    tmp_path: Path, *, replaced: bool
) -> None:
    file = small_table(tmp_path)
    assert main(["keys", str(file)]) == 0
    async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=2) as manager:
        assert manager.process is not None
        await manager.until(lambda said: "READY" in said)
        journal = tmp_path / "journals" / "field.sqlite"
        journal.unlink()
        if replaced:
            journal.write_bytes(b"")
        assert await asyncio.wait_for(manager.process.wait(), 2 * PATIENCE_S) == 1
    assert f"{journal}: the file was removed or replaced" in (tmp_path / "service.log").read_text()


async def test_the_soft_limit_of_open_files_is_raised_at_the_start(tmp_path: Path) -> None:
    file = small_table(tmp_path)
    assert main(["keys", str(file)]) == 0
    async with managed(tmp_path, ["-c", WITH_A_LOW_LIMIT, "run", "--config", str(file)], watchdog_s=2) as manager:
        assert manager.process is not None
        await manager.until(lambda said: "READY" in said)
        assert resource.prlimit(manager.process.pid, resource.RLIMIT_NOFILE)[0] > 256
        assert await stop_twice(manager) == 0


@pytest.mark.broker
async def test_a_service_without_a_file_to_open_tries_again_and_links_when_there_is_one(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    file = small_table(tmp_path, port=broker.port)
    assert main(["keys", str(file)]) == 0
    async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=2) as manager:
        assert manager.process is not None
        pid = manager.process.pid
        await manager.until(lambda said: said.get("STATUS", "").count("broker linked") == 2)
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, limits[1]))  # what is open stays open, and no more can be
        broker.kill()
        broker.start()
        log = tmp_path / "service.log"
        await until(lambda: log.read_text().count("Too many open files") > 1, pause=0.1)
        since = len(manager.heard)
        await manager.until(lambda said: said.get("WATCHDOG") == "1", since=since)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        await manager.until(lambda said: said.get("STATUS", "").count("broker linked") == 2, since=since)
        assert await stop_twice(manager) == 0


def test_a_judge_of_more_tables_than_it_may_open_files_for_is_refused_with_the_numbers(tmp_path: Path) -> None:
    write(tmp_path, 1883, "ta01", "ta02", "ta03")
    program = WITH_A_LOW_LIMIT.replace("(256, resource.getrlimit(resource.RLIMIT_NOFILE)[1])", "(69, 69)")
    ran = subprocess.run(
        [sys.executable, "-c", program, "run", "--only", "judge", "--config", tmp_path / "tables"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == os.EX_CONFIG
    assert ran.stderr.splitlines()[-1] == (
        "3 tables need 70 open files, and this process may have 69. Set LimitNOFILE=70 or more in the unit, or judge"
        " fewer tables in one process"
    )
    assert open_files_problem(3, 70) == ""
