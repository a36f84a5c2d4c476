"""A person who names a card of an open round is refused at the table: the name is in no row and on no topic."""

from pathlib import Path

import pytest

from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.floor import FtCardRemoved
from pitwarden_client.events.inputs import InputLogged, InputReply, TerminalInput
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.clients import connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(180)]


async def remove_card(rig: LiveTable, broker: MosquittoBroker, ident: str) -> InputReply:
    """Key at the floor's terminal that a card was taken out, and return the table's answer."""
    topics, state = rig.recorder.topics, rig.recorder.state
    act = FtCardRemoved(deck="A", count=1, reason=ident, face="KD", replaced_by="KD")
    as_of = None if state is None else state.as_of
    wanted = TerminalInput(id=ident, person="f1", as_of=as_of, act=act)
    async with connection(settings(broker.port), ident, (topics.reply("floor", "pad"),)) as (pad, notes):
        await pad.send(topics.input("floor", "pad"), encode(wanted))
        await notes.until(lambda: bool(notes.messages))
        return decode(InputReply, notes.messages[0].payload)


def named(rig: LiveTable) -> list[str]:
    """Return the reasons of the removals that became rows."""
    acts = [data.act for data in (decode(LogEvent, row).data for row in rig.recorder.rows.values())
            if isinstance(data, InputLogged)]  # fmt: skip
    return [act.reason for act in acts if isinstance(act, FtCardRemoved)]


def journals(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*.sqlite*"))


async def test_a_card_is_named_on_the_bus_between_rounds_alone(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        answers: dict[str, InputReply] = {"start": await remove_card(rig, broker, "start")}

        async def in_the_round() -> None:
            answers["round"] = await remove_card(rig, broker, "round")

        rig.people.interruptions = {30: in_the_round}
        await rig.play(1)
        answers["after"] = await remove_card(rig, broker, "after")
        await rig.recorder.until(lambda: "after" in named(rig), 30, "the row that names the card")
        assert await rig.stop() == 0
        await rig.start()
        await rig.ready(2)
        answers["restart"] = await remove_card(rig, broker, "restart")
        assert await rig.stop() == 0
        assert {name: answer.accepted for name, answer in answers.items()} == {
            "start": False, "round": False, "after": True, "restart": False,
        }  # fmt: skip
        assert all("a round may be open" in one.reason for one in answers.values() if not one.accepted)
        assert named(rig) == ["after"]
        own = rig.recorder.topics.input("floor", "pad")
        showing = {payload for topic, payload in rig.recorder.raw if topic != own and b'"KD"' in payload}
        assert [b'"reason":"after"' in payload for payload in showing if b"card_removed" in payload] == [True]
        stored = journals(tmp_path)
        assert b'"reason":"after"' in stored
        assert b'"reason":"round"' not in stored
        assert "KD" not in rig.logs()
