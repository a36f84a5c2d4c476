"""B38 and reload: an ordered stop, whatever hangs; a changed file applied, or refused and survived."""

import asyncio
import os
import signal
import sqlite3
import tty
from contextlib import closing
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden_client.events.codec import decode
from pitwarden_client.events.device import ShoeCut
from pitwarden_client.events.envelope import LogEvent
from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_simulators.table.setup import CB_AUTO
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.processes.live_table import table
from testkit.processes.service_manager import managed, stop_twice
from testkit.tables.table_file import small_table

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def run_command(folder: Path, port: int) -> list[str]:
    file = small_table(folder, port=port)
    assert main(["keys", str(file)]) == 0
    return ["-m", "pitwarden.cli", "run", "--config", str(file)]


def linked(said: dict[str, str]) -> bool:
    return said.get("STATUS", "").count("broker linked") == 2


def filled(slave: int) -> bytes:
    """As many bytes as the pty takes, written to it; nobody reads them."""
    os.set_blocking(slave, False)
    taken = b""
    try:
        while True:
            taken += b"\x00" * os.write(slave, b"\x00" * 1_024)
    except BlockingIOError:
        return taken


def drained(master: int) -> bytes:
    """Everything that waits at the far end."""
    os.set_blocking(master, False)
    found = b""
    try:
        while data := os.read(master, 65_536):
            found += data
    except OSError:
        return found
    return found


async def test_a_write_that_is_stuck_does_not_keep_the_service_from_ending(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        tty.setraw(slave)
        noise = filled(slave)
        file = small_table(tmp_path, shoe=os.ttyname(slave))
        assert main(["keys", str(file)]) == 0
        async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)], watchdog_s=2) as manager:
            await manager.until(lambda said: "READY" in said)
            await manager.until(lambda said: "WATCHDOG" in said)
            assert await stop_twice(manager) == 0
        frames = [
            found.content for found in Framer().feed(drained(master).lstrip(noise[:1])) if isinstance(found, GoodFrame)
        ]
        assert len(frames) <= 1
    finally:
        os.close(slave)
        os.close(master)


EVENTS = 500


async def test_a_frozen_broker_blocks_no_task_and_costs_no_event(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(CB_AUTO, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        broker.freeze()
        shoe = rig.built.devices["shoe"].memory
        for _ in range(EVENTS):
            shoe.emit(ShoeCut())
        await until(lambda: len(counters(tmp_path)) == EVENTS, pause=0.05)
        assert await asyncio.wait_for(rig.stop(), PATIENCE_S) == 0
        broker.thaw()
        await rig.connect()
        await rig.start()
        await until(lambda: received(tmp_path) == len(rows(tmp_path)) > EVENTS, pause=0.05)
        assert await rig.stop() == 0
    assert counters(tmp_path) == list(range(1, EVENTS + 1)), "an event is missing, or stands twice in the log"


def rows(folder: Path, half: str = "field", query: str = "SELECT body FROM row ORDER BY place") -> list[bytes]:
    with closing(sqlite3.connect(f"file:{folder}/journals/{half}.sqlite?mode=ro", uri=True)) as sql:
        return [body for (body,) in sql.execute(query)]


def counters(folder: Path) -> list[int]:
    found = (decode(LogEvent, body) for body in rows(folder))
    return [row.devicecounter for row in found if isinstance(row.data, ShoeCut)]


def received(folder: Path) -> int:
    return len(rows(folder, "judge", "SELECT body FROM received"))


async def test_reload_applies_what_it_can_and_says_what_waits(broker: MosquittoBroker, tmp_path: Path) -> None:
    command = run_command(tmp_path, 1)
    file = tmp_path / "table.toml"
    async with managed(tmp_path, command, watchdog_s=2) as manager:
        assert manager.process is not None
        said = await manager.until(lambda said: "BROKER LOST" in said.get("STATUS", ""))
        since = len(manager.heard)
        small_table(tmp_path, port=broker.port)
        file.write_text(file.read_text().replace("positions = 6", "positions = 7"))
        manager.process.send_signal(signal.SIGHUP)
        assert "RELOADING" in await manager.until(lambda said: "RELOADING" in said or "READY" in said, since=since)
        said = await manager.until(lambda said: "READY" in said, since=since)
        assert "RESTART NEEDED for table" in said["STATUS"]
        await manager.until(linked, since=since)
        since = len(manager.heard)
        file.write_text("not a table file")
        manager.process.send_signal(signal.SIGHUP)
        said = await manager.until(lambda said: "READY" in said, since=since)
        assert "RELOAD REFUSED" in said["STATUS"]
        assert linked(said)
        assert await stop_twice(manager) == 0
