"""Complete table for end-to-end tests: devices on ptys, the real service in processes to kill, a recorder."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from pitwarden.bus.messages import InboundMessage
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.codec import decode, digest
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.status import PartStatus
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.cables import Plug, plugged
from pitwarden_simulators.demo.consumer import Consumer, consumer
from pitwarden_simulators.demo.people import LivePeople
from pitwarden_simulators.demo.table_file import far_from, table_file
from pitwarden_simulators.demo.watch import Watch
from pitwarden_simulators.table.actions import Action, DeviceName, KeyPress
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table_builder import Built, build
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S

BOTH = "both"


class TableRecorder(Watch):
    """Consumer that records every message, and follows the log from epoch to epoch."""

    def __init__(self, topics: Topics) -> None:
        super().__init__(topics, SystemClock(), lambda _output: None)
        self.topics = topics
        self.raw: list[tuple[str, bytes]] = []
        self.rows: dict[tuple[str, int], bytes] = {}
        self.outputs: dict[int, set[bytes]] = {}
        self.status: dict[str, PartStatus] = {}
        self.epochs: list[str] = []
        self.deaf = False

    def message(self, message: InboundMessage) -> None:
        if self.deaf:
            message.ack()
            return
        self.raw.append((message.topic, message.payload))
        topics = self.topics
        if message.topic.startswith(f"{topics.root}/events/"):
            row = decode(LogEvent, message.payload)
            self.rows.setdefault((row.epoch, row.tableseq), message.payload)
            if row.epoch not in self.epochs:
                self.epochs.append(row.epoch)
                self.number = 0
                self.state = None
                self.forget_light()
            if row.epoch != self.epochs[-1]:
                message.ack()  # sent again for the judge, from before the restart
                return
        elif message.topic in {topics.irregularities, topics.reveals}:
            output = decode(OutputEvent, message.payload)
            self.outputs.setdefault(output.outputseq, set()).add(message.payload)
        elif message.topic.startswith(f"{topics.root}/status/") and message.payload:
            self.status[message.topic.rpartition("/")[2]] = decode(PartStatus, message.payload)
        super().message(message)
        if self.state is not None and self.epochs and self.state.as_of.epoch != self.epochs[-1]:
            self.state = None

    def said(self) -> list[OutputEvent]:
        """Return every output in order; fail when a number has two contents."""
        assert all(len(said) == 1 for said in self.outputs.values()), "one output number, two contents"
        return [decode(OutputEvent, min(self.outputs[seq])) for seq in sorted(self.outputs)]

    def check_chain(self) -> None:
        """Check that the outputs are numbered without a gap, each with the hash of the previous one."""
        said = self.said()
        assert [output.outputseq for output in said] == list(range(1, len(said) + 1))
        before = "0" * 64
        for output in said:
            assert output.prevhash == before
            before = digest(min(self.outputs[output.outputseq]))


class LiveTable:
    """Table. `start` and `kill` take a half (`field`, `judge`) or BOTH in one process."""

    people: "InterruptedOperators"
    plugs: dict[DeviceName, Plug]
    door: BrokerSettings | None = None
    """Login of the terminals, if they do not use the broker's open listener."""
    files: dict[str, str]
    """Table file of a half, where it has one of its own."""

    def __init__(self, folder: Path, recorder: TableRecorder, built: Built, broker: MosquittoBroker) -> None:
        self.folder, self.recorder, self.built, self.broker = folder, recorder, built, broker
        self.files = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._starts = 0
        self._bus = AsyncExitStack()
        self._consumer: Consumer | None = None

    async def connect(self) -> None:
        """Connect recorder and operators, again if they were connected."""
        await self._bus.aclose()
        door = self.door or BrokerSettings("127.0.0.1", self.broker.port)
        self._consumer = await self._bus.enter_async_context(consumer(door, "rig", self.recorder))

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        assert self._consumer is not None
        return self._consumer.publish(topic, payload, retain=retain)

    async def start(self, half: str = BOTH) -> None:
        only = [] if half == BOTH else ["--only", half]
        file = self.folder / self.files.get(half, "table.toml")
        self._starts += 1
        with (self.folder / f"{half}-{self._starts}.log").open("wb") as log:
            self._processes[half] = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "pitwarden.cli", "run", "--config", str(file), *only,
                stdout=log, stderr=log,
            )  # fmt: skip

    async def kill(self, half: str = BOTH) -> None:
        """Send SIGKILL; return once the process has ended."""
        process = self._processes.pop(half)
        process.kill()
        await process.wait()

    async def stop(self, half: str = BOTH) -> int:
        """Send SIGTERM; return the exit code."""
        process = self._processes.pop(half)
        process.send_signal(signal.SIGTERM)
        return await process.wait()

    async def stop_all(self) -> None:
        for half in list(self._processes):
            await self.kill(half)
        await self._bus.aclose()

    async def ready(self, epochs: int = 1) -> None:
        """Wait for this many epochs, and until the judge has evaluated rows of the newest."""
        seen = self.recorder
        await seen.until(lambda: len(seen.epochs) == epochs and seen.state is not None, PATIENCE_S, "the judge's state")

    async def play(self, rounds: int) -> None:
        """Play honest rounds from the table's opening on."""
        await self.people.play(TableNight(self.built.table, rounds, ()).script())

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


class InterruptedOperators(LivePeople):
    """Operators whose n-th action is interrupted: `interruptions[n]` is awaited before it."""

    interruptions: dict[int, Callable[[], "asyncio.Future[None] | object"]]
    actions = 0
    only_between = False
    """True if an interruption waits for an input: no device event is in transit then."""

    async def _perform(self, action: Action) -> None:
        self.actions += 1
        due = [number for number in self.interruptions if number <= self.actions]
        waits = self.only_between and not isinstance(action, KeyPress)
        happens = None if waits or not due else self.interruptions.pop(min(due))
        if happens is not None:
            await happens()  # type: ignore[misc]
        await super()._perform(action)

    def forget(self) -> None:
        """Start a new epoch: numbers begin again."""
        self._logged = 0
        self._round_from = 0


@asynccontextmanager
async def table(
    setup: SimulatedTableSetup,
    broker: MosquittoBroker,
    folder: Path,
    seed: str = "7",
    *,
    keypad: bool = False,
    door: BrokerSettings | None = None,
) -> AsyncIterator[LiveTable]:
    """Yield a table whose devices are plugged in and whose service is not started; its keys are made."""
    topics = Topics("rig", setup.table)
    built = build(setup, seed, keypad=keypad)
    clock = SystemClock()
    recorder = TableRecorder(topics)
    address = ("127.0.0.1", broker.port)
    async with plugged(built.devices, folder, clock, recorder.notify) as plugs:
        ports = {name: plug.place for name, plug in plugs.items()}
        (folder / "table.toml").write_text(table_file(setup, topics.site, address, ports, far_from(clock.utc().utc_ms)))
        rig = LiveTable(folder, recorder, built, broker)
        rig.plugs, rig.door = plugs, door
        rig.people = InterruptedOperators(topics, recorder, rig.publish, built.devices, plugs, run="rig", speed=0)
        rig.people.interruptions = {}
        await rig.connect()
        made = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pitwarden.cli", "keys", str(folder / "table.toml"), stdout=asyncio.subprocess.DEVNULL
        )
        assert await made.wait() == 0
        try:
            yield rig
        finally:
            await rig.stop_all()
