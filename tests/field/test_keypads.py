"""A keypad's entries as inputs, its lamps by what the table is shown, and both over a real dialogue."""

import asyncio

import pytest

from pitwarden.config.models import InputsSection
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden.field.devices.runner import DeviceSpec
from pitwarden.field.devices.supervisor import DeviceSupervisor
from pitwarden.system.clock import SystemClock
from pitwarden_client.events.base import Position
from pitwarden_client.events.dealer_play import KpDecision
from pitwarden_client.events.device import DeviceHealth, KeypadEntry, ShoeCut
from pitwarden_client.events.envelope import LogData
from pitwarden_client.events.floor import Ack, Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.keypad import Key, Lamps
from pitwarden_client.events.outputs import Irregularity, OpenedIrregularity, Permit, TableState
from pitwarden_client.events.table import EpochOpened, PermitApplied
from pitwarden_drivers.api import DeviceReport, ExpectedDevice, Said
from pitwarden_drivers.ports.port import PortAddress
from pitwarden_drivers.tdp import DRIVER
from pitwarden_drivers.tdp.commands import HOLD_MS, lamp_frame, lamps_from_frame
from pitwarden_drivers.tdp.frames_host import LampFrame
from pitwarden_simulators.devices.memory import Memory
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.memory import NullModem
from testkit.clocks.waiting import until


class Desk:
    """Keypads and the log behind them."""

    def __init__(self, keyed: frozenset[str] = frozenset({"kp.decision", "kp.dealer", "kp.round_end"})) -> None:
        self.lit: list[tuple[str, Lamps]] = []
        self.number = self.counter = 0
        self.keypads = KeypadTranslator({"keypad"}, InputsSection(keyed=tuple(keyed)))
        self.keypads.display = self

    def show(self, device: str, lamps: Lamps) -> None:
        self.lit.append((device, lamps))

    def enters(self, key: Key, digits: str = "") -> Said | InputLogged:
        self.counter += 1
        return self.keypads.translate("keypad", KeypadEntry(key=key, digits=digits), 5, self.counter)

    def logs(self, data: LogData, source: str = "keypad") -> int:
        self.number += 1
        self.keypads.logged(source, self.number, data)
        return self.number

    def keys(self, key: Key, digits: str = "") -> int:
        said = self.enters(key, digits)
        assert isinstance(said, InputLogged)
        return self.logs(said)


def state(*cases: Irregularity) -> TableState:
    return TableState(
        as_of=Position(epoch="e", number=1), outputs=1, game="g", round=1, in_round=True,
        permit=Permit(granted=True, reasons=(), expires_ms=0), irregularities=cases, duties=(), rules_version="1",
        profile_digest="0" * 64, simulated=True,
    )  # fmt: skip


CASE = Irregularity(
    ref="e-1-0", catalogue="TAB-37", clauses=("c",), verdicts=("HOLD",), basis="text", status="open",
    actor="floorperson", clears="the floor's ruling", sentence="s",
)  # fmt: skip


def test_an_entry_is_the_dealers_input_and_what_means_nothing_stays_an_entry() -> None:
    desk = Desk()
    said = desk.enters("decision", "12")
    assert isinstance(said, InputLogged)
    assert (said.role, said.terminal, said.person, said.input_id) == ("dealer", "keypad", "keypad", "5-1")
    assert said.act == KpDecision(box=2, decision="hit")
    for key, digits in (("decision", "1"), ("stub", "24"), ("seen", ""), ("undo", "")):
        assert desk.enters(key, digits) == KeypadEntry(key=key, digits=digits)  # type: ignore[arg-type]
    assert desk.keypads.translate("shoe", KeypadEntry(key="hole"), 1, 1) == KeypadEntry(key="hole")


def test_the_person_keyed_at_the_keypad_is_the_operator_from_then_on() -> None:
    desk = Desk()
    desk.keys("dealer", "4711")
    said = desk.enters("decision", "12")
    assert isinstance(said, InputLogged)
    assert said.person == "4711"


def test_undo_takes_back_the_last_input_of_this_keypad_once_it_is_in_the_log() -> None:
    desk = Desk()
    desk.keys("decision", "12")
    number = desk.keys("decision", "13")
    desk.logs(ShoeCut(), "shoe")
    said = desk.enters("undo")
    assert isinstance(said, InputLogged)
    assert said.act == Retract(number=number)
    desk.logs(said)
    assert desk.enters("undo") == KeypadEntry(key="undo")
    waits = desk.enters("decision", "14")
    assert desk.enters("undo") == KeypadEntry(key="undo")
    assert isinstance(waits, InputLogged)
    desk.logs(waits)
    assert isinstance(desk.enters("undo"), InputLogged)
    desk.logs(EpochOpened(parent=None, signer="0" * 64, signature="A" * 86 + "=="), "field")
    desk.counter += 9
    assert desk.enters("undo") == KeypadEntry(key="undo")


def test_seen_acknowledges_the_first_irregularity_not_acknowledged() -> None:
    desk = Desk()
    desk.keypads.state(state(CASE.model_copy(update={"status": "acknowledged"}), CASE.model_copy(update={"ref": "x"})))
    said = desk.enters("seen")
    assert isinstance(said, InputLogged)
    assert said.act == Ack(irregularity="x")


def test_seen_passes_by_what_is_about_the_dealers_own_act() -> None:
    desk = Desk()
    own = OpenedIrregularity(
        ref="e-1-0", at=Position(epoch="e", number=1), logms=1, utc_ms=1, may_act=("floor",), may_clear=("floor",)
    )
    anyones = own.model_copy(update={"ref": "x", "may_clear": ("dealer", "floor")})
    both = state(CASE, CASE.model_copy(update={"ref": "x"})).model_copy(update={"opened": (own, anyones)})
    desk.keypads.state(both)
    said = desk.enters("seen")
    assert isinstance(said, InputLogged)
    assert said.act == Ack(irregularity="x")
    desk.keypads.state(state(CASE).model_copy(update={"opened": (own,)}))
    assert desk.enters("seen") == KeypadEntry(key="seen")
    assert desk.lit[-1][1] == Lamps("red", "others")


def test_lamps_follow_what_the_table_was_shown_and_the_published_state_alone() -> None:
    desk = Desk()
    desk.logs(PermitApplied(granted=True, cause="granted", as_of=None), "field")
    desk.keypads.state(state(CASE))
    desk.logs(PermitApplied(granted=False, cause="expired", as_of=None), "field")
    shown = [lamps for _, lamps in desk.lit]
    assert shown == [Lamps("green"), Lamps("green", "dealer", "seen"), Lamps("red", "dealer", "seen")]
    desk.logs(ShoeCut(), "shoe")
    assert len(desk.lit) == 3


def test_lamps_hold_for_six_seconds_and_are_said_again_every_two() -> None:
    device = TdpDevice("keypad", "K1", Memory(1))
    session = DRIVER.session(ExpectedDevice("keypad", "K1"))
    green = Lamps("green")
    assert session.show(0, green).send == b""  # type: ignore[attr-defined]  # nobody is identified yet
    now = 1_000
    turn = session.receive(now, device.receive(now, session.begin(now).send))
    device.receive(now, turn.send)
    assert device.lamps(now) == green
    for now in range(1_100, 4_000, 100):
        device.receive(now, session.tick(now).send)
    assert device.lamps(3_000 + HOLD_MS - 1) == green
    assert device.lamps(3_000 + HOLD_MS) == Lamps()
    red = Lamps("red", "dealer", "stub")
    device.receive(now, session.show(now, red).send)  # type: ignore[attr-defined]
    assert device.lamps(now) == red
    device.reboot()
    assert device.lamps(now) == Lamps()


def test_another_family_has_no_lamps_and_codes_that_are_none_show_nothing() -> None:
    shoe = TdpDevice("shoe", "S1", Memory(1))
    session = DRIVER.session(ExpectedDevice("shoe", "S1"))
    session.receive(0, shoe.receive(0, session.begin(0).send))
    assert session.show(0, Lamps("green")).send == b""  # type: ignore[attr-defined]
    shoe.receive(0, b"")
    assert lamps_from_frame(lamp_frame(Lamps("red", "others"))) == Lamps("red", "others")
    for frame in (LampFrame(3, 0, 255, 1), LampFrame(0, 3, 255, 1), LampFrame(0, 0, 12, 1)):
        assert lamps_from_frame(frame) is None


class Sink:
    """What a supervisor reported."""

    def __init__(self) -> None:
        self.said: list[DeviceReport] = []

    def report(self, _device: str, report: DeviceReport) -> None:
        self.said.append(report)

    def health(self, _device: str, health: DeviceHealth) -> None:
        assert health


async def test_a_supervised_keypad_is_read_and_lit_after_each_opening() -> None:
    memory = Memory(1)
    device = TdpDevice("keypad", "K1", memory, heartbeat_ms=100)
    modem = NullModem(device, SystemClock())
    sink = Sink()
    supervisor = DeviceSupervisor(
        [DeviceSpec("keypad", PortAddress("memory"), DRIVER, ExpectedDevice("keypad", "K1"))],
        clock=SystemClock(), random=lambda: 0.0,
        ports=modem, sink=sink,
    )  # fmt: skip
    task = asyncio.create_task(supervisor.run(), name="supervisor")
    try:
        supervisor.show("keypad", Lamps("green"))
        await until(lambda: device.lamps(SystemClock().mono_ms()) == Lamps("green"))
        memory.emit(KeypadEntry(key="decision", digits="12"))
        modem.pump.wake()
        await until(lambda: any(isinstance(report.said, KeypadEntry) for report in sink.said))
        device.reboot()
        modem.unplug()
        modem.plug()
        await until(lambda: device.lamps(SystemClock().mono_ms()) == Lamps("green"), pause=0.01)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("digits", ["a", "1" * 17])
def test_an_entry_is_digits(digits: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        KeypadEntry(key="stub", digits=digits)
