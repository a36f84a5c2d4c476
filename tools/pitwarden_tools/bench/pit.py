"""One judge process with many tables, a row a second each: its cost, and whether it falls behind."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.bench.bare_mqtt import BareMqtt
from pitwarden_tools.bench.feed import SITE, named
from pitwarden_tools.bench.prepared import prepared
from pitwarden_tools.bench.process import Used, used
from pitwarden_tools.campaign.broker import Broker

# A second's rows leave in this number of portions.
STEPS: Final = 20
SAMPLES: Final = 60  # of a run
# Rows of a round: tables begin this far apart, since no pit plays its rounds in step.
APART: Final = 41
READY_S: Final = 300.0
# Seconds. Unlike a field half the load repeats nothing: no link may be lost to a busy machine.
KEEPALIVE_S: Final = 60
_JUDGE: Final = "judge"
_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9)\n"  # SIGKILL when the load dies: no process is left running
    "from pitwarden.cli.main import main; sys.exit(main())"
)


@dataclass(frozen=True, slots=True)
class PitSample:
    """Sample after a number of seconds: rows not stored yet, and the cost of judge, broker and load so far."""

    at_s: float
    behind: int
    judge: Used
    broker: Used
    load: Used


class Load:
    """Field sides of all tables on one connection."""

    def __init__(self, tables: Sequence[str], packets: Sequence[Sequence[bytes]]) -> None:
        self._packets = packets
        self._next = [0] * len(tables)
        self._stored: dict[str, int] = {}
        self.sent = 0
        self.heard = asyncio.Event()
        every = Topics(SITE, "t").position(_JUDGE).replace("/t/", "/+/")
        self.link = BareMqtt("pit-load", every, self._heard)

    @property
    def ready(self) -> bool:
        """True if the judge has published its position for every table."""
        return len(self._stored) == len(self._packets)

    @property
    def behind(self) -> int:
        """Number of rows that were sent and are not stored."""
        return self.sent - sum(self._stored.values())

    def begin(self) -> None:
        """Bring the tables to different places of a round."""
        for table in range(len(self._packets)):
            self._send(range(table, table + 1), table % APART)

    def send(self, portion: int) -> None:
        """Send the next row of each table of this portion."""
        self._send(range(portion, len(self._packets), STEPS), 1)

    def send_each(self, rows: int) -> None:
        """Send the next rows of every table, all at once."""
        self._send(range(len(self._packets)), rows)

    def _send(self, tables: range, rows: int) -> None:
        due = list[bytes]()
        for table in tables:
            first = self._next[table]
            due += self._packets[table][first : first + rows]
            self._next[table] += rows
        self.sent += len(due)
        self.link.send(due)
        if self.link.lost:
            raise DemoError("the broker closed the load's connection: nothing can be measured")

    def _heard(self, topic: str, payload: bytes) -> None:
        said = decode(ConsumerPosition, payload)
        self._stored[topic.split("/")[3]] = 0 if said.at is None else said.at.number
        self.heard.set()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Judge process under its load: both ready, and the processes of judge and broker."""

    load: Load
    judge: int
    broker: int

    async def stored(self, rows: int) -> None:
        """Send the next rows of every table and wait until all are stored.

        Raises:
            DemoError: That takes too long.
        """
        self.load.send_each(rows)
        await until(self.load, lambda: not self.load.behind, f"the judge did not take {rows} rows of each table")


async def measured(mosquitto: str, folder: Path, tables: int, seconds: float) -> list[PitSample]:
    """Return samples over the time.

    Raises:
        DemoError: The judge does not start.
        ConnectionError: The broker refuses.
    """
    async with loaded(mosquitto, folder, tables, APART + round(seconds) + 1) as ready:
        ready.load.begin()
        await until(
            ready.load, lambda: not ready.load.behind, f"the judge did not take the first rows of {tables} tables"
        )
        return await run(ready, seconds)


@asynccontextmanager
async def loaded(mosquitto: str, folder: Path, tables: int, rows: int) -> AsyncIterator[Loaded]:
    """Yield a broker, a judge that follows every table, and `rows` of each table to send."""
    names = [f"t{number:04}" for number in range(1, tables + 1)]
    make_keys(folder / "keys")
    packets = prepared(folder / "keys", names, rows)
    with Broker(mosquitto, folder / "broker") as broker:
        _write(folder, names, broker.port)
        load = Load(names, packets)
        await asyncio.get_running_loop().create_connection(lambda: load.link, "127.0.0.1", broker.port)
        try:
            await load.link.ready
            async with _judge(folder) as judge:
                await until(load, lambda: load.ready, f"the judge did not come up with {tables} tables")
                yield Loaded(load, judge.pid, broker.pid)
        finally:
            load.link.close()


async def until(load: Load, true: Callable[[], bool], otherwise: str) -> None:
    """Wait until the judge's messages satisfy a condition.

    Raises:
        DemoError: That takes too long; `otherwise` is the message.
    """
    try:
        async with asyncio.timeout(READY_S):
            while not true():
                load.heard.clear()
                await load.heard.wait()
    except TimeoutError:
        raise DemoError(f"{otherwise} in {READY_S:.0f} s") from None


async def run(ready: Loaded, seconds: float) -> list[PitSample]:
    """Return samples while every table sends a row a second."""
    loop = asyncio.get_running_loop()
    began, samples, due = loop.time(), list[PitSample](), 0.0
    for turn in range(round(seconds * STEPS)):
        ready.load.send(turn % STEPS)
        now = loop.time() - began
        if now >= due:
            samples.append(_sample(ready, now))
            due += seconds / SAMPLES
        await asyncio.sleep(max(0.0, began + (turn + 1) / STEPS - loop.time()))
    samples.append(_sample(ready, loop.time() - began))
    return samples


def _sample(ready: Loaded, at_s: float) -> PitSample:
    return PitSample(at_s, ready.load.behind, used(ready.judge), used(ready.broker), used(os.getpid()))


@asynccontextmanager
async def _judge(folder: Path) -> AsyncIterator[Process]:
    with (folder / "judge.log").open("wb") as log:
        judge = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, "run", "--only", "judge", "--config", str(folder / "tables"),
            "--log-level", "warning", stdin=DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        yield judge
    finally:
        if judge.returncode is None:
            judge.kill()
        await judge.wait()


def _write(folder: Path, names: Sequence[str], port: int) -> None:
    (folder / "tables").mkdir()
    ports = {name: str(folder / name) for name in SERIALS}
    for name in names:
        text = table_file(named(name), SITE, ("127.0.0.1", port), ports, "05:00")
        text = text.replace('"journals"', '"../journals"').replace('"keys"', '"../keys"')
        text = text.replace("[broker]", f"[broker]\nkeepalive = {KEEPALIVE_S}")
        (folder / "tables" / f"{name}.toml").write_text(text, encoding="utf-8")
