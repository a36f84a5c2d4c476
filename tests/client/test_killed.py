"""A consumer killed, cut off and restarted at random ends with exactly the log and the outputs, in order."""

import asyncio
import contextlib
import os
import random
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

DEATHS = 200
BROKER_DEATHS = 4
CODE = Path(__file__).with_name("consumer_to_kill.py")


class Zygote:
    """Forks consumers; Python and its imports are started once."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def fork(self) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        return int(await self._process.stdout.readline())


def stored(file: Path, of: str) -> list[bytes]:
    with contextlib.closing(sqlite3.connect(file)) as sql:
        try:
            return [body for (body,) in sql.execute("SELECT body FROM item WHERE of = ? ORDER BY place", (of,))]
        except sqlite3.OperationalError:  # the table is not made yet
            return []


def count(file: Path) -> int:
    with contextlib.closing(sqlite3.connect(file)) as sql:
        try:
            return int(sql.execute("SELECT count(*) FROM item").fetchone()[0])
        except sqlite3.OperationalError:  # the table is not made yet
            return 0


def said(table: ReplayedTable) -> int:
    return len(table.rows) + len(table.outputs)


@pytest.fixture
def messages() -> tuple[PublishedMessage, ...]:
    """Played where no loop runs."""
    return published_night("cb-auto", "1", 12, "shoe_jam")


@pytest.mark.broker
@pytest.mark.full
@pytest.mark.timeout(180)
@pytest.mark.parametrize("seed", [1])
async def test_two_hundred_deaths_leave_exactly_the_log(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311  when to kill, not a secret
    file = tmp_path / "historian.sqlite"
    zygote = await asyncio.create_subprocess_exec(
        sys.executable, CODE, str(broker.port), "cb-auto", file,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    broken = set(chance.sample(range(DEATHS), BROKER_DEATHS))
    forks = Zygote(zygote)
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table:
        share, grew = len(table.left) // DEATHS + 1, 0
        for death in range(DEATHS):
            consumer = await forks.fork()
            before, wanted = count(file), chance.choice((0, 0, 0, 1, 2, 5))
            await table.publish_next(share)
            if death in broken:
                broker.kill()
                broker.start()
            if wanted == 0:
                await asyncio.sleep(chance.uniform(0.0, 0.05))
            else:
                await until(lambda: count(file) >= min(before + wanted, said(table)), pause=0.002)  # noqa: B023
            os.kill(consumer, signal.SIGKILL)
            grew += count(file) > before
        assert grew > DEATHS / 5, "they were killed before they did anything"
        await table.publish_next()
        last = await forks.fork()
        await until(lambda: count(file) >= said(table), pause=0.05)
        os.kill(last, signal.SIGKILL)
        assert stored(file, "log") == table.rows
        assert stored(file, "outputs") == table.outputs
        assert not stored(file, "break")
    assert zygote.stdin is not None
    zygote.stdin.close()
    await zygote.wait()
