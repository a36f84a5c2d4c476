"""Builds the rows of one epoch: the next number, log time that never runs back, seals, the chain of hashes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.codec import digest, encode
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import GENESIS, LogData, LogEvent, rfc3339
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.verification.commitment import event_id

from pitwarden.field.pending import Pending
from pitwarden.system.clock import Clock
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Secret

if TYPE_CHECKING:
    from pitwarden.seal.sealing import Sealer


@dataclass(frozen=True, slots=True)
class Place:
    """Whose log it is."""

    site: str
    table: str
    simulated: bool


@dataclass(frozen=True, slots=True)
class Built:
    """A row that has its number and is not committed yet."""

    event: LogEvent
    payload: bytes
    hash: str
    pending: Pending


class RowBuilder:
    """The one place where a table's numbers are given. Not for two tasks at once."""

    def __init__(self, place: Place, epoch: str, clock: Clock, log_ms: int, prevhash: str = GENESIS) -> None:
        self._place = place
        self._clock = clock
        self._offset = log_ms - clock.mono_ms()
        self._log_ms = log_ms
        self._prevhash = prevhash
        self.epoch = epoch
        self.number = 0
        self.sealer: Sealer | None = None

    def log_ms(self) -> int:
        """Log time now, in ms: the machine's monotonic time carried on from the epoch before."""
        return max(self._log_ms, self._clock.mono_ms() + self._offset)

    def source(self, name: str) -> str:
        """The CloudEvents source of a device or terminal of this table."""
        return f"/{self._place.site}/{self._place.table}/{name}"

    def build(self, pending: Pending) -> Built:
        """The next row. Numbers given are never taken back: what is built must be committed."""
        number = self.number + 1
        utc = self._clock.utc()
        self._log_ms = self.log_ms()
        identity = event_id(self.epoch, number)
        data = self._sealed(pending, self.source(pending.source), identity)
        event = LogEvent(
            id=identity,
            source=self.source(pending.source),
            type=f"pitwarden.{data.act.act if isinstance(data, InputLogged) else data.kind}",
            time=rfc3339(max(utc.utc_ms, 0)),
            epoch=self.epoch,
            prevhash=self._prevhash,
            simulated=self._place.simulated,
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
        return Built(event, payload, self._prevhash, pending)

    def _sealed(self, pending: Pending, source: str, identity: str) -> LogData:
        said = pending.said
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
