"""A row of a table's log as it is read from the bus: what places it in the chain, and its event, if that can be judged.

The adversary is a row of a version that this reader does not know, or of another table.
"""

from dataclasses import dataclass, field
from typing import Final

from pydantic import ConfigDict

from pitwarden_client.events.base import Hex32, Ident, Number, Position, Record
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339
from pitwarden_client.events.table import EpochOpened, Head

MAX_LOG_MS: Final = 2**50  # thirty thousand years; deadlines are added to it


@dataclass(frozen=True, slots=True)
class LogRow:
    """A row; `event` is None when its bytes are no event of this version, for the stated `reason`."""

    at: Position
    hash: str
    prevhash: str
    body: bytes = field(repr=False)
    event: LogEvent | None
    reason: str = ""
    head: Head = field(init=False, repr=False, compare=False)
    """The row as the head of a log that ends here."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", Head(at=self.at, hash=self.hash))

    @property
    def parent(self) -> Head | None:
        """Which row the epoch that this one opens says it goes on from; None for any other row, and for the first."""
        return self.event.data.parent if self.event is not None and isinstance(self.event.data, EpochOpened) else None


class _Outline(Record):
    """What must be readable of a row so that it has its place in the chain."""

    model_config = ConfigDict(extra="ignore")

    source: str
    epoch: Ident
    tableseq: Number
    prevhash: Hex32


def parse_row(payload: bytes, source: str) -> LogRow:
    """The row in `payload`; BadPayloadError when it has no place in the log whose rows' sources begin with `source`."""
    reason = ""
    event: LogEvent | None = None
    try:
        outline: LogEvent | _Outline = decode(LogEvent, payload)
    except BadPayloadError as error:
        outline, reason = decode(_Outline, payload), str(error)
    if isinstance(outline, LogEvent):
        if outline.id != f"{outline.epoch}/{outline.tableseq}":
            raise BadPayloadError("its id is not its epoch and number, which its seals are bound to")
        reason = _odd(outline)
        event = None if reason else outline
    if not outline.source.startswith(source):
        raise BadPayloadError(f"a row of another table: its source does not begin with {source}")
    at = Position(epoch=outline.epoch, number=outline.tableseq)
    return LogRow(at, digest(payload), outline.prevhash, payload, event, reason)


def _odd(event: LogEvent) -> str:
    """Why a well-formed row cannot be judged: a time that no calendar or clock has."""
    try:
        parse_rfc3339(event.time)
    except ValueError:
        return "its time is none"
    return "its log time is none" if event.logms > MAX_LOG_MS else ""
