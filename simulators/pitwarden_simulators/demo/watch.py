"""Messages on a table's topics as a consumer receives them: rows, the judge's state, irregularities, replies."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from pitwarden.bus.messages import InboundMessage
from pitwarden.system.clock import Clock
from pitwarden_client.events.base import Position, Record
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputLogged, InputReply
from pitwarden_client.events.outputs import CheckFailed, Irregularity, Notice, Output, Refused, TableState
from pitwarden_client.events.table import ClockTick, PermitApplied
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.faults.verdict_log import VerdictLog

_KEPT_TIMES: Final = 5_000

M = TypeVar("M", bound=Record)


class Watch:
    """Everything about one table that arrived over MQTT; `until` waits for more."""

    def __init__(self, topics: Topics, clock: Clock, heard: Callable[[Output], None]) -> None:
        self.state: TableState | None = None
        self.book = VerdictLog()
        self.complaints: list[str] = []
        self.number = 0
        self.row: Position | None = None
        """Last row that arrived, with `row_hash`; None before the first."""
        self.row_hash: str | None = None
        self.output: tuple[int, str | None] = (0, None)
        """Number and hash of the last output that arrived."""
        self._shown: PermitApplied | None = None
        self._dark: Position | None = None
        self._ticks = 0
        self.topics = topics
        self._clock = clock
        self._heard = heard
        self._stored: dict[str, tuple[int, int]] = {}
        self._times: dict[int, int] = {}
        self._rounds: list[int] = []
        self._replies: dict[str, InputReply] = {}
        self._changed = asyncio.Event()

    @property
    def filters(self) -> Sequence[str]:
        """Topics to subscribe to."""
        return (f"{self.topics.root}/#",)

    def message(self, message: InboundMessage) -> None:
        """Record a message and wake the waiters."""
        message.ack()
        topics = self.topics
        if message.topic == topics.state:
            self._state(_read(TableState, message))
        elif message.topic.startswith(f"{topics.root}/events/"):
            self._row(_read(LogEvent, message), message.payload)
        elif message.topic in {topics.irregularities, topics.reveals}:
            self._output(_read(OutputEvent, message), message.payload)
        elif message.topic.endswith("/replies"):
            reply = _read(InputReply, message)
            if reply is not None:
                self._replies[reply.id] = reply
        self.notify()

    def notify(self) -> None:
        """Wake the waiters."""
        self._changed.set()

    def stored(self, device: str) -> tuple[int, int]:
        """Return boot and counter of the last event of `device` in the log."""
        return self._stored.get(device, (0, 0))

    def reply(self, ident: str) -> InputReply | None:
        """Return the reply to an input; None before it has arrived."""
        return self._replies.get(ident)

    def judged(self) -> int:
        """Return the number of the last row that the judge's state covers, 0 before the first."""
        return 0 if self.state is None else self.state.as_of.number

    async def until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until `done`.

        Raises:
            DemoError: It takes longer than `seconds`.
        """
        try:
            async with asyncio.timeout(seconds):
                while not done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise DemoError(f"waited {seconds:.0f} s in vain for {what}") from None

    @property
    def light(self) -> bool:
        """True if the table displays the permit, and it was confirmed after any dark state."""
        if self._shown is None or not self._shown.granted:
            return False
        dark, of = self._dark, self._shown.as_of
        return dark is None or of is None or of.epoch != dark.epoch or of.number > dark.number

    def forget_light(self) -> None:
        """Forget the displayed permit, which does not hold in a new epoch."""
        self._shown = self._dark = None

    def _state(self, state: TableState | None) -> None:
        if state is not None and not state.permit.granted:
            self._dark, self._ticks = state.as_of, 0
        if state is not None and (self.state is None or state.as_of.number >= self.judged()):
            self.state = state

    def _row(self, row: LogEvent | None, payload: bytes) -> None:
        if row is None or row.tableseq <= self.number:
            return
        self.number = row.tableseq
        self.row, self.row_hash = Position(epoch=row.epoch, number=row.tableseq), digest(payload)
        self._times[row.tableseq] = self._clock.mono_ms()
        self._times.pop(row.tableseq - _KEPT_TIMES, None)
        if row.devicecounter:
            self._stored[row.source.rpartition("/")[2]] = (row.deviceboot, row.devicecounter)
        if isinstance(row.data, ClockTick):
            self._ticks += 1
            if self._ticks > 1:
                self._dark = None  # received long ago, or lost with a link; then nothing was displayed
        if isinstance(row.data, PermitApplied):
            self._shown = row.data
        elif isinstance(row.data, InputLogged) and row.data.act.act == "kp.boxes":
            self._rounds.append(row.tableseq)

    def _output(self, event: OutputEvent | None, payload: bytes) -> None:
        if event is None or event.outputseq <= self.output[0]:
            return
        self.output = event.outputseq, digest(payload)
        self._heard(event.data)
        match event.data:
            case Irregularity() | Notice():
                since = self._times.get(event.tableseq)
                delay = None if since is None else self._clock.mono_ms() - since
                self.book.record(event.data, bisect_right(self._rounds, event.tableseq), delay)
            case Refused() | CheckFailed():
                self.complaints.append(f"row {event.tableseq}: {event.data.kind} {event.data}")
            case _:
                pass


def _read(model: type[M], message: InboundMessage) -> M | None:
    """Return the payload as `model`; None for an invalid one, such as a forged message."""
    try:
        return decode(model, message.payload)
    except BadPayloadError:
        return None
