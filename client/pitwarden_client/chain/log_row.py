"""Row of a table's log as a reader parses it: position, both hashes, and its event if this version can evaluate it.

The field half builds rows and their hashes (`row_builder`). Whether one row continues another is decided in `lineage`.

Threat: a row of a version that this reader does not know, or of another table.
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
    """Row of a log. `event` is None when its bytes are no event of this version, for the stated `reason`."""

    at: Position
    hash: str
    prevhash: str
    body: bytes = field(repr=False)
    event: LogEvent | None
    reason: str = ""
    head: Head = field(init=False, repr=False, compare=False)
    """Head of a log that ends with this row."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "head", Head(at=self.at, hash=self.hash))

    @property
    def parent(self) -> Head | None:
        """Row that an epoch's opening names as its predecessor; None for any other row, and for a first epoch."""
        return self.event.data.parent if self.event is not None and isinstance(self.event.data, EpochOpened) else None


class _Outline(Record):
    """Fields of a row that its place in the chain requires."""

    model_config = ConfigDict(extra="ignore")

    source: str
    epoch: Ident
    tableseq: Number
    prevhash: Hex32


def parse_row(payload: bytes, source: str) -> LogRow:
    """Return the row in `payload`.

    Raises:
        BadPayloadError: It has no place in a log whose rows' sources begin with `source`.
    """
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
    """Return why a well-formed row cannot be evaluated: a time that no calendar or clock has."""
    try:
        parse_rfc3339(event.time)
    except ValueError:
        return "its time is none"
    return "its log time is none" if event.logms > MAX_LOG_MS else ""
