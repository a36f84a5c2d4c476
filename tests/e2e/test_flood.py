"""One terminal floods the real service on a real broker while the floor keys: the floor is answered (S10)."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.dealer_play import KpDeal
from pitwarden_client.events.floor import FtInspect
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.clients import ClientNotes, connection, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(300)]

FLOOD, KEYED = 20_000, 24


def answers(notes: ClientNotes) -> Counter[bool]:
    return Counter(decode(InputReply, message.payload).accepted for message in notes.messages)


async def flood(rig: LiveTable, port: int, stop: asyncio.Event) -> tuple[int, ClientNotes]:
    """Publish as fast as the broker takes it, until `stop`; return how many inputs were sent, and the answers."""
    topics, sent = rig.recorder.topics, 0
    async with connection(settings(port), "evil", (topics.reply("dealer", "evil"),)) as (client, notes):
        while not stop.is_set() and sent < FLOOD:
            batch = [
                client.send(topics.input("dealer", "evil"), encode(_input(f"e{sent + number}", KpDeal())))
                for number in range(200)
            ]
            sent += len(batch)
            await asyncio.gather(*batch)
        return sent, notes


def _input(ident: str, act: KpDeal | FtInspect) -> TerminalInput:
    return TerminalInput(id=ident, person="p7", as_of=None, act=act)


async def test_the_floor_is_answered_while_a_terminal_floods(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        topics, stop = rig.recorder.topics, asyncio.Event()
        rig.recorder.deaf = True
        replies = topics.reply("floor", "pad")
        async with connection(settings(broker.port), "pad", (replies,)) as (pad, floor), asyncio.TaskGroup() as group:
            flooding = group.create_task(flood(rig, broker.port, stop))
            for number in range(KEYED):
                act = FtInspect(device="shoe", ok=True)
                await pad.send(topics.input("floor", "pad"), encode(_input(f"f{number}", act)))
                async with asyncio.timeout(PATIENCE_S):
                    await floor.until(lambda: len(floor.messages) > number)  # noqa: B023  awaited here
            stop.set()
        sent, notes = flooding.result()
        assert sent >= 200, "the flood itself worked"
        assert answers(floor) == {True: KEYED}, "each of the floor's inputs is accepted"
        refused = [decode(InputReply, message.payload) for message in notes.messages]
        reasons = Counter(one.reason.partition(":")[0] for one in refused if not one.accepted)
        assert set(reasons) <= {"this terminal sends inputs too fast", "too many inputs wait"}
        assert sum(reasons.values()) > 0, "the flood is told why it is not taken"
        rig.recorder.deaf = False
        assert await rig.stop() == 0
