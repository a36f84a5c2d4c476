"""Items that a consumer receives in order: rows of the log, the judge's outputs, and breaks, each with a cursor."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from pitwarden_client.events.base import Hex32, Ident, Number, Position, Record
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.table import Head

MAX_EPOCHS = 64  # epochs that may come again after a restart; older ones do not


def _tuple_of_list(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class Cursor(Record):
    """Position of a consumer in both chains. Store it with the item's effects in one transaction, and start from it.

    It is stored as JSON (`model_dump_json`), and read from its text (`model_validate_json`) or from what a JSON column
    of a database returns (`model_validate`).

    `cards` is the row from which reading starts after a restart, so that reveals find their cards. No item is returned
    twice.
    """

    log: Head | None = None
    output: Number = 0
    output_hash: Hex32 | None = None
    cards: Head | None = None
    # JSON has no tuples: a driver that reads a JSON column supplies lists.
    epochs: Annotated[tuple[Ident, ...], Field(max_length=MAX_EPOCHS), BeforeValidator(_tuple_of_list)] = ()


@dataclass(frozen=True, slots=True)
class LogItem:
    """Row of the log. `event` is None when this client's version does not know it, for the stated `reason`."""

    at: Position
    body: bytes = field(repr=False)
    event: LogEvent | None
    reason: str
    cursor: Cursor = field(repr=False)


@dataclass(frozen=True, slots=True)
class HiddenCard:
    """Card, or reader's answer, as the log recorded it while it was hidden."""

    source: str
    at: Position
    index: int
    commitment: str
    data: ShoeCard | ShoeStack | ReaderResult


@dataclass(frozen=True, slots=True)
class OutputItem:
    """Output of the judge; its row was returned before it. `event` is None when this client's version does not know it.

    For a reveal, `card` is the drawn card, None when its row is older than what this client has read; `proved` is
    whether face and blind match the commitment of that row.
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
    """Break of a chain after the consumer's position: the items in between are lost, for the stated `reason`."""

    of: Literal["log", "outputs"]
    reason: str
    cursor: Cursor = field(repr=False)


Item = LogItem | OutputItem | ChainBreak
