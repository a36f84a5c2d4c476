"""Dialogue and TDP device on one simulated line and clock; the line's faults are functions on bytes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from pitwarden_drivers.api import DeviceReport, ExpectedDevice, PlainCard, Secret, Session, SessionOutput
from pitwarden_drivers.tdp import DRIVER
from pitwarden_drivers.tdp.wire import Frame, encode
from testkit.devices.tdp_device import SpecifiedDevice

Line = Callable[[bytes], bytes]


def clean(data: bytes) -> bytes:
    return data


@dataclass
class TdpLine:
    """Line between host and device. With `commits`, the host commits each report that it receives."""

    device: SpecifiedDevice
    expected: ExpectedDevice = field(default_factory=lambda: ExpectedDevice("shoe", "N42"))
    to_host: Line = clean
    to_device: Line = clean
    commits: bool = True
    now: int = 1_000
    log: list[DeviceReport] = field(default_factory=list)
    session: Session = field(init=False)
    wake: int | None = None

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Open the port: a new dialogue begins where the log ends."""
        boot, counter = self.position
        known = self.expected
        self.session = DRIVER.session(ExpectedDevice(known.family, known.serial, known.firmware, boot, counter))
        self.turned(self.session.begin(self.now))

    @property
    def position(self) -> tuple[int, int]:
        """End of the log: stored events, gaps and restarts move it (docs/explanation/nothing-is-lost.md)."""
        moving = [r for r in self.log if r.counter or type(r.said).__name__ == "DeviceRestarted"]
        if not moving:
            return self.expected.last_boot, self.expected.last_counter
        return moving[-1].boot, moving[-1].counter

    def turned(self, turn: SessionOutput) -> None:
        """Carry out a turn of the dialogue: send, log and acknowledge."""
        self.wake = turn.wake_at
        self.log += turn.reports
        if turn.send:
            self.heard(self.device.receive(self.now, self.to_device(turn.send)))
        if self.commits:
            for report in turn.reports:
                if report.counter:
                    self.turned(self.session.committed(self.now, report.boot, report.counter))

    def heard(self, data: bytes) -> None:
        """Pass bytes of the device through the line."""
        arrived = self.to_host(data)
        if arrived:
            self.turned(self.session.receive(self.now, arrived))

    def run(self, ms: int) -> None:
        """Advance the simulated clock."""
        for _ in range(ms // 50):
            self.now += 50
            self.heard(self.device.tick(self.now))
            if self.wake is not None and self.now >= self.wake:
                self.turned(self.session.tick(self.now))

    def said(self) -> list[object]:
        """Return the reports, in order."""
        return [report.said for report in self.log]

    def events(self) -> list[tuple[int, int]]:
        """Return boot and counter of every stored event that was reported."""
        return [(r.boot, r.counter) for r in self.log if r.counter and type(r.said).__name__ != "DeviceGap"]


AS, KH, SEVEN = PlainCard(Secret(39)), PlainCard(Secret(38)), PlainCard(Secret(19))


def tdp_line(**device: object) -> TdpLine:
    made = SpecifiedDevice()
    for name, value in device.items():
        setattr(made, name, value)
    return TdpLine(made)


def send_frames(line: TdpLine, *frames: Frame) -> None:
    """Send frames to the host, as from the device."""
    line.heard(encode(*frames))
