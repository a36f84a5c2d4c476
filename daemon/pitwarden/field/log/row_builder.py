"""Builder of sealed, hash-chained log rows.

It assigns the next number, log time that never runs back, the seals and the hash of the previous row. The row has the
form that the journal stores in one transaction.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pitwarden.journal.records import DevicePosition, InputAnswer, NewRow
from pitwarden.system.clock import Clock, LogClock
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


class NumberedLog(RowSink, Protocol):
    """Log of a table, for components that compare a state with its newest row."""

    @property
    def newest(self) -> int:
        """Number of the newest committed row of the epoch; 0 before the first."""
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
    stored: NewRow
    """Row as the journal stores it."""
    pending: PendingRow


class RowBuilder:
    """Builder of the rows of one epoch, and the only place that assigns numbers. One task may use it."""

    def __init__(self, place: LogIdentity, epoch: str, clock: Clock, log_ms: int, prevhash: str = GENESIS) -> None:
        self._place = place
        self._topics = Topics(place.site, place.table)
        self._prevhash = prevhash
        self.epoch = epoch
        self.number = 0
        self.time = LogClock(clock, log_ms)
        self.sealer: Sealer | None = None

    def build(self, pending: PendingRow) -> BuiltRow:
        """Return the next row. A number is never taken back: a row that is built must be committed."""
        number = self.number + 1
        utc, log_ms = self.time.stamp()
        utc_ms = max(utc.utc_ms, 0)
        source = f"/{self._place.site}/{self._place.table}/{pending.source}"
        identity = event_id(self.epoch, number)
        data = self._sealed(pending, source, identity)
        event = LogEvent(
            id=identity,
            source=source,
            type=f"pitwarden.{data.act.act if isinstance(data, InputLogged) else data.kind}",
            time=rfc3339(utc_ms),
            epoch=self.epoch,
            prevhash=self._prevhash,
            simulated=self._place.simulated,
            gamingday=self._place.calendar.day(utc_ms),
            tableseq=number,
            logms=log_ms,
            clocksync=utc.synchronised,
            clockerror=utc.error_ms,
            deviceboot=pending.boot,
            devicecounter=pending.counter,
            data=data,
        )
        payload = encode(event)
        self.number = number
        self._prevhash = digest(payload)
        return BuiltRow(event, self._as_stored(event, payload, pending), pending)

    def _as_stored(self, event: LogEvent, payload: bytes, pending: PendingRow) -> NewRow:
        at, data = Position(epoch=event.epoch, number=event.tableseq), event.data
        mark = _mark(data, pending)
        return NewRow(
            at=at,
            hash=self._prevhash,
            prevhash=event.prevhash,
            topic=self._topics.event(pending.source, "input" if isinstance(data, InputLogged) else data.kind),
            body=payload,
            device="" if mark is None else pending.source,
            boot=0 if mark is None else mark.boot,
            counter=0 if mark is None else mark.counter,
            answer=_answer(data, at) if isinstance(data, InputLogged) else None,
        )

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
    # Without its field where there is no witness: the digests of inputs stored before 0.3 stay valid. Where the witness
    # confirmed is no part of what a terminal sent.
    left_out = {"confirmed_at"} if logged.witness else {"confirmed_at", "witness"}
    content = logged.model_dump_json(exclude=left_out).encode()
    return hashlib.sha256(content).hexdigest()


def _mark(data: LogData, pending: PendingRow) -> DevicePosition | None:
    """Return the device's position after this row, if the row moved it: a stored event, or a new boot."""
    if isinstance(data, DeviceRestarted):
        return DevicePosition(data.boot, 0)
    return DevicePosition(pending.boot, pending.counter) if pending.counter else None


def _answer(logged: InputLogged, at: Position) -> InputAnswer:
    return InputAnswer(logged.role, logged.terminal, logged.input_id, input_digest(logged), at)
