"""Driver that records its dialogues as captures."""

from collections.abc import Callable

from pitwarden_client.events.device import CommandName
from pitwarden_drivers.api import Driver, ExpectedDevice, LineStats, Session, SessionOutput
from pitwarden_drivers.capture.format import CaptureStep, Op

Write = Callable[[CaptureStep], None]


class RecordingDriver:
    """Driver that passes each step of the dialogues of `driver` to `write`."""

    def __init__(self, driver: Driver, write: Write) -> None:
        self.name = driver.name
        self.starts: int | None = None
        """Monotonic ms of the first opening; None before it."""
        self._driver = driver
        self._write = write

    def session(self, expected: ExpectedDevice) -> Session:
        """Return a new recorded dialogue for a port that is about to open."""
        return _Recorded(self, self._driver.session(expected), expected)

    def wrote(self, now: int, op: Op, *words: str) -> None:
        """Write one step, made at `now`."""
        self.starts = now if self.starts is None else self.starts
        self._write(CaptureStep(now - self.starts, op, words))


class _Recorded:
    """Session that records each call before it forwards it."""

    def __init__(self, driver: RecordingDriver, session: Session, expected: ExpectedDevice) -> None:
        self._driver = driver
        self._session = session
        self._expected = expected

    @property
    def identified(self) -> bool:
        """True if the recorded session has identified its device."""
        return self._session.identified

    @property
    def heard_at(self) -> int | None:
        """Time of the last good frame, monotonic ms; None before the first."""
        return self._session.heard_at

    @property
    def stats(self) -> LineStats:
        """Input discarded so far."""
        return self._session.stats

    def begin(self, now: int) -> SessionOutput:
        """Start the dialogue."""
        self._driver.wrote(now, "open", str(self._expected.last_boot), str(self._expected.last_counter))
        return self._sent(now, self._session.begin(now))

    def receive(self, now: int, data: bytes) -> SessionOutput:
        """Process bytes from the device."""
        self._driver.wrote(now, "<", data.hex())
        return self._sent(now, self._session.receive(now, data))

    def tick(self, now: int) -> SessionOutput:
        """Handle the requested time."""
        self._driver.wrote(now, "tick")
        return self._sent(now, self._session.tick(now))

    def committed(self, now: int, boot: int, counter: int) -> SessionOutput:
        """Acknowledge stored events."""
        self._driver.wrote(now, "commit", str(boot), str(counter))
        return self._sent(now, self._session.committed(now, boot, counter))

    def command(self, now: int, request: str, command: CommandName) -> SessionOutput:
        """Send a command."""
        self._driver.wrote(now, "command", request, command)
        return self._sent(now, self._session.command(now, request, command))

    def _sent(self, now: int, turn: SessionOutput) -> SessionOutput:
        if turn.send:
            self._driver.wrote(now, ">", turn.send.hex())
        return turn
