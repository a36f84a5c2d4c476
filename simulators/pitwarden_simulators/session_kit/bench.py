"""One driver and one device on a line with faults, on a simulated clock, with a host that can be slow or die.

The host does what the field half does with a session (field/devices/runner.py): it reopens after a device error, it
commits reports a while after they arrive, and what was not committed is lost when the host dies.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from pitwarden_client.events.device import DeviceGap, DeviceRestarted, DeviceSuspect, DeviceUnknown
from pitwarden_drivers.api import (
    CommandName,
    DeviceReport,
    Driver,
    ExpectedDevice,
    PlainAnswer,
    PlainCard,
    PlainStack,
    Said,
    Session,
    SessionOutput,
)
from pitwarden_drivers.errors import DeviceError
from pitwarden_simulators.ports.line_faults import LineFault, combined
from pitwarden_simulators.session_kit.device import KitDevice

STEP_MS: Final = 10
REOPEN_MS: Final = 500
COMMIT_MS: Final = 30
_LONGEST_RUN: Final = 4  # printable bytes; shorter runs of a message also occur in honest sentences


class SessionRaisedError(Exception):
    """The session raised what is not a DeviceError. Policy: the obligation is broken. Example: KeyError on noise."""


class SessionBench:
    """Line between `driver` and `device`. Times are simulated milliseconds."""

    def __init__(self, driver: Driver, device: KitDevice, serial: str | None = None, firmware: str = "") -> None:
        self.device = device
        self.to_host: LineFault = combined()
        self.to_device: LineFault = combined()
        self.commit_ms = COMMIT_MS
        self.powered = True
        self.now = 1_000_000
        self.session: Session | None = None
        self.log: list[DeviceReport] = []
        self.reports: list[DeviceReport] = []
        self.faults: list[DeviceError] = []
        self.early = self.spins = self.ticks = self.sent = self.heard = 0
        self.texts: list[str] = []
        self.card_bytes: list[bytes] = []
        self._driver = driver
        self._serial = device.serial if serial is None else serial
        self._firmware = (firmware,) if firmware else ()
        self._uncommitted: deque[tuple[int, DeviceReport]] = deque()
        self._wake: int | None = None
        self._reopen = 0
        self._reported = self._stored = (0, 0)
        self._delayed: list[bytes] | None = None

    def run(self, ms: int) -> None:
        """Advance the clock."""
        for _ in range(ms // STEP_MS):
            self.now += STEP_MS
            if self.session is None and self.now >= self._reopen:
                self._open()
            if self.powered:
                self.carry(self.device.tick(self.now))
            while self._uncommitted and self._uncommitted[0][0] <= self.now and self._delayed is None:
                self._commit(self._uncommitted.popleft()[1])
            if self._wake is not None and self.now >= self._wake and self._delayed is None:
                self._tick()

    def until(self, done: Callable[[], bool], ms: int) -> bool:
        """Advance the clock until `done`; False when that took longer than `ms`."""
        end = self.now + ms
        while not done() and self.now < end:
            self.run(STEP_MS)
        return done()

    def identified(self, ms: int = 30_000) -> bool:
        """Advance the clock until the device is identified; False when that took longer than `ms`."""
        return self.until(lambda: self.session is not None and self.session.identified, ms)

    def carry(self, data: bytes) -> None:
        """Carry bytes of the device, or foreign ones, to the host."""
        for chunk in self.to_host(data) if data else []:
            self.heard += len(chunk)
            if self._delayed is not None:
                self._delayed.append(chunk)
            elif self.session is not None:  # a closed port drops what arrives
                self._step(lambda session, arrived=chunk: session.receive(self.now, arrived), chunk)  # type: ignore[misc]

    def command(self, request: str, command: CommandName) -> None:
        """Send a command, if a dialogue is open."""
        self._step(lambda session: session.command(self.now, request, command))

    def stall(self, ms: int) -> None:
        """Let the host do nothing for a while. What arrives is delivered afterward, in one piece."""
        self._delayed = []
        self.run(ms)
        arrived, self._delayed = b"".join(self._delayed), None
        if arrived and self.session is not None:
            self._step(lambda session: session.receive(self.now, arrived), arrived)

    def kill_host(self) -> None:
        """End the host without a word, and start it again: only committed reports remain."""
        self._uncommitted.clear()
        self._reported = self._stored
        self.session, self._wake, self._reopen = None, None, self.now + REOPEN_MS

    def events(self) -> list[Said]:
        """Return the committed events of the device, doubts and gaps left out."""
        return [one.said for one in self.log if one.counter and not isinstance(one.said, (*_DOUBTS, DeviceGap))]

    def doubts(self) -> int:
        """Return how many events the log has as doubtful, unknown or missing."""
        gaps = sum(one.said.last - one.said.first + 1 for one in self.log if isinstance(one.said, DeviceGap))
        return gaps + sum(isinstance(one.said, _DOUBTS) for one in self.log)

    def _open(self) -> None:
        boot, counter = self._reported
        expected = ExpectedDevice(self.device.family, self._serial, self._firmware, boot, counter)
        self.session = self._driver.session(expected)
        self._step(lambda session: session.begin(self.now))
        if self._stored[0]:
            self._step(lambda session: session.committed(self.now, *self._stored))
        if self.powered:
            self.carry(self.device.opened())

    def _tick(self) -> None:
        self.ticks += 1
        self._step(lambda session: session.tick(self.now))
        self.spins += self._wake is not None and self._wake <= self.now

    def _commit(self, report: DeviceReport) -> None:
        self.log.append(report)
        if report.counter or isinstance(report.said, DeviceRestarted):
            self._stored = report.boot, report.counter
        if report.counter:
            self._step(lambda session: session.committed(self.now, report.boot, report.counter))

    def _step(self, call: Callable[[Session], SessionOutput], arrived: bytes = b"") -> None:
        """Do one step of the dialogue and what follows from it; a device error ends the dialogue."""
        session = self.session
        if session is None:
            return
        try:
            output = call(session)
        except DeviceError as fault:
            self.faults.append(fault)
            self.texts.append(str(fault))
            self.session, self._wake, self._reopen = None, None, self.now + REOPEN_MS
            return
        except Exception as error:  # a foreign driver can raise anything, and that is the finding
            raise SessionRaisedError(
                f"the session raised {type(error).__name__}, which is not a DeviceError"
            ) from error
        self._wake = output.wake_at
        self._note(session, output, arrived)
        self.sent += len(output.send)
        for chunk in self.to_device(output.send) if output.send and self.powered else []:
            self.carry(self.device.receive(self.now, chunk))

    def _note(self, session: Session, output: SessionOutput, arrived: bytes) -> None:
        for report in output.reports:
            self.reports.append(report)
            self.early += report.counter > 0 and not session.identified
            if report.counter or isinstance(report.said, DeviceRestarted):
                self._reported = report.boot, report.counter
            self._uncommitted.append((self.now + self.commit_ms, report))
            if isinstance(report.said, DeviceSuspect):
                self.texts.append(report.said.reason)
        if output.reports and all(isinstance(report.said, _CARDS) for report in output.reports):
            self.card_bytes += _printable_runs(arrived)
            self.texts += [repr(output), repr(session)]


_CARDS: Final = (PlainCard, PlainStack, PlainAnswer)
_DOUBTS: Final = (DeviceSuspect, DeviceUnknown)


def _printable_runs(data: bytes) -> list[bytes]:
    """Return the runs of printable bytes in a message that carries a card."""
    words = bytes(byte if 0x20 < byte < 0x7F else 0x20 for byte in data).split()  # noqa: PLR2004  printable ASCII
    return [word for word in words if len(word) >= _LONGEST_RUN]
