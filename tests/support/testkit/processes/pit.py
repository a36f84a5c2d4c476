"""Judge process of a pit: its tables' field sides on one link, and disturbances by the rest of the machine."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.field.log.row_builder import BuiltRow
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.codec import decode
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.bench.feed import SITE, Feed, named
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.metrics_samples import Samples, samples_at
from testkit.processes.service_manager import FakeManager, managed

PITWARDEN = ("-m", "pitwarden.cli")


class PitTables:
    """Field sides of the tables. `states`: the row that the judge's present state of each covers.

    `states` and `online` are present values: a waiter for one table may find that another has progressed meanwhile. A
    test
    of the order uses `came_online`, which holds each message of a table's being online, in the order of arrival.
    """

    def __init__(self, folder: Path, port: int, names: Sequence[str]) -> None:
        self.folder, self.states, self.online = folder, dict[str, int](), list[str]()
        self.came_online: list[str] = []
        signer, judge = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key")
        self.feeds = {name: Feed(name, signer, judge.public_key) for name in names}
        self.sent: dict[str, list[BuiltRow]] = {name: [] for name in names}
        self.up = asyncio.Event()
        self._changed = asyncio.Event()
        filters = [feed.topics.state for feed in self.feeds.values()]
        filters += [feed.topics.status("judge") for feed in self.feeds.values()]
        filters += [feed.topics.position("judge") for feed in self.feeds.values()]
        self.link = Link(
            BrokerSettings("127.0.0.1", port), "pit-fields", None, filters,
            on_message=self._heard, on_up=lambda _: self.up.set(), on_down=lambda _: None, retry=LinkBackoff(),
        )  # fmt: skip

    def send(self, name: str, rows: int) -> list[asyncio.Future[None]]:
        """Publish the next rows of a table's log; each future ends when the broker has the row."""
        return self._publish(name, [next(self.feeds[name]) for _ in range(rows)])

    async def judged(self, upto: int, *names: str) -> None:
        """Wait until the judge's state of these tables covers row `upto`."""
        await self.until(lambda: all(self.states.get(name, 0) >= upto for name in names))

    async def listening(self, *names: str) -> None:
        """Wait until the judge is online for exactly these tables."""
        await self.until(lambda: set(self.online) == set(names))

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until received messages make `true()` hold."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._changed.clear()
                await self._changed.wait()

    def _told(self, name: str, said: ConsumerPosition) -> None:
        """Send a judge that subscribed again the rows that it has not stored, as a field half does."""
        if said.hello:
            stored = 0 if said.at is None else said.at.number
            again, self.sent[name] = self.sent[name][stored:], self.sent[name][:stored]
            self._publish(name, again)

    def _publish(self, name: str, rows: Sequence[BuiltRow]) -> list[asyncio.Future[None]]:
        self.sent[name] += rows
        return [self.link.publish(self.feeds[name].topic(built), built.stored.body) for built in rows]

    def _heard(self, message: InboundMessage) -> None:
        message.ack()
        name = message.topic.split("/")[3]
        if "/positions/" in message.topic:
            self._told(name, decode(ConsumerPosition, message.payload))
        elif message.topic.endswith("/state"):
            self.states[name] = decode(TableState, message.payload).as_of.number
        else:
            self.online = [each for each in self.online if each != name]
            if b'"online":true' in message.payload:
                self.online.append(name)
                self.came_online.append(name)
        self._changed.set()


def write(folder: Path, port: int, *names: str, more: str = "") -> None:
    """Write a file for each table, with `more` at its end, and the keys that they share."""
    (folder / "tables").mkdir(exist_ok=True)
    if not (folder / "keys").exists():
        make_keys(folder / "keys")
    ports = {name: str(folder / name) for name in SERIALS}
    for name in names:
        text = table_file(named(name), SITE, ("127.0.0.1", port), ports, "05:00")
        text = text.replace('"journals"', '"../journals"').replace('"keys"', '"../keys"')
        (folder / "tables" / f"{name}.toml").write_text(text + more)


@asynccontextmanager
async def tables_of(folder: Path, port: int, *names: str) -> AsyncIterator[PitTables]:
    """Yield the field sides of these tables, linked."""
    tables = PitTables(folder, port, names)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(tables.link.run())
        await tables.up.wait()
        yield tables
        running.cancel()


@asynccontextmanager
async def judging(
    folder: Path, watchdog_s: float | None = None, name: str = "service", program: Sequence[str] = PITWARDEN
) -> AsyncIterator[FakeManager]:
    """Yield the manager of the judge process for the folder's tables. The process must stop when asked at the end."""
    command = [*program, "run", "--only", "judge", "--config", str(folder / "tables")]
    async with managed(folder, command, watchdog_s, name) as manager:
        yield manager
        assert manager.process is not None
        manager.process.terminate()
        assert await manager.process.wait() == os.EX_OK, (folder / f"{name}.log").read_text()


METRICS = '\n[metrics]\nsocket = "metrics"\n'


@contextmanager
def frozen(manager: FakeManager) -> Iterator[None]:
    """Freeze the process; its connections stay: keep it shorter than a keepalive."""
    assert manager.process is not None
    manager.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        manager.process.send_signal(signal.SIGCONT)


@contextmanager
def busy_disk(folder: Path) -> Iterator[None]:
    """Lock the judge's journal from another process, for at most 15 s: no commit succeeds."""
    with closing(journal_of(folder)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def journal_of(folder: Path) -> sqlite3.Connection:
    """Open the judge's journal of all tables, as another process does."""
    return sqlite3.connect(folder / "journals" / "judge.sqlite", isolation_level=None)


async def samples(folder: Path) -> Samples:
    """Return the metrics of the process; its table files contain `METRICS`."""
    return await samples_at(folder / "tables" / "metrics.judge")
