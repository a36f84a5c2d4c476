"""One judge process for several tables: poison, a flood, a fallen table and a long fold are one table's own trouble."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from broker import Broker
from pitwarden.bus.link import Link
from pitwarden.bus.message import Message
from pitwarden.bus.retry import LinkRetry
from pitwarden.bus.settings import BrokerSettings
from pitwarden.cli.main import main
from pitwarden.events.codec import decode
from pitwarden.events.outputs import TableState
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_simulators.bench.feed import SITE, Feed, named
from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.build import SERIALS

TABLES = ("t1", "t2", "t3")
ROWS = 60


class Pit:
    """The tables' field sides, and what the judge says of each."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.states = folder, dict[str, int]()
        signer, judge = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key")
        self.feeds = {table: Feed(table, signer, judge.public_key) for table in TABLES}
        self.changed = asyncio.Event()
        self.up = asyncio.Event()
        filters = [feed.topics.state for feed in self.feeds.values()]
        filters += [feed.topics.status("judge") for feed in self.feeds.values()]
        self.link = Link(
            BrokerSettings("127.0.0.1", port), "pit-fields", None, filters,
            on_message=self._heard, on_up=lambda _: self.up.set(), on_down=lambda _: None, retry=LinkRetry(),
        )  # fmt: skip
        self.online = set[str]()

    def send(self, table: str, rows: int) -> None:
        """Publishes the next rows of a table's log."""
        feed = self.feeds[table]
        for _ in range(rows):
            built = next(feed)
            self.link.publish(feed.topic(built), built.payload)

    async def judged(self, *tables: str, upto: int) -> None:
        """Returns once the judge's state of these tables stands at row `upto`."""
        async with asyncio.timeout(30):
            while any(self.states.get(table, 0) < upto for table in tables):
                await self.changed.wait()
                self.changed.clear()

    async def listening(self) -> None:
        """Returns once the judge is online for every table."""
        async with asyncio.timeout(30):
            while self.online != set(TABLES):
                await self.changed.wait()
                self.changed.clear()

    def _heard(self, message: Message) -> None:
        message.ack()
        table = message.topic.split("/")[3]
        if message.topic.endswith("/state"):
            self.states[table] = decode(TableState, message.payload).as_of.number
        elif b'"online":true' in message.payload:
            self.online.add(table)
        self.changed.set()


@asynccontextmanager
async def _served(folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    program = "import sys; from pitwarden.cli.main import main; sys.exit(main())"
    with (folder / "judge.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, "run", "--only", "judge", "--config", str(folder / "tables"),
            stdout=log, stderr=log, env=os.environ,
        )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        assert await process.wait() == 0, (folder / "judge.log").read_text()


@asynccontextmanager
async def _pit(folder: Path, port: int) -> AsyncIterator[Pit]:
    write(folder, port)
    pit = Pit(folder, port)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(pit.link.run())
        await pit.up.wait()
        yield pit
        running.cancel()


def write(folder: Path, port: int) -> None:
    (folder / "tables").mkdir()
    make_keys(folder / "keys")
    for table in TABLES:
        text = table_file(named(table), SITE, ("127.0.0.1", port), _ports(folder), "05:00")
        text = text.replace('"journals"', '"../journals"').replace('"keys"', '"../keys"')
        (folder / "tables" / f"{table}.toml").write_text(text)


def _ports(folder: Path) -> dict[DeviceName, str]:
    return {name: str(folder / name) for name in SERIALS}


@pytest.mark.broker
async def test_the_trouble_of_one_table_is_its_own_and_a_restart_goes_on(tmp_path: Path) -> None:
    with Broker(tmp_path / "broker") as broker:
        async with _pit(tmp_path, broker.port) as pit:
            async with _served(tmp_path):
                await pit.listening()
                topic = pit.feeds["t1"].topics.event("shoe", "shoe_card")
                poison = (b"{", b'{"tableseq":NaN}')
                flood = [pit.link.publish(topic, poison[number % 2]) for number in range(1_500)]
                for table in TABLES[1:]:
                    pit.send(table, ROWS)
                await pit.judged("t2", "t3", upto=ROWS)
                await asyncio.gather(*flood)
                assert pit.states.get("t1") is None
            pit.online.clear()
            async with _served(tmp_path):
                await pit.listening()
                pit.send("t1", ROWS)
                pit.send("t2", ROWS)
                await pit.judged("t1", upto=ROWS)
                await pit.judged("t2", upto=2 * ROWS)
    assert sorted(path.name for path in (tmp_path / "journals").glob("*.sqlite")) == ["judge.sqlite"]


def test_several_tables_are_refused_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, 1883)
    one, two = tmp_path / "tables" / "t1.toml", tmp_path / "tables" / "t2.toml"
    assert main(["run", "--config", str(one), str(two)]) == os.EX_CONFIG
    assert "add --only judge" in capsys.readouterr().err
    assert main(["run", "--only", "judge", "--config", str(one), str(one)]) == os.EX_CONFIG
    assert "a table has one judge" in capsys.readouterr().err
    two.write_text("[table]\n")
    assert main(["run", "--only", "judge", "--config", str(tmp_path / "tables")]) == os.EX_CONFIG
    assert "t2.toml" in capsys.readouterr().err
    assert main(["run", "--only", "judge", "--config", str(tmp_path / "keys")]) == os.EX_CONFIG
    assert "no table file" in capsys.readouterr().err
