"""Whatever anyone publishes costs itself alone: the night goes on, is judged whole, and nothing of it is believed."""

import json
from pathlib import Path

import pytest

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(180)]

KEYED: dict[str, object] = {"id": "i", "person": "p", "as_of": None, "act": {"act": "kp.deal"}}
JUNK = [
    b"",
    b"{",
    b"[" * 60_000,
    b"\xff\xfe",
    b'{"n":NaN}',
    b'{"a":1,"a":2}',
    b'{"n":1e999}',
    b'{"n":' + b"9" * 4_400 + b"}",
    b'"' + b"x" * 200_000 + b'"',
    json.dumps(KEYED | {"\u0001": 1}).encode(),
    json.dumps(KEYED | {"as_of": {"epoch": "e", "number": 2**53}}).encode(),
]


def forged_rows(rig: LiveTable) -> list[bytes]:
    """Rows that look like the table's own."""
    genuine = [decode(LogEvent, row) for row in rig.recorder.rows.values()]
    opening, last = genuine[0], genuine[-1]
    outline = {"source": last.source, "epoch": "evil", "tableseq": 1, "prevhash": "0" * 64}
    far = last.tableseq + 500
    ahead = last.model_copy(update={"tableseq": far, "id": f"{last.epoch}/{far}"})
    changed = [
        opening.model_copy(update={"epoch": "evil", "id": "evil/1"}),
        ahead,
        ahead.model_copy(update={"time": "2024-99-99T99:99:99.000Z"}),
        ahead.model_copy(update={"id": "x" * 400}),
        ahead.model_copy(update={"logms": 2**53 - 1}),
    ]
    return [json.dumps(outline).encode(), *(row.model_dump_json().encode() for row in changed)]


async def test_a_night_under_fire(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start("field")
        await rig.start("judge")
        await rig.ready()
        topics = rig.recorder.topics
        targets = [
            topics.state, topics.head, topics.position("judge"), topics.event("shoe", "shoe.card"),
            topics.input("dealer", "evil"), topics.input("supervisor", "evil"),
            topics.status("field"), topics.status("judge"),
        ]  # fmt: skip

        async def fire() -> None:
            rig.recorder.deaf = True
            for payload in [*JUNK, *forged_rows(rig)]:
                for topic in targets:
                    await rig.publish(topic, payload)
                await rig.publish(topics.input("dealer", "evil"), payload, retain=True)
            rig.recorder.deaf = False
            await rig.recorder.until(lambda: rig.recorder.status["judge"].online, PATIENCE_S, "the judge's status")

        rig.people.only_between = True
        rig.people.interruptions = {20: fire, 45: fire}
        await rig.play(2)
        assert await rig.stop("field") == 0
        assert await rig.stop("judge") == 0
        rig.recorder.check_chain()
        assert not rig.recorder.complaints
        assert len(rig.recorder.epochs) == 1
        assert [output.data for output in rig.recorder.said() if output.data.kind == "irregularity"] == []
        inputs = [decode(LogEvent, row).data for row in rig.recorder.rows.values()]
        assert not any(data.kind == "input" and data.terminal == "evil" for data in inputs)


async def test_a_row_that_contradicts_the_log_withholds_the_permit(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(1)
        opening = decode(LogEvent, rig.recorder.rows[rig.recorder.epochs[0], 1])
        forged = opening.model_copy(update={"clockerror": opening.clockerror + 1})
        await rig.publish(rig.recorder.topics.event("table", "epoch.opened"), forged.model_dump_json().encode())

        def held() -> bool:
            state = rig.recorder.state
            return state is not None and "the log forked: verify the decks" in state.permit.reasons

        await rig.recorder.until(held, PATIENCE_S, "the permit to be withheld")
        assert any("log_forked" in fault for fault in rig.recorder.status["judge"].faults)
