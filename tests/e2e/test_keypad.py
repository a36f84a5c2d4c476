"""A dealer's keypad at the real service: its entries are inputs in the log, its lamps what the table is shown."""

from pathlib import Path

import pytest

from pitwarden.system.clock import SystemClock
from pitwarden_client.events.codec import decode
from pitwarden_client.events.dealer_play import KpDealer, KpDecision
from pitwarden_client.events.device import KeypadEntry
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.keypad import Key
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.processes.live_table import LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def rows(rig: LiveTable) -> list[LogEvent]:
    found = [decode(LogEvent, body) for body in rig.recorder.rows.values()]
    return [row for row in found if row.source.endswith("/keypad") and row.devicecounter]


async def test_what_is_keyed_on_the_keypad_is_logged_and_its_lamps_are_lit(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path, keypad=True) as rig:
        device, plug = rig.built.devices["keypad"], rig.plugs["keypad"]

        async def press(key: Key, digits: str = "") -> LogEvent:
            device.memory.emit(KeypadEntry(key=key, digits=digits))
            plug.wake()
            count = device.memory.newest
            await until(lambda: len(rows(rig)) == count, pause=0.01)
            return rows(rig)[-1]

        await rig.start()
        await rig.ready()
        assert (await press("dealer", "4711")).data == InputLogged(
            role="dealer", terminal="keypad", person="4711", input_id="1-1", as_of=None, act=KpDealer(dealer="4711")
        )
        decided = await press("decision", "12")
        assert isinstance(decided.data, InputLogged)
        assert decided.data.act == KpDecision(box=2, decision="hit")
        undone = await press("undo")
        assert isinstance(undone.data, InputLogged)
        assert undone.data.act == Retract(number=decided.tableseq)
        assert (await press("decision", "1")).data == KeypadEntry(key="decision", digits="1")
        await until(lambda: not device.memory.kept)  # acknowledged a little later than it is committed
        await until(lambda: device.lamps(SystemClock().mono_ms()).permit == "red", pause=0.01)
        assert await rig.stop() == 0
