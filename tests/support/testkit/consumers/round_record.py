"""Record of each round of a night, from the typed client's items; other consumers are compared with it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pitwarden_client import Item, LogItem, OutputItem
from pitwarden_client.events.device import ShoeCard, ShoeStack
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity, ReaderRevealed, Reveal


@dataclass
class RoundRecord:
    """One round: its boxes, the cards drawn and shown, its outputs, and the number of reveals that were proved."""

    boxes: list[int]
    ended: bool = False
    drawn: int = 0
    cards: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    proved: int = 0


def rounds_of(items: Iterable[Item]) -> list[RoundRecord]:
    """Return the rounds of these items, in order."""
    rounds: list[RoundRecord] = []
    of_row: dict[int, RoundRecord] = {}
    for item in items:
        if isinstance(item, LogItem):
            _row(item, rounds, of_row)
        elif isinstance(item, OutputItem):
            _said(item, of_row)
    return rounds


def _row(row: LogItem, rounds: list[RoundRecord], of_row: dict[int, RoundRecord]) -> None:
    assert row.event is not None
    data = row.event.data
    if isinstance(data, InputLogged) and data.act.act == "kp.boxes":
        rounds.append(RoundRecord(list(data.act.boxes)))
    if not rounds:
        return
    of_row[row.at.number] = rounds[-1]
    if isinstance(data, ShoeCard):
        rounds[-1].drawn += 1
    elif isinstance(data, ShoeStack):
        rounds[-1].drawn += data.count
    elif isinstance(data, InputLogged) and data.act.act == "kp.round_end":
        rounds[-1].ended = True


def _said(said: OutputItem, of_row: dict[int, RoundRecord]) -> None:
    assert said.event is not None
    data = said.event.data
    revealed = isinstance(data, Reveal | ReaderRevealed)
    found = of_row.get(data.event if isinstance(data, Reveal | ReaderRevealed) else said.event.tableseq)
    if found is None:
        return
    if isinstance(data, Irregularity):
        found.said.append(f"{data.catalogue} {data.status}")
    elif isinstance(data, Reveal):
        found.cards[data.slot] = data.face
    found.proved += bool(revealed and said.proved)
