"""What the full log did not take, the device is asked for again; what it took is acknowledged after its commit."""

from collections.abc import Mapping

from pitwarden.config.models import InputsSection
from pitwarden.field.devices.intake import DeviceGroup, DeviceIntake
from pitwarden.field.devices.keypads import KeypadTranslator
from pitwarden.field.devices.runner import ReportSink
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.journal.records import DevicePosition
from pitwarden_client.events.device import CommandName, DeviceHealth, DeviceRestarted, ShoeCut
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import DeviceReport, LineStats


class Bench:
    """Devices that note what they are told, and a log with room for `room` more."""

    def __init__(self, room: int, marks: Mapping[str, DevicePosition] | None = None) -> None:
        self.room = room
        self.taken: list[PendingRow] = []
        self.told: list[tuple[str, str, int, int]] = []
        self.intake = DeviceIntake(marks or {}, self, self, KeypadTranslator((), InputsSection()))
        self.report, self.health = self.intake.report, self.intake.health

    def make(self, _marks: Mapping[str, DevicePosition], _sink: ReportSink) -> DeviceGroup:
        return self

    async def run(self) -> None:
        return None

    @property
    def progress(self) -> Mapping[str, int]:
        return {}

    @property
    def stats(self) -> Mapping[str, LineStats]:
        return {}

    def show(self, device: str, lamps: Lamps) -> None:
        raise AssertionError(f"nobody asked for {lamps} of {device}")

    def committed(self, device: str, boot: int, counter: int) -> None:
        self.told.append(("committed", device, boot, counter))

    def rewind(self, device: str, boot: int, counter: int) -> None:
        self.told.append(("rewind", device, boot, counter))

    def command(self, device: str, request: str, command: CommandName) -> None:
        raise AssertionError(f"nobody asked for {command} {request} of {device}")

    def offer(self, pending: PendingRow) -> bool:
        if len(self.taken) >= self.room:
            return False
        self.taken.append(pending)
        return True

    def cut(self, counter: int, boot: int = 1) -> None:
        self.report("shoe", DeviceReport(boot, counter, ShoeCut()))


ROW = LogEvent(
    id="e/1", source="/s/t/shoe", type="t", time=rfc3339(0), epoch="e", prevhash=GENESIS, simulated=True, tableseq=1,
    logms=0, clocksync=True, clockerror=0, deviceboot=1, devicecounter=7, data=ShoeCut(),
)  # fmt: skip


def test_an_event_is_acknowledged_after_its_commit() -> None:
    b = Bench(9)
    b.cut(7)
    assert b.told == []
    assert (b.taken[0].boot, b.taken[0].counter) == (1, 7)
    b.intake.logged(ROW)
    assert b.told == [("committed", "shoe", 1, 7)]


def test_rejected_events_are_requested_once_the_log_is_idle_and_later_ones_wait() -> None:
    b = Bench(2)
    for counter in (1, 2, 3, 4):
        b.cut(counter)
    b.room = 9
    b.cut(5)
    assert [pending.counter for pending in b.taken] == [1, 2]
    b.intake.log_idle()
    assert b.told == [("rewind", "shoe", 1, 2)]
    for counter in (3, 4, 5):
        b.cut(counter)
    assert [pending.counter for pending in b.taken] == [1, 2, 3, 4, 5]
    b.intake.log_idle()
    assert len(b.told) == 1


def test_it_is_asked_from_where_the_log_ended_when_nothing_was_taken_yet() -> None:
    b = Bench(0, {"shoe": DevicePosition(4, 31)})
    b.cut(32, boot=4)
    b.intake.log_idle()
    assert b.told == [("rewind", "shoe", 4, 31)]


def test_a_new_boot_begins_at_nothing() -> None:
    b = Bench(1, {"shoe": DevicePosition(4, 31)})
    b.report("shoe", DeviceReport(5, 0, DeviceRestarted(boot=5)))
    b.cut(1, boot=5)
    b.intake.log_idle()
    assert b.told == [("rewind", "shoe", 5, 0)]


def test_health_is_logged_and_not_acknowledged() -> None:
    b = Bench(9)
    b.health("shoe", DeviceHealth(state="stale", reason="silent"))
    assert (b.taken[0].boot, b.taken[0].counter) == (0, 0)
    b.intake.logged(ROW.model_copy(update={"deviceboot": 0, "devicecounter": 0}))
    assert b.told == []
