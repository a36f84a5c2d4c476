"""Recorder of scenes: a driver and a simulated device on a pipe, with a simulated clock, become a capture."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden_client.events.device import CommandName, DeviceIdentified
from pitwarden_drivers.api import ExpectedDevice, Family, SessionOutput
from pitwarden_drivers.capture.format import Capture, CaptureHeader, CaptureStep
from pitwarden_drivers.capture.recorder import RecordingDriver
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
from pitwarden_drivers.registry import find_driver
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.devices.scanner import DESCRIPTOR, REPORT_BYTES, Scanner

STARTS: Final = 5_000
STEP_MS: Final = 10
ROOT: Final = Path(__file__).parents[4]


@dataclass(frozen=True)
class SceneAction:
    """Action on the device at `at` ms; with `command`, a command that the host sends."""

    at: int
    act: Callable[[], object] = lambda: None
    command: CommandName | None = None


@dataclass(frozen=True)
class Scene:
    """Description of a capture: its device, and the actions on it."""

    name: str
    driver: str
    family: Family
    serial: str
    how: str
    build: Callable[[], tuple[SimulatedDevice, list[SceneAction]]]
    lasts_ms: int = 3_000


class HidWire(Scanner):
    """Scanner behind a HID port: its descriptor first, then each report as a record."""

    def __init__(self, serial: str) -> None:
        super().__init__()
        self._hello: bytes | None = HidIdentity(serial, "1.00", DESCRIPTOR).to_bytes()

    def tick(self, now: int) -> bytes:
        said, self._hello = self._hello or b"", None
        data = super().tick(now)
        return said + b"".join(
            HidReport(data[at : at + REPORT_BYTES]).to_bytes() for at in range(0, len(data), REPORT_BYTES)
        )


def driver_name(scene: Scene) -> str:
    """Return the name of the scene's driver; the registry needs absolute paths of map and codes files."""
    kind, _, file = scene.driver.partition(":")
    return f"{kind}:{(ROOT / 'tests/captures' / file).resolve()}" if file else kind


class _Pipe:
    """The scene under the real driver."""

    def __init__(self, scene: Scene) -> None:
        self.steps: list[CaptureStep] = []
        self.firmware = ""
        self.device, self.happenings = scene.build()
        driver = RecordingDriver(find_driver(driver_name(scene)), self.steps.append)
        self.session = driver.session(ExpectedDevice(scene.family, scene.serial))
        self.wake: int | None = None

    def follow(self, now: int, turn: SessionOutput) -> None:
        """Carry out a turn: send, log and acknowledge."""
        self.wake = turn.wake_at
        if turn.send:
            self.receive(now, self.device.receive(now, turn.send))
        for report in turn.reports:
            if isinstance(report.said, DeviceIdentified):
                self.firmware = report.said.firmware
            if report.counter:
                self.follow(now, self.session.committed(now, report.boot, report.counter))

    def receive(self, now: int, data: bytes) -> None:
        """Pass bytes from the device to the session, if there are any."""
        if data:
            self.follow(now, self.session.receive(now, data))

    def step(self, now: int) -> None:
        """Run the actions and timers that are due at `now`."""
        due = [one for one in self.happenings if one.at == now - STARTS]
        for happening in due:
            happening.act()
        self.receive(now, self.device.tick(now))
        for happening in due:
            if happening.command is not None:
                self.follow(now, self.session.command(now, f"r{happening.at}", happening.command))
        if self.wake is not None and now >= self.wake:
            self.follow(now, self.session.tick(now))


def record(scene: Scene) -> Capture:
    """Return the capture of a scene."""
    pipe = _Pipe(scene)
    pipe.follow(STARTS, pipe.session.begin(STARTS))
    for now in range(STARTS, STARTS + scene.lasts_ms, STEP_MS):
        pipe.step(now)
    header = CaptureHeader(
        f"simulated {scene.family}", scene.driver, scene.family, scene.serial, pipe.firmware, "yes",
        "tests/captures/make.py", "simulated time", scene.how, STARTS,
    )  # fmt: skip
    return Capture(header, tuple(pipe.steps))


def heard(capture: Capture) -> bytes:
    """Return the bytes that the device sent in the capture."""
    return b"".join(bytes.fromhex(step.words[0]) for step in capture.steps if step.op == "<")


def answered(scene: Scene, capture: Capture) -> bytes:
    """Return the bytes that the simulated device sends now in reply to the recorded bytes of the host."""
    device, happenings = scene.build()
    told: dict[int, list[bytes]] = {}
    for step in capture.steps:
        if step.op == ">":
            told.setdefault(step.at, []).append(bytes.fromhex(step.words[0]))
    out = [device.receive(STARTS, data) for data in told.pop(0, [])]
    for at in range(0, scene.lasts_ms, STEP_MS):
        now = STARTS + at
        for happening in (one for one in happenings if one.at == at):
            happening.act()
        out.append(device.tick(now))
        out += [device.receive(now, data) for data in told.get(at, [])]
    return b"".join(out)


def text(capture: Capture) -> str:
    """Return the capture as the text of its file."""
    return "".join(f"{line}\n" for line in _lines(capture))


def _lines(capture: Capture) -> Iterator[str]:
    yield from capture.header.lines()
    yield from (step.line() for step in capture.steps)
