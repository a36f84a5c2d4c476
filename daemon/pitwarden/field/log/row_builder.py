"""Builder of sealed, hash-chained log rows.

It assigns the next number, log time that never runs back, the seals and the hash of the previous row. It also converts
a row to the form that the journal stores in one transaction.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pitwarden.journal.records import DevicePosition, InputAnswer, NewRow
from pitwarden.system.clock import Clock
from pitwarden.system.gaming_day import GamingCalendar
from pitwarden_client.events.base import Position
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.codec import digest, encode
from pitwarden_client.events.device import DeviceRestarted, ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import GENESIS, LogData, LogEvent, rfc3339
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent
from pitwarden_client.events.topics import Topics
from pitwarden_client.verification.commitment import event_id
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret

if TYPE_CHECKING:
    from pitwarden.seal.sealing import Sealer


Plain = Said | InputLogged | TableEvent
Committed = Callable[[LogEvent], None]


@dataclass(frozen=True, slots=True)
class PendingRow:
    """Content that waits for its number in the log."""

    source: str
    content: Plain = field(repr=False)
    boot: int = 0
    """Boot id of the device; 0 where the content has none."""
    counter: int = 0
    """Event counter of the device; 0 for content that the device does not store."""
    done: Committed | None = None
    """Called in the event loop after the commit; None for no call."""


class RowSink(Protocol):
    """Log of a table, for components that offer rows."""

    def offer(self, pending: PendingRow) -> bool:
        """Enqueue `pending`; return False where the queue is full and it was not accepted."""
        ...


class LogTime(Protocol):
    """Clock of a table's log."""

    def log_ms(self) -> int:
        """Return log time now, in ms; it never runs back."""
        ...


@dataclass(frozen=True, slots=True)
class LogIdentity:
    """Site and table of a log, whether its devices are simulated, and the house's gaming days."""

    site: str
    table: str
    simulated: bool
    calendar: GamingCalendar = field(default_factory=GamingCalendar, compare=False)


@dataclass(frozen=True, slots=True)
class BuiltRow:
    """Row that has its number and is not committed yet."""

    event: LogEvent
    payload: bytes
    hash: str
    pending: PendingRow


class RowBuilder:
    """Builder of the rows of one epoch, and the only place that assigns numbers. One task may use it."""

    def __init__(self, place: LogIdentity, epoch: str, clock: Clock, log_ms: int, prevhash: str = GENESIS) -> None:
        self._place = place
        self._clock = clock
        self._offset = log_ms - clock.mono_ms()
        self._log_ms = log_ms
        self._prevhash = prevhash
        self.epoch = epoch
        self.number = 0
        self.sealer: Sealer | None = None

    def log_ms(self) -> int:
        """Return log time now, in ms: monotonic time, continued from the previous epoch."""
        return max(self._log_ms, self._clock.mono_ms() + self._offset)

    def source(self, name: str) -> str:
        """Return the CloudEvents source of a device or terminal of this table."""
        return f"/{self._place.site}/{self._place.table}/{name}"

    def build(self, pending: PendingRow) -> BuiltRow:
        """Return the next row. A number is never taken back: a row that is built must be committed."""
        number = self.number + 1
        utc = self._clock.utc()
        utc_ms = max(utc.utc_ms, 0)
        self._log_ms = self.log_ms()
        identity = event_id(self.epoch, number)
        data = self._sealed(pending, self.source(pending.source), identity)
        event = LogEvent(
            id=identity,
            source=self.source(pending.source),
            type=f"pitwarden.{data.act.act if isinstance(data, InputLogged) else data.kind}",
            time=rfc3339(utc_ms),
            epoch=self.epoch,
            prevhash=self._prevhash,
            simulated=self._place.simulated,
            gamingday=self._place.calendar.day(utc_ms),
            tableseq=number,
            logms=self._log_ms,
            clocksync=utc.synchronised,
            clockerror=utc.error_ms,
            deviceboot=pending.boot,
            devicecounter=pending.counter,
            data=data,
        )
        payload = encode(event)
        self.number = number
        self._prevhash = digest(payload)
        return BuiltRow(event, payload, self._prevhash, pending)

    def _sealed(self, pending: PendingRow, source: str, identity: str) -> LogData:
        said = pending.content
        if isinstance(said, PlainCard):
            return ShoeCard(face=self._seal(source, identity, 0, said.face), up=said.up, back=said.back)
        if isinstance(said, PlainStack):
            faces = tuple(self._seal(source, identity, index, face) for index, face in enumerate(said.faces))
            return ShoeStack(count=said.count, faces=faces)
        if isinstance(said, PlainAnswer):
            return ReaderResult(answer=self._seal(source, identity, 0, said.bit))
        return said

    def _seal(self, source: str, identity: str, index: int, secret: Secret) -> Sealed:
        if self.sealer is None:
            raise RuntimeError("a secret came before the epoch's key was announced")
        return self.sealer.seal(source, identity, index, secret.value)


def input_digest(logged: InputLogged) -> str:
    """Return the SHA-256 of an input's content in hexadecimal, with which a repeat must agree."""
    # Without its field where there is no witness: the digests of inputs stored before 0.3 stay valid.
    content = encode(logged) if logged.witness else logged.model_dump_json(exclude={"witness"}).encode()
    return hashlib.sha256(content).hexdigest()


def to_journal_row(built: BuiltRow, topics: Topics) -> NewRow:
    """Return `built` as the journal stores it, with the table's `topics`."""
    event, source = built.event, built.pending.source
    at = Position(epoch=event.epoch, number=event.tableseq)
    mark = _mark(built)
    return NewRow(
        at=at,
        hash=built.hash,
        prevhash=event.prevhash,
        topic=topics.event(source, "input" if isinstance(event.data, InputLogged) else event.data.kind),
        body=built.payload,
        device="" if mark is None else source,
        boot=0 if mark is None else mark.boot,
        counter=0 if mark is None else mark.counter,
        answer=_answer(event.data, at) if isinstance(event.data, InputLogged) else None,
    )


def _mark(built: BuiltRow) -> DevicePosition | None:
    """Return the device's position after this row, if the row moved it: a stored event, or a new boot."""
    if isinstance(built.event.data, DeviceRestarted):
        return DevicePosition(built.event.data.boot, 0)
    return DevicePosition(built.pending.boot, built.pending.counter) if built.pending.counter else None


def _answer(logged: InputLogged, at: Position) -> InputAnswer:
    return InputAnswer(logged.role, logged.terminal, logged.input_id, input_digest(logged), at)
