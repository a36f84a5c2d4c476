"""Table that ran before an upgrade, so that its judge recovers at the start; and one that is held there."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

from pitwarden.cli.main import main
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.processes import faulty_service
from testkit.processes.service_manager import FakeManager, managed, stop_twice
from testkit.tables.table_file import small_table

SABOTEUR = str(Path(faulty_service.__file__))


def held_service(folder: Path, reason: str = "") -> Sequence[str]:
    """Return the service with its judge held in its fold until SIGUSR1; then it continues, or fails for `reason`."""
    return [SABOTEUR, "fold", reason, "--", "run", "--config", str(folder / "table.toml")]


def release_fold(manager: FakeManager, number: signal.Signals = signal.SIGUSR1) -> int:
    """Send the signal; return the number of datagrams received by then."""
    assert manager.process is not None
    manager.process.send_signal(number)
    return len(manager.heard)


def mark_upgraded(folder: Path) -> int:
    """Mark the judge's snapshots as those of other rules; return the number of rows to evaluate again."""
    with closing(sqlite3.connect(folder / "journals" / "judge.sqlite", isolation_level=None)) as sql:
        sql.execute("UPDATE snapshot SET rules = '0.0.1'")
        return int(sql.execute("SELECT count(*) FROM received").fetchone()[0])


def judged(folder: Path) -> list[bytes]:
    with closing(sqlite3.connect(f"file:{folder}/journals/judge.sqlite?mode=ro", uri=True)) as sql:
        return [body for (body,) in sql.execute("SELECT body FROM received ORDER BY place")]


def logged(folder: Path) -> list[bytes]:
    with closing(sqlite3.connect(f"file:{folder}/journals/field.sqlite?mode=ro", uri=True)) as sql:
        return [body for (body,) in sql.execute("SELECT body FROM row ORDER BY place")]


RAN: list[Path] = []


async def table_before_upgrade(folder: Path, port: int) -> Path:
    """Make a table in `folder` that judged its first rows before an upgrade; its broker is at `port` now."""
    if not RAN:
        RAN.append(await _ran(Path(mkdtemp(prefix="ran-before-"))))
    for part in ("keys", "journals"):
        shutil.copytree(RAN[0] / part, folder / part)
    return small_table(folder, port=port)


async def _ran(folder: Path) -> Path:
    with MosquittoBroker(folder / "mosquitto") as broker:
        file = small_table(folder, port=broker.port)
        assert main(["keys", str(file)]) == 0
        async with managed(folder, ["-m", "pitwarden.cli", "run", "--config", str(file)]) as manager:
            await manager.until(lambda said: "READY" in said)
            await until(lambda: len(judged(folder)) > 1, pause=0.02)
            assert await stop_twice(manager) == os.EX_OK
    assert mark_upgraded(folder) > 1
    return folder


async def failed(manager: FakeManager) -> int:
    """Return the exit code of a service that stops by itself."""
    assert manager.process is not None
    await manager.until(lambda said: "STOPPING" in said)
    return await manager.process.wait()


def check_orderly_end(folder: Path, reason: str) -> None:
    """Assert that the reason is a sentence and the log is signed as closed."""
    said = (folder / "service.log").read_text()
    assert reason in said
    assert "Traceback" not in said
    assert closed(folder) == len(logged(folder))


def closed(folder: Path) -> int:
    """Return the place up to which the log is signed as closed."""
    with closing(sqlite3.connect(folder / "journals" / "field.sqlite")) as sql:
        return int(sql.execute("SELECT max(place) FROM checkpoint WHERE mark = 'closed'").fetchone()[0])
