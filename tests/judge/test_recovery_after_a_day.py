"""A judge that was down for a day, on simulated time: it catches up, is killed once, and dealing is withheld."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from pitwarden.config.models import InputsSection
from pitwarden.field.dependencies import FieldDependencies
from pitwarden.field.devices.supervisor import SupervisedDevices
from pitwarden.field.half import FieldHalf
from pitwarden.field.log.epochs import CheckpointSigner, FieldKeys
from pitwarden.field.log.row_builder import BuiltRow, LogIdentity, PendingRow, RowBuilder
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import NewRow
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.half import JudgeHalf
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.table import ClockTick, PermitApplied
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_drivers.registry import find_driver
from pitwarden_simulators.table.setup import TAB_SHIELDED
from pitwarden_tools.simulation.simulated_loop import LoopClock, SimulatedLoop
from testkit.brokers.memory_broker import MemoryBroker
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.sealed_rows import PRIVATE, SIGNER, SITE, sealed_night, table_judge
from testkit.journals.stored_night import at
from testkit.nights.in_memory_night import EVENING
from testkit.simulated_service.substitutes import substituted

DAY_MS = 86_400_000
TICKS = 1_440
"""One each minute, for a day: enough for seven windows of the sender, and no slower than it must be."""
TOPICS = Topics(SITE, TAB_SHIELDED.table)
PLACE = LogIdentity(SITE, TAB_SHIELDED.table, simulated=True)
NOWHERE = BrokerSettings("nowhere")


class Heard:
    """What came over the bus: outputs by their numbers, states in order."""

    def __init__(self) -> None:
        self.outputs: dict[int, bytes] = {}
        self.states: list[TableState] = []
        self.news = asyncio.Event()

    def message(self, topic: str, payload: bytes) -> None:
        if topic in {TOPICS.irregularities, TOPICS.reveals}:
            said = decode(OutputEvent, payload)
            assert self.outputs.setdefault(said.outputseq, payload) == payload
        elif topic == TOPICS.state:
            self.states.append(decode(TableState, payload))
            self.news.set()

    async def until(self, true: Callable[[Position], bool]) -> None:
        """Wait until `true` holds of the row that the last state covers."""
        while not (self.states and true(self.states[-1].as_of)):
            self.news.clear()
            await self.news.wait()

    def judged(self, row: LogEvent) -> bool:
        """Whether the last state speaks of `row`."""
        return row.epoch == "e1" or row.tableseq <= self.states[-1].as_of.number


async def _a_night_and_a_day(log: FieldJournal) -> None:
    """Both are in the log; the day is ticks."""
    rows = list(sealed_night())
    clock = FakeClock(utc_ms=EVENING)
    last = rows[-1].event
    more = RowBuilder(PLACE, last.epoch, clock, last.logms, rows[-1].stored.hash)
    more.number = last.tableseq
    for _ in range(TICKS):
        clock.pass_ms(60_000)
        rows.append(more.build(PendingRow("table", ClockTick())))
    await log.begin_signing(CheckpointSigner(SIGNER, PLACE))
    await log.commit([_new_row(row) for row in rows])


def _new_row(built: BuiltRow) -> NewRow:
    event = built.event
    kind = "input" if isinstance(event.data, InputLogged) else event.data.kind
    topic = TOPICS.event(event.source.rpartition("/")[2], kind)
    return NewRow(at(event), built.stored.hash, event.prevhash, topic, built.stored.body)


async def _field(log: FieldJournal, clock: LoopClock) -> FieldHalf:
    return await FieldHalf.start(
        FieldDependencies(
            place=PLACE, judge="judge", keys=FieldKeys(SIGNER, (PRIVATE.public_key,)), clock=clock, journal=log,
            broker=NOWHERE, retry=LinkBackoff(), devices={}, inputs=InputsSection(), run="f",
            drivers=SupervisedDevices({}, clock, find_driver, simulated=True),
        )
    )  # fmt: skip


async def _judge_until(folder: Path, clock: LoopClock, done: Callable[[], Awaitable[None]]) -> None:
    journal = await JudgeJournal.open(folder / "judge.sqlite")
    judge = table_judge(journal)
    half = await JudgeHalf.start(
        JudgeDependencies(
            judge.identity, judge.setup, judge, journal, (PRIVATE,), NOWHERE, LinkBackoff(), "j", simulated=True,
            clock=clock, keep_days=400,
        )
    )  # fmt: skip
    async with asyncio.TaskGroup() as group:
        running = group.create_task(half.run(asyncio.Event()), name="judge half")
        await done()
        running.cancel()  # as a kill would, but for the thread
    await journal.close()


async def _catches_up(folder: Path, loop: SimulatedLoop, heard: Heard) -> list[LogEvent]:
    """Return the log, once the judge has caught up with it."""
    clock = LoopClock(loop, EVENING + DAY_MS)
    log = await FieldJournal.open(folder / "field.sqlite")
    await _a_night_and_a_day(log)
    stop = asyncio.Event()

    async with asyncio.TaskGroup() as group:
        group.create_task((await _field(log, clock)).run(stop), name="field half")
        await _judge_until(folder, clock, lambda: heard.until(lambda at: at.number > TICKS // 2))
        await _judge_until(folder, clock, lambda: heard.until(lambda at: at.epoch != "e1" and at.number > 2))
        stop.set()
    rows = [decode(LogEvent, row.body) for row in await log.rows_after(0, 2 * TICKS)]
    await log.close()
    return rows


async def _judged(rows: list[LogEvent], folder: Path) -> list[bytes]:
    """Return the outputs of a judge that ran all the time."""
    journal = await JudgeJournal.open(folder / "present.sqlite")
    judge = table_judge(journal)
    said = [each.payload for row in rows for each in judge.chain.append(row, await judge.judge(row))]
    await journal.close()
    return said


def test_it_says_what_a_judge_says_who_was_there_once_and_grants_nothing_on_the_way() -> None:
    loop, heard = SimulatedLoop(), Heard()
    with (
        TemporaryDirectory(dir="/dev/shm") as folder,
        substituted(MemoryBroker(heard.message), lambda _line: None, "1"),
        asyncio.Runner(loop_factory=lambda: loop) as runner,
    ):
        rows = runner.run(_catches_up(Path(folder), loop, heard))
        expected = runner.run(_judged([row for row in rows if heard.judged(row)], Path(folder)))
    assert len({row.epoch for row in rows}) == 2
    assert list(heard.outputs.values()) == expected
    assert len(expected) > 20
    granted = [state for state in heard.states if state.permit.granted]
    assert granted, "an old state that grants is what must not be believed"
    since = [row.data for row in rows if row.epoch != "e1"]
    assert not [data for data in since if isinstance(data, PermitApplied) and data.granted]
