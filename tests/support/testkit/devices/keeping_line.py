"""A dialogue of a map and a device that keeps its messages, on one line with faults and one simulated clock."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from pitwarden_drivers.api import DeviceReport, ExpectedDevice, Said, Session, SessionOutput
from pitwarden_drivers.registry import find_driver

STEP_MS: Final = 20
Line = Callable[[bytes], bytes]


class KeepingDevice(Protocol):
    """Device that keeps its events."""

    serial: str

    def happens(self, body: str) -> None:
        """Keep an event."""
        ...

    def receive(self, now: int, data: bytes) -> bytes:
        """Answer."""
        ...

    def tick(self, now: int) -> bytes:
        """Send what is due."""
        ...


def clean(data: bytes) -> bytes:
    return data


@dataclass
class KeepingLine:
    """`stored` is the log: what was committed. What was reported and not committed dies with the host."""

    file: Path
    device: KeepingDevice
    commit_ms: int = 40
    to_host: Line = clean
    to_device: Line = clean
    now: int = 1_000
    stored: list[DeviceReport] = field(default_factory=list)
    unstored: deque[tuple[int, DeviceReport]] = field(default_factory=deque)
    session: Session = field(init=False)
    wake: int | None = None

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Open the port with a new dialogue that begins where the log ends; a host that died lost its memory."""
        self.unstored.clear()
        moving = [r for r in self.stored if r.counter or type(r.said).__name__ == "DeviceRestarted"]
        boot, counter = (moving[-1].boot, moving[-1].counter) if moving else (0, 0)
        known = ExpectedDevice("shoe", self.device.serial, (), boot, counter)
        self.session = find_driver(f"map:{self.file}").session(known)
        self.turned(self.session.begin(self.now))

    def turned(self, turn: SessionOutput) -> None:
        """Carry out a turn of the dialogue."""
        self.wake = turn.wake_at
        self.unstored += [(self.now + self.commit_ms, report) for report in turn.reports]
        if turn.send:
            self.heard(self.device.receive(self.now, self.to_device(turn.send)))

    def heard(self, data: bytes) -> None:
        """Bytes of the device arrive through the line."""
        arrived = self.to_host(data)
        if arrived:
            self.turned(self.session.receive(self.now, arrived))

    def run(self, ms: int) -> None:
        """Advance the simulated clock."""
        for _ in range(ms // STEP_MS):
            self.now += STEP_MS
            self.heard(self.device.tick(self.now))
            while self.unstored and self.unstored[0][0] <= self.now:
                report = self.unstored.popleft()[1]
                self.stored.append(report)
                if report.counter:
                    self.turned(self.session.committed(self.now, report.boot, report.counter))
            if self.wake is not None and self.now >= self.wake:
                self.turned(self.session.tick(self.now))

    def said(self) -> list[Said]:
        """Return the stored reports of events, in order."""
        return [report.said for report in self.stored if report.counter]
