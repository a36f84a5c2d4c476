"""Replay floods against the real service, by a client that the broker lets publish everything."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.floor import FtInspect
from pitwarden_client.events.inputs import InputLogged, InputReply, TerminalInput
from pitwarden_client.events.table import PermitApplied
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.clients import ClientNotes, connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(180)]

REPLAYS, BATCH = 10_000, 200
INSPECTED = FtInspect(device="shoe", ok=True)


def rows_of(rig: LiveTable, terminal: str) -> list[LogEvent]:
    rows = [decode(LogEvent, payload) for payload in rig.recorder.rows.values()]
    return [row for row in rows if isinstance(row.data, InputLogged) and row.data.terminal == terminal]


async def floor_inspects(rig: LiveTable, broker: MosquittoBroker, ident: str) -> InputReply:
    """Key an act that changes nothing, and return its answer once its row is judged: the fence behind all before it."""
    topics, state = rig.recorder.topics, rig.recorder.state
    wanted = TerminalInput(id=ident, person="f1", as_of=None if state is None else state.as_of, act=INSPECTED)
    async with connection(settings(broker.port), ident, (topics.reply("floor", "fence"),)) as (pad, notes):
        await pad.send(topics.input("floor", "fence"), encode(wanted))
        await notes.until(lambda: bool(notes.messages))
        reply = decode(InputReply, notes.messages[0].payload)
    number = reply.number or 0
    await rig.recorder.until(lambda: _judged(rig) >= number, PATIENCE_S, "the verdict on the fence")
    return reply


def _judged(rig: LiveTable) -> int:
    return 0 if rig.recorder.state is None else rig.recorder.state.as_of.number


async def test_an_input_that_is_replayed_ten_thousand_times_is_one_row(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        topics = rig.recorder.topics
        payload = encode(TerminalInput(id="i1", person="p7", as_of=None, act=INSPECTED))
        async with connection(settings(broker.port), "loud", (topics.reply("floor", "loud"),)) as (client, notes):
            await client.send(topics.input("floor", "loud"), payload)
            await notes.until(lambda: bool(notes.messages))
            for _ in range(REPLAYS // BATCH):
                await asyncio.gather(*(client.send(topics.input("floor", "loud"), payload) for _ in range(BATCH)))
            assert (await floor_inspects(rig, broker, "fence")).accepted
            answers = _answers(notes)
        [row] = rows_of(rig, "loud")
        accepted = {number for (taken, number, _), _count in answers.items() if taken}
        assert accepted == {row.tableseq}, "whoever is accepted is told the first row again"
        reasons = {reason.partition(":")[0] for (taken, _, reason), _count in answers.items() if not taken}
        assert reasons <= {"this terminal sends inputs too fast", "too many inputs wait"}
        await rig.play(1)
        assert not rig.recorder.complaints
        assert await rig.stop() == 0


def _answers(notes: ClientNotes) -> Counter[tuple[bool, int | None, str]]:
    replies = [decode(InputReply, message.payload) for message in notes.messages]
    return Counter((reply.accepted, reply.number, reply.reason) for reply in replies)


async def test_an_old_epoch_that_is_replayed_changes_nothing(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(1)
        assert await rig.stop() == 0
        # A status of another run is reported as a second controller: only the service's own login may write one.
        statuses = f"{rig.recorder.topics.root}/status/"
        old = [one for one in rig.recorder.raw if one[1] and not one[0].startswith(statuses)]
        old_epoch = rig.recorder.epochs[0]
        await rig.start()
        await rig.ready(2)
        assert (await floor_inspects(rig, broker, "before")).accepted
        outputs, rows = len(rig.recorder.said()), len(rig.recorder.rows)
        async with connection(settings(broker.port), "replayer") as (client, _):
            for at in range(0, len(old), BATCH):
                await asyncio.gather(*(client.send(topic, payload) for topic, payload in old[at : at + BATCH]))
        reply = await floor_inspects(rig, broker, "after")
        assert reply.accepted
        state = rig.recorder.state
        assert state is not None
        assert state.as_of.epoch == rig.recorder.epochs[-1] != old_epoch
        assert len(rig.recorder.epochs) == 2
        news = [decode(LogEvent, payload) for payload in list(rig.recorder.rows.values())[rows:]]
        keyed = [row.data for row in news if isinstance(row.data, InputLogged)]
        assert [data.input_id for data in keyed] == ["after"], "an old input gets its first answer, and no row"
        applied = [row.data for row in news if isinstance(row.data, PermitApplied)]
        assert not any(one.as_of is not None and one.as_of.epoch == old_epoch for one in applied)
        said = [output.data for output in rig.recorder.said()[outputs:]]
        assert said == []
        assert await rig.stop() == 0
        rig.recorder.check_chain()
