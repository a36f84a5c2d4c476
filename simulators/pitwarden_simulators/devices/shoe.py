"""Physics of a dealing shoe: a stack of cards, a cutting card, a reading head that may err.

What the shoe reads goes to its event sink; the methods and `dealt` return the truth.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pitwarden_client.events.card_faces import is_ten
from pitwarden_client.events.device import ShoeCut, ShoeEmpty, ShoeFault, ShoeLoaded, ShoeUnloaded
from pitwarden_drivers.api import PlainCard, PlainStack, Secret
from pitwarden_simulators.cards import Card, turned
from pitwarden_simulators.devices.memory import EventSink


@dataclass(frozen=True, slots=True)
class Drawn:
    """Card in the dealer's hand; `ten_lamp`: the shoe's own lamp shows that it read a 10."""

    card: Card
    ten_lamp: bool


@dataclass(frozen=True, slots=True)
class Dealt:
    """Truth about one event of the shoe: its counter, and the cards that left with it."""

    counter: int
    cards: tuple[Card, ...]


class SimulatedShoe:
    """Shoe that reads cards as they are drawn, or, automated, dispenses stacks.

    Faults are armed for the next use and happen once: `misread`, `stuck_pair`, `reads_twice`, `jam_next`, `short_by`.
    """

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self.cards: list[Card] = []
        self.dealt: list[Dealt] = []
        self.cut_after: int | None = None
        self.misread: int | None = None
        self.stuck_pair = False
        self.reads_twice = False
        self.jam_next = False
        self.short_by = 0

    def load(self, deck: str, cards: Iterable[Card], *, cut_after: int | None = None) -> None:
        """Load cards, the first to be drawn first; the cutting card lies after `cut_after` of them."""
        self.cards = list(cards)
        self.cut_after = cut_after
        self._sink.emit(ShoeLoaded(deck=deck, count=len(self.cards)))

    def draw(self) -> tuple[Drawn, ...]:
        """Draw the next card; none when the shoe is empty, two when they stuck together (only the first is read)."""
        if self.cut_after == 0:
            self._sink.emit(ShoeCut())
            self.cut_after = None
        if not self.cards:
            self._sink.emit(ShoeEmpty())
            return ()
        took = [self._take() for _ in range(2 if self.stuck_pair and len(self.cards) > 1 else 1)]
        self.stuck_pair = False
        first = turned(took[0], up=False)
        read = first.face if self.misread is None else self.misread
        self.misread = None
        for _ in range(2 if self.reads_twice else 1):
            counter = self._sink.emit(PlainCard(Secret(read), up=took[0].turned))
        self.reads_twice = False
        self.dealt.append(Dealt(counter, tuple(took)))
        return (Drawn(took[0], is_ten(read)), *(Drawn(card, ten_lamp=False) for card in took[1:]))

    def dispense(self, count: int) -> tuple[Card, ...]:
        """Dispense a stack of `count`; fewer by `short_by`; none when it jams."""
        if self.jam_next:
            self.jam()
            return ()
        took = tuple(self._take() for _ in range(min(count - self.short_by, len(self.cards))))
        self.short_by = 0
        counter = self._sink.emit(PlainStack(len(took), tuple(Secret(card.face) for card in took)))
        self.dealt.append(Dealt(counter, took))
        return took

    def jam(self) -> None:
        """Jam the shoe."""
        self.jam_next = False
        self._sink.latch(ShoeFault(fault="jam"))

    def unload(self) -> tuple[Card, ...]:
        """Return all cards left, counted by the shoe."""
        out = self.lift()
        self._sink.clear()
        self._sink.emit(ShoeUnloaded(count=len(out)))
        return out

    def lift(self) -> tuple[Card, ...]:
        """Lift out all cards left by hand; a manual shoe does not notice."""
        out, self.cards, self.cut_after = tuple(self.cards), [], None
        return out

    def insert(self, place: int, card: Card) -> None:
        """Insert a foreign card after `place` others."""
        self.cards.insert(place, card)

    def turn(self, place: int) -> None:
        """Turn the card after `place` others face up."""
        self.cards[place] = turned(self.cards[place])

    def stack(self, place: int, wanted: Callable[[Card], bool]) -> None:
        """Swap the card after `place` others for the next one that is `wanted`.

        Raises:
            LookupError: There is none.
        """
        for found in range(place, len(self.cards)):
            if wanted(self.cards[found]):
                self.cards[place], self.cards[found] = self.cards[found], self.cards[place]
                return
        raise LookupError("no such card is left in the shoe: stack it earlier in the shoe")

    def _take(self) -> Card:
        if self.cut_after is not None:
            self.cut_after -= 1
        return self.cards.pop(0)
