"""Rows and outputs as lines for people, without seals, keys and signatures."""

from typing import Final

from pitwarden_client import ChainBreak, Item, LogItem, OutputItem
from pitwarden_client.events.base import Record
from pitwarden_client.events.device import ReaderResult, ShoeCard, ShoeStack
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.hidden_text import escape_hidden
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import (
    Duty,
    Irregularity,
    Notice,
    Outcomes,
    ReaderRevealed,
    Refused,
    Reveal,
    RevealCorrected,
)
from pitwarden_client.events.table import EpochOpened, KeyAnnounced

_LEFT_OUT: Final = frozenset({"kind", "act", "face", "faces", "answer", "wrapped", "signer", "signature", "parent"})


def format_item(item: Item) -> str:
    """Return one line: UTC, number, source, and content. What a screen would not show as it is, is escaped."""
    return escape_hidden(_line(item))


def _line(item: Item) -> str:
    if isinstance(item, ChainBreak):
        return f"-- {item.of}: {item.reason} --"
    if item.event is None:
        where = item.at.number if isinstance(item, LogItem) else item.number
        return f"#{where} of a later version: {item.reason}"
    who = item.event.source.rpartition("/")[2]
    return f"{item.event.time[11:23]} {_number(item):>8} {who:<12} {_what(item)}"


def item_kind(item: Item) -> str:
    """Return the name for filters: the kind of `data`, or the act of an input; `break` for a break."""
    if isinstance(item, ChainBreak):
        return "break"
    if item.event is None:
        return "unknown"
    data = item.event.data
    return data.act.act if isinstance(data, InputLogged) else data.kind


def item_catalogue_id(item: Item) -> str:
    """Return the catalogue id of an output, as in CB-38; empty for other items."""
    if not isinstance(item, OutputItem) or item.event is None:
        return ""
    data = item.event.data
    return data.catalogue if isinstance(data, Irregularity | Duty | Notice | Refused) else ""


def format_fields(record: Record) -> str:
    """Return the fields that have a value, as key=value."""
    pairs = [(key, value) for key, value in record if key not in _LEFT_OUT and value is not None and value != ()]
    return " ".join(f"{key}={_value(value)}" for key, value in pairs)


def _number(item: LogItem | OutputItem) -> str:
    return f"#{item.at.number}" if isinstance(item, LogItem) else f"={item.number}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Record):
        return "/".join(str(inner) for _, inner in value)
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _what(item: LogItem | OutputItem) -> str:
    event = item.event
    if isinstance(event, LogEvent):
        return _logged(event)
    return _output_text(item, event) if isinstance(item, OutputItem) and event is not None else ""


def _logged(event: LogEvent) -> str:
    data = event.data
    if isinstance(data, InputLogged):
        return f"{data.role} {data.person}: {data.act.act} {format_fields(data.act)}".rstrip()
    if isinstance(data, EpochOpened | KeyAnnounced):
        return data.kind
    hidden = (
        " (sealed)" if isinstance(data, ShoeCard | ReaderResult) or (isinstance(data, ShoeStack) and data.faces) else ""
    )
    return f"{data.kind} {format_fields(data)}".rstrip() + hidden


def _touched(data: Irregularity) -> str:
    """Return how many rounds a wrong count may have affected."""
    if data.blast is None:
        return ""
    count = len(data.blast.rounds) + data.blast.more
    if count == 0:
        return "; no round was dealt since the last right count"
    by = f" by {data.blast.by}" if data.blast.by else ""
    return f"; {count} rounds since the last right count{by}: {data.blast.rounds[0]} to {data.blast.rounds[-1]}"


def _output_text(item: OutputItem, event: OutputEvent) -> str:
    data = event.data
    proof = {True: "proved", False: "NOT PROVED: this is not what was drawn", None: "its card was drawn before"}
    match data:
        case Irregularity():
            verdicts = " ".join(data.verdicts)
            return (
                f"{data.catalogue} {verdicts} {data.status}: {data.sentence} [{', '.join(data.clauses)}] "
                f"{data.actor} acts; cleared when {data.clears}{_touched(data)}"
            )
        case Duty():
            return f"{data.catalogue} duty {data.status}: {data.sentence} [{', '.join(data.clauses)}]"
        case Notice():
            return f"{data.catalogue} {' '.join(data.verdicts)} notice: {data.sentence} [{', '.join(data.clauses)}]"
        case Refused():
            return f"{data.catalogue} refused: {data.sentence} [{', '.join(data.clauses)}]"
        case Reveal():
            return f"{data.slot} is {data.face} (row {data.event}.{data.index}, {proof[item.proved]})"
        case RevealCorrected():
            return f"{data.slot} is the card that was published as {data.was} (row {data.event}.{data.index})"
        case Outcomes():
            return "; ".join(f"{one.hand} {one.wager} {one.result} {one.pays}".rstrip() for one in data.wagers)
        case ReaderRevealed():
            return f"reader: {'blackjack' if data.blackjack else 'no blackjack'} ({proof[item.proved]})"
        case _:
            return f"{data.kind} {format_fields(data)}"
