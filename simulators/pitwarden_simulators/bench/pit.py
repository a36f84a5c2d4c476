"""One judge process under many tables, a row a second each: what it takes, and whether it falls behind."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.bus.link import Link
from pitwarden.bus.message import Message
from pitwarden.bus.retry import LinkRetry
from pitwarden.bus.settings import BrokerSettings
from pitwarden.events.codec import decode
from pitwarden.events.status import ConsumerPosition
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_simulators.bench.feed import SITE, Feed, named
from pitwarden_simulators.campaign.broker import Broker
from pitwarden_simulators.demo.faults import DemoError
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.build import SERIALS

UNDER_WAY: Final = 1_000  # fewer than a link holds: what a slow broker has not acknowledged waits here
STEPS: Final = 10  # a second's rows leave in so many portions
ROUNDS: Final = 16  # more than ten minutes at a row a second
START_S: Final = 180.0
_JUDGE: Final = "judge"
_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9)\n"  # SIGKILL when the load dies: nothing is left running
    "from pitwarden.cli.main import main; sys.exit(main())"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """The judge after so many seconds: rows not stored yet, processor seconds, resident memory in kB."""

    at_s: float
    behind: int
    cpu_s: float
    rss_kb: int


class Load:
    """The field sides of all tables on one link."""

    def __init__(self, folder: Path, tables: Sequence[str], port: int) -> None:
        signer, judge = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key")
        self._feeds = [Feed(table, signer, judge.public_key, ROUNDS) for table in tables]
        self._stored: dict[str, int] = {}
        self._sent = self._under_way = 0
        self._waiting: deque[tuple[str, bytes]] = deque()
        self.up = asyncio.Event()
        self.ready = asyncio.Event()
        every = self._feeds[0].topics.position(_JUDGE).replace(f"/{tables[0]}/", "/+/")
        self.link = Link(
            BrokerSettings("127.0.0.1", port, keepalive=60), "pit-load", None, [every],
            on_message=self._heard, on_up=lambda _: self.up.set(), on_down=lambda _: None, retry=LinkRetry(),
        )  # fmt: skip

    @property
    def behind(self) -> int:
        """Rows that were sent and are not stored."""
        return self._sent - sum(self._stored.values())

    def send(self, portion: int) -> None:
        """The next row of each table of this portion."""
        for feed in self._feeds[portion::STEPS]:
            built = next(feed)
            self._waiting.append((feed.topic(built), built.payload))
            self._sent += 1
        self._publish()

    def _publish(self) -> None:
        while self._waiting and self._under_way < UNDER_WAY:
            self._under_way += 1
            self.link.publish(*self._waiting.popleft()).add_done_callback(self._acknowledged)

    def _acknowledged(self, done: "asyncio.Future[None]") -> None:
        self._under_way -= 1
        if done.cancelled() or done.exception() is not None:
            raise DemoError("the broker did not take a row: the load cannot be measured")
        self._publish()

    def _heard(self, message: Message) -> None:
        message.ack()
        said = decode(ConsumerPosition, message.payload)
        self._stored[message.topic.split("/")[3]] = 0 if said.at is None else said.at.number
        if len(self._stored) == len(self._feeds):
            self.ready.set()


async def measured(mosquitto: str, folder: Path, tables: int, seconds: float) -> list[Sample]:
    """A sample about each tenth of the time; DemoError when the judge does not come up."""
    names = [f"t{number:04}" for number in range(1, tables + 1)]
    with Broker(mosquitto, folder / "broker") as broker:
        _write(folder, names, broker.port)
        load = Load(folder, names, broker.port)
        async with asyncio.TaskGroup() as group:
            running = group.create_task(load.link.run(), name="pit load")
            await load.up.wait()
            async with _judge(folder) as judge:
                try:
                    await asyncio.wait_for(load.ready.wait(), START_S)
                except TimeoutError:
                    raise DemoError(f"the judge did not come up with {tables} tables in {START_S:.0f} s") from None
                samples = await _run(load, judge.pid, seconds)
            running.cancel()
    return samples


async def _run(load: Load, pid: int, seconds: float) -> list[Sample]:
    loop = asyncio.get_running_loop()
    began, samples, due = loop.time(), list[Sample](), 0.0
    for turn in range(round(seconds * STEPS)):
        load.send(turn % STEPS)
        now = loop.time() - began
        if now >= due:
            samples.append(_sample(load, pid, now))
            due += seconds / STEPS
        await asyncio.sleep(max(0.0, began + (turn + 1) / STEPS - loop.time()))
    samples.append(_sample(load, pid, loop.time() - began))
    return samples


def _sample(load: Load, pid: int, at_s: float) -> Sample:
    process = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    words = (process / "stat").read_text().rpartition(")")[2].split()
    ticks = int(words[11]) + int(words[12])
    return Sample(at_s, load.behind, ticks / os.sysconf("SC_CLK_TCK"), int(status["VmRSS"].split()[0]))


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
    make_keys(folder / "keys")
    ports = {name: str(folder / name) for name in SERIALS}
    for name in names:
        text = table_file(named(name), SITE, ("127.0.0.1", port), ports, "05:00")
        text = text.replace('"journals"', '"../journals"').replace('"keys"', '"../keys"')
        (folder / "tables" / f"{name}.toml").write_text(text, encoding="utf-8")
