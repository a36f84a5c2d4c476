"""Log of the in-memory night: rows as a judge's journal would open them, with dummy seals in place of real ones."""

from dataclasses import dataclass, field
from typing import Final

from pitwarden.field.log.row_builder import Plain
from pitwarden_client.events.card_faces import Sealed
from pitwarden_client.events.device import DeviceEvent, ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.table import TableEvent
from pitwarden_drivers.api import PlainAnswer, PlainCard, PlainStack, Said, Secret

EPOCH: Final = "pure"
_SEAL: Final = Sealed(key="pure", box="", commitment="0" * 64)


LogData = DeviceEvent | InputLogged | TableEvent


@dataclass(frozen=True, slots=True)
class InMemoryRow:
    """Row of the log. `faces` and `bit` are the content of its seals; times in ms, `log_ms` since the night began."""

    number: int
    log_ms: int
    utc_ms: int
    source: str
    data: LogData
    faces: tuple[int, ...] = field(default=(), repr=False)
    bit: bool | None = field(default=None, repr=False)


def sealed(said: Said) -> tuple[DeviceEvent, tuple[int, ...], bool | None]:
    """Return the event that `said` becomes, and the secrets in it."""
    match said:
        case PlainCard():
            return ShoeCard(face=_SEAL, up=said.up, back=said.back), (said.face.value,), None
        case PlainStack():
            faces = tuple(face.value for face in said.faces)
            return ShoeStack(count=said.count, faces=(_SEAL,) * len(faces)), faces, None
        case PlainAnswer():
            return ReaderResult(answer=_SEAL), (), bool(said.bit.value)
        case _:
            return said, (), None


def unsealed(row: InMemoryRow) -> Plain:
    """Return the driver's report before its secrets were sealed."""
    match row.data:
        case ShoeCard():
            return PlainCard(Secret(row.faces[0]), row.data.up, row.data.back)
        case ShoeStack():
            return PlainStack(row.data.count, tuple(map(Secret, row.faces)))
        case ReaderResult():
            return PlainAnswer(Secret(int(bool(row.bit))))
        case _:
            return row.data
