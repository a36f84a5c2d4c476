"""One simulated table: both halves as processes, broker, cables, what people see of it, and the record of a night."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from pitwarden.bus.messages import InboundMessage
from pitwarden.field.half import FieldHalf
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.judge.half import JudgeHalf
from pitwarden.seal.sealing import Opener
from pitwarden_client.backoff import REFUSED_MS, SOON_MS, Backoff
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.topics import Topics
from pitwarden_drivers.api import Said
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.setup import SimulatedTableSetup
from pitwarden_simulators.table.table_builder import Built, build
from pitwarden_tools.simulation.broker import SimulatedBroker
from pitwarden_tools.simulation.cables import SimulatedCable
from pitwarden_tools.simulation.committed import CommittedByJudge
from pitwarden_tools.simulation.faults import ArmedFaults, Half
from pitwarden_tools.simulation.files import SimulatedFiles
from pitwarden_tools.simulation.halves import PRIVATE, SIGNER, SITE, field_half, judge_half
from pitwarden_tools.simulation.log_view import SimulatedLogView
from pitwarden_tools.simulation.process import SimulatedProcess, Starter
from pitwarden_tools.simulation.published import CardsShown, PublishedRecord
from pitwarden_tools.simulation.simulated_loop import LoopClock, RebootedClock, do_nothing

# People read the disk's state this often, in simulated seconds; messages wake them at once.
_POLL_S: Final = 0.25
LOCKABLE: Final = frozenset({"shoe"})
"""Devices that the judge may lock."""


class SeededRetries:
    """Retry policy of a link as in production, with a seeded jitter."""

    def __init__(self, random: Random) -> None:
        self._backoff = Backoff(random.random, cap_ms=REFUSED_MS)

    def after_failure(self) -> float:
        """Return the delay after a failure that may pass by itself, in seconds."""
        return self._backoff.failed(SOON_MS) / 1000

    def after_refusal(self) -> float:
        """Return the delay after a failure that a person must fix, in seconds."""
        return self._backoff.use_cap() / 1000

    def succeeded(self) -> None:
        """Start again from the shortest delay."""
        self._backoff.reset()


@dataclass
class SimulatedRig:
    """Everything of one table that a fault may affect, and the record of what happened."""

    folder: Path
    topics: Topics
    built: Built
    clock: LoopClock
    broker: SimulatedBroker
    faults: ArmedFaults
    files: SimulatedFiles
    plugs: dict[DeviceName, SimulatedCable]
    published: PublishedRecord
    random: Random
    truth: dict[tuple[str, int, int], Said] = field(default_factory=dict)
    """Events that each device sensed: device, boot, counter."""
    state: TableState | None = None
    replies: dict[str, InputReply] = field(default_factory=dict)
    accepted: dict[str, str] = field(default_factory=dict)
    """Ids of accepted inputs, and their act."""
    processes: dict[Half, SimulatedProcess] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Make the processes, and watch the devices and the bus."""
        self.machine = RebootedClock(self.clock)
        for name, device in self.built.devices.items():
            device.memory.noted = self._witness(name)
            device.memory.changed = self._changed.set
        self.processes["field"] = self._process("field", self._start_field)
        self.processes["judge"] = self._process("judge", self._start_judge)
        self.view = SimulatedLogView(self.folder / "field.sqlite", self.processes["field"])
        judged = CommittedByJudge(self.folder / "judge.sqlite", self.processes["judge"])
        self.published.is_row_committed = lambda at: self.view.place_of(at) > 0
        self.published.is_output_committed = judged.has_output
        self.published.is_position_committed = judged.has_position
        self.broker.observe(f"{self.topics.root}/#", self._message)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        """Publish a message over a connection that never fails, if the broker runs."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not self.broker.down and self.broker.frozen_until <= asyncio.get_running_loop().time():
            self.broker.take(topic, payload, retain=retain)
        done.set_result(None)
        return done

    @property
    def heard(self) -> Collection[tuple[str, bytes]]:
        """Every message, each once, in order."""
        return self.published.heard.keys()

    def opener(self) -> Opener:
        """Return what opens the seals of the table."""
        return Opener([PRIVATE], (SIGNER.public,), SITE, self.topics.table)

    def judged(self) -> int:
        """Return the place of the last row that the retained state covers; 0 for none."""
        return 0 if self.state is None else self.view.place_of(self.state.as_of)

    async def until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until `true()`.

        Raises:
            DemoError: That takes more than `seconds` of simulated time.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not true():
            if loop.time() >= end:
                reasons = "" if self.state is None else "; ".join(self.state.permit.reasons)
                opened = [] if self.state is None else [f"{i.sentence} ({i.clears})" for i in self.state.irregularities]
                raise DemoError(f"waited {seconds:.0f} s in vain for {what} ({reasons or 'no reason shown'}) {opened}")
            self._changed.clear()
            poll = loop.call_later(_POLL_S, self._changed.set)
            await self._changed.wait()
            poll.cancel()

    def leave_cables(self) -> None:
        """End the host's side of all cables: the process that held them is dead."""
        for plug in self.plugs.values():
            plug.modem.leave()

    def _process(self, half: Half, starter: Starter) -> SimulatedProcess:
        leave = self.leave_cables if half == "field" else do_nothing  # a judge holds no cables
        path = self.folder / f"{half}.sqlite"
        return SimulatedProcess(half, path, self.files, self.faults, self.random, starter, leave)

    async def _start_field(self, process: SimulatedProcess, run: str) -> FieldHalf:
        journal = await FieldJournal.open(process.path)
        process.journal = journal
        modems = {name: plug.modem for name, plug in self.plugs.items()}
        return await field_half(
            self.built.table.setup, self.machine, journal, modems, LOCKABLE, run=run, retry=SeededRetries(self.random)
        )

    async def _start_judge(self, process: SimulatedProcess, run: str) -> JudgeHalf:
        journal = await JudgeJournal.open(process.path)
        process.journal = journal
        return await judge_half(
            self.built.table.setup, journal, self.machine, LOCKABLE, run=run, retry=SeededRetries(self.random)
        )

    def _message(self, message: InboundMessage) -> None:
        try:
            if message.topic == self.topics.state and message.payload:
                state = decode(TableState, message.payload)
                if self.state is None or self.view.place_of(state.as_of) >= self.judged():
                    self.state = state
            elif message.topic.endswith("/replies"):
                reply = decode(InputReply, message.payload)
                self.replies[reply.id] = reply
        except BadPayloadError:
            return  # a hostile one of this tool
        self._changed.set()

    def _witness(self, name: str) -> Callable[[int, int, Said], None]:
        def note(boot: int, counter: int, said: Said) -> None:
            self.truth[name, boot, counter] = said
            if name == "shoe":
                self.published.cards.sensed(boot, counter, said)

        return note


def make_rig(
    setup: SimulatedTableSetup, seed: str, folder: Path, clock: LoopClock, files: SimulatedFiles
) -> SimulatedRig:
    """Return a table whose service is not started yet."""
    random = Random(seed)
    topics, built, faults = Topics(SITE, setup.table), build(setup, seed), ArmedFaults()
    published = PublishedRecord(topics, CardsShown(built.table))
    broker = SimulatedBroker(random, faults, [published.message])
    plugs = {name: SimulatedCable(device, clock) for name, device in built.devices.items()}
    return SimulatedRig(folder, topics, built, clock, broker, faults, files, plugs, published, random)
