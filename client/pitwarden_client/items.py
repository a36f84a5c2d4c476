"""What a consumer gets, one after the other: rows of the log, the judge's outputs, and breaks, each with a cursor."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Hex32, Ident, Number, Position, Record
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.table import Head

MAX_EPOCHS = 64  # epochs that may come again after a restart; older ones do not


class Cursor(Record):
    """Where a consumer stands in both chains. Store it with what the item did, in one transaction; start from it.

    `cards` is where reading begins anew after a restart, so that reveals find their cards; nothing of it is given
    out twice.
    """

    log: Head | None = None
    output: Number = 0
    output_hash: Hex32 | None = None
    cards: Head | None = None
    epochs: Annotated[tuple[Ident, ...], Field(max_length=MAX_EPOCHS)] = ()


@dataclass(frozen=True, slots=True)
class LogItem:
    """A row of the log. `event` is None when this client's version does not know it, for the stated `reason`."""

    at: Position
    body: bytes = field(repr=False)
    event: LogEvent | None
    reason: str
    cursor: Cursor = field(repr=False)


@dataclass(frozen=True, slots=True)
class HiddenCard:
    """A card, or a reader's answer, as the log told of it while it was hidden."""

    source: str
    at: Position
    index: int
    commitment: str
    data: ShoeCard | ShoeStack | ReaderResult


@dataclass(frozen=True, slots=True)
class OutputItem:
    """An output of the judge; its row was given out before it. `event` is None when this version does not know it.

    For a reveal, `card` is what was drawn, None when its row is older than what this client has read; `proved` tells
    whether face and blind give the commitment of that row.
    """

    number: int
    body: bytes = field(repr=False)
    event: OutputEvent | None
    reason: str
    card: HiddenCard | None
    proved: bool | None
    cursor: Cursor = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """A chain does not go on from where the consumer stood: what is between is not to be had. `reason` says why."""

    of: Literal["log", "outputs"]
    reason: str
    cursor: Cursor = field(repr=False)


Item = LogItem | OutputItem | ChainBreak
