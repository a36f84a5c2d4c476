"""Activity at a table, collected from its stream: the step of the round, public cards, decks, and the last acts.

It contains nothing that a consumer cannot know. A card is here once the judge has revealed it; a sealed one never is.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from pitwarden_client import ChainBreak, Item, OutputItem
from pitwarden_client.events.device import ShoeCard, ShoeLoaded, ShoeStack, ShufflerDone
from pitwarden_client.events.envelope import LogEvent, OutputEvent, parse_rfc3339
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed, Notice, ReaderRevealed, Refused, Reveal, RevealCorrected
from pitwarden_client.events.steps import step_for_act

# Acts that the page of a table lists: those of about one round.
LAST_ACTS: Final = 12
# Notices that the page of a table lists.
LAST_NOTICES: Final = 4


@dataclass(frozen=True, slots=True)
class DeckActivity:
    """A deck or set: its opening (UTC, ms), the last counts, and the rounds since the last stub count."""

    opened_ms: int | None = None
    shuffled: int | None = None
    stub: int | None = None
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class LoggedAct:
    """An act that the table accepted."""

    at_ms: int
    number: int
    role: str
    person: str
    act: str


@dataclass(frozen=True, slots=True)
class PublishedNotice:
    """A notice, a refusal or a failed check, with its time (UTC, ms)."""

    at_ms: int
    sentence: str


@dataclass(slots=True)
class TableActivity:
    """Facts collected from the stream. `item` receives each item once, in order."""

    at_ms: int = 0
    """Time of the newest row (UTC, ms)."""
    clock_is_synchronized: bool = True
    step: str = ""
    is_open: bool | None = None
    """True after an opening, False after a closing, None when neither was read."""
    decks: dict[str, DeckActivity] = field(default_factory=dict)
    inspections: dict[str, tuple[bool, int, str]] = field(default_factory=dict)
    """Result, time (UTC, ms) and person of the last inspection, by device."""
    in_play: str = ""
    drawn: int = 0
    acts: deque[LoggedAct] = field(default_factory=lambda: deque(maxlen=LAST_ACTS))
    notices: deque[PublishedNotice] = field(default_factory=lambda: deque(maxlen=LAST_NOTICES))
    unproved: int = 0
    """Number of reveals that do not match what the table committed to."""
    unknown: int = 0
    broken: str = ""
    _cards: dict[tuple[str, int, int], tuple[str, str]] = field(default_factory=dict)
    _reader: str = ""

    def item(self, item: Item) -> None:
        """Handle the next item of the stream."""
        if isinstance(item, ChainBreak):
            self.broken = item.reason
        elif item.event is None:
            self.unknown += 1
        elif isinstance(item, OutputItem):
            self.unproved += item.proved is False
            self.output(item.event)
        elif isinstance(item.event, LogEvent):
            self.row(item.event)

    def cards(self) -> Iterator[tuple[str, str]]:
        """Yield each place that has public cards in this round, with its cards in the order of their slots."""
        places: dict[str, list[tuple[str, str]]] = {}
        for slot, face in self._cards.values():
            places.setdefault(slot.partition(".")[0], []).append((slot, face))
        for place in sorted(places, key=lambda name: (name != "dealer", name)):
            yield place.replace("box", "box "), " ".join(face for _, face in places[place])
        if self._reader:
            yield "reader", self._reader

    def row(self, event: LogEvent) -> None:
        """Handle a row of the log."""
        self.at_ms = parse_rfc3339(event.time)
        self.clock_is_synchronized = event.clocksync
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
                self._update_deck(event.data.deck, shuffled=event.data.count)
            case _:
                pass

    def output(self, event: OutputEvent) -> None:
        """Handle an output of the judge."""
        match event.data:
            case Reveal() as reveal:
                self._cards[reveal.epoch, reveal.event, reveal.index] = (reveal.slot, reveal.face)
            case RevealCorrected() as moved:
                known = self._cards.get((moved.epoch, moved.event, moved.index))
                if known is not None:
                    self._cards[moved.epoch, moved.event, moved.index] = (moved.slot, known[1])
            case ReaderRevealed() as answer:
                self._reader = "blackjack" if answer.blackjack else "no blackjack"
            case Notice() | Refused() as notice:
                self._notice(event, f"{notice.catalogue}: {notice.sentence}")
            case CheckFailed() as failed:
                self._notice(event, f"check {failed.check} failed ({failed.error}): hold and inspect the table")
            case _:
                pass

    def _notice(self, event: OutputEvent, sentence: str) -> None:
        self.notices.append(PublishedNotice(parse_rfc3339(event.time), sentence))

    def _input(self, event: LogEvent, logged: InputLogged) -> None:
        act = logged.act
        self.acts.append(LoggedAct(self.at_ms, event.tableseq, logged.role, logged.person, act.act))
        self.step = step_for_act(act) or self.step
        match act.act:
            case "kp.boxes":
                self._cards, self._reader = {}, ""
                self.notices.clear()
            case "kp.round_end":
                if self.in_play:
                    self._update_deck(self.in_play, rounds=self._deck(self.in_play).rounds + 1)
            case "kp.stub":
                self._update_deck(self.in_play, stub=act.count, rounds=0)
            case "ft.deck_opened":
                self.decks[act.deck] = DeckActivity(opened_ms=self.at_ms)
            case "ft.deck_returned":
                self.decks.pop(act.deck, None)
            case "ft.inspect":
                self.inspections[act.device] = (act.ok, self.at_ms, logged.person)
            case "ft.table_open" | "ft.table_close":
                self.is_open = act.act == "ft.table_open"
            case _:
                pass

    def _deck(self, name: str) -> DeckActivity:
        return self.decks.get(name, DeckActivity())

    def _update_deck(
        self, name: str, *, shuffled: int | None = None, stub: int | None = None, rounds: int = -1
    ) -> None:
        deck = self._deck(name)
        self.decks[name] = replace(
            deck,
            shuffled=deck.shuffled if shuffled is None else shuffled,
            stub=deck.stub if stub is None else stub,
            rounds=deck.rounds if rounds < 0 else rounds,
        )
