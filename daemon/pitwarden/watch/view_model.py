"""Content of a screen for one table, collected from its stream only.

It contains nothing that a consumer cannot know. The progress of a round is described by the last act that changed it;
it is for people, and the rules know more.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Final

from pitwarden_client import ChainBreak, Item, LogItem, OutputItem
from pitwarden_client.events.device import ShoeCard, ShoeLoaded, ShoeStack, ShufflerDone
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Notice, ReaderRevealed, Reveal
from pitwarden_client.events.steps import step_for_act
from pitwarden_client.events.table import PermitApplied

# Notices that remain on the screen: as many as fit below the open irregularities.
LAST_NOTICES: Final = 3


@dataclass(slots=True)
class DeckView:
    """Deck or set: the UTC (ms) of its opening, the shuffler's last count, and the last stub count.

    `rounds` counts the rounds that ended with it since that count, or since it was opened.
    """

    opened_ms: int | None = None
    shuffled: int | None = None
    stub: int | None = None
    rounds: int = 0


@dataclass(slots=True)
class TableViewModel:
    """Facts collected from the stream. `item` receives each item once, in order."""

    utc_ms: int = 0
    """UTC of the newest row, by which the rules count the age of a deck."""
    step: str = ""
    cards: dict[str, list[str]] = field(default_factory=dict)
    """Public cards of this round, by place (`dealer`, `box 3`)."""
    decks: dict[str, DeckView] = field(default_factory=dict)
    inspections: dict[str, tuple[bool, str]] = field(default_factory=dict)
    """Result and time (UTC) of the last inspection, by device."""
    in_play: str = ""
    """Deck that was loaded last."""
    drawn: int = 0
    """Number of cards drawn since the shoe was loaded."""
    shown_permit: bool | None = None
    notices: deque[str] = field(default_factory=lambda: deque(maxlen=LAST_NOTICES))
    unproved: int = 0
    unknown: int = 0
    broken: str = ""

    def item(self, item: Item) -> None:
        """Handle the next item of the stream."""
        if isinstance(item, ChainBreak):
            self.broken = item.reason
        elif item.event is None:
            self.unknown += 1
        elif isinstance(item, LogItem) and isinstance(item.event, LogEvent):
            self._row(item.event)
        elif isinstance(item, OutputItem):
            self._output(item)

    def _row(self, event: LogEvent) -> None:
        self.utc_ms = parse_rfc3339(event.time)
        match event.data:
            case InputLogged():
                self._input(event, event.data)
            case ShoeCard():
                self.drawn += 1
            case ShoeStack():
                self.drawn += event.data.count
            case ShoeLoaded():
                self.in_play, self.drawn = event.data.deck, 0
            case ShufflerDone():
                self._deck(event.data.deck).shuffled = event.data.count
            case PermitApplied():
                self.shown_permit = event.data.granted
            case _:
                pass

    def _input(self, event: LogEvent, logged: InputLogged) -> None:
        act = logged.act
        self.step = step_for_act(act) or self.step
        match act.act:
            case "kp.boxes":
                self.cards = {}
                self.notices.clear()
            case "kp.round_end":
                if self.in_play:
                    self._deck(self.in_play).rounds += 1
            case "kp.stub":
                self.decks[self.in_play] = replace(self._deck(self.in_play), stub=act.count, rounds=0)
            case "ft.deck_opened":
                self.decks[act.deck] = DeckView(opened_ms=self.utc_ms)
            case "ft.deck_returned":
                self.decks.pop(act.deck, None)
            case "ft.inspect":
                self.inspections[act.device] = (act.ok, event.time[11:16])
            case _:
                pass

    def _deck(self, name: str) -> DeckView:
        return self.decks.setdefault(name, DeckView())

    def _output(self, said: OutputItem) -> None:
        data = None if said.event is None else said.event.data
        if isinstance(data, Reveal | ReaderRevealed):
            self.unproved += said.proved is False
        if isinstance(data, Reveal):
            place, _, _ = data.slot.partition(".")
            self.cards.setdefault(place.replace("box", "box "), []).append(data.face)
        elif isinstance(data, ReaderRevealed):
            self.cards["reader"] = ["blackjack" if data.blackjack else "no blackjack"]
        elif isinstance(data, Notice):
            self.notices.append(f"{data.catalogue} {' '.join(data.verdicts)}: {data.sentence}")
