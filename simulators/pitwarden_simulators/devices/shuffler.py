"""Physics of a card shuffler: cards go in, come out in the order that `order` makes, and may be counted."""

from collections.abc import Callable, Iterable, Sequence

from pitwarden_client.events.device import ShufflerDone, ShufflerFault, ShufflerStarted
from pitwarden_simulators.cards import Card, turned
from pitwarden_simulators.devices.memory import EventSink

Order = Callable[[str, Sequence[Card]], list[Card]]
"""Order in which a cycle leaves a deck: the deck and its cards in, the same cards out."""


class Shuffler:
    """Batch shuffler for one deck or set at a time; `counts`: it counts after each cycle.

    Faults are armed for the next cycle and happen once: `jam_next`; `drop_next`, a card falls out unnoticed.
    """

    def __init__(self, sink: EventSink, order: Order, *, counts: bool) -> None:
        self._sink = sink
        self._order = order
        self.counts = counts
        self.cards: list[Card] = []
        self.deck = ""
        self.display: int | None = None
        self.jam_next = False
        self.drop_next = False
        self.fallen: list[Card] = []

    def start(self, deck: str, cards: Iterable[Card]) -> None:
        """Insert cards and begin a cycle."""
        self.cards, self.deck, self.display = list(cards), deck, None
        self._sink.emit(ShufflerStarted(deck=deck))

    def finish(self) -> bool:
        """End the cycle; return True when it completed, False when the device jammed."""
        if self.jam_next:
            self.jam_next = False
            self._sink.latch(ShufflerFault(deck=self.deck, fault="jam", holding=len(self.cards)))
            return False
        self.cards = self._order(self.deck, [turned(card, up=False) for card in self.cards])
        if self.drop_next:
            self.drop_next = False
            self.fallen.append(self.cards.pop())
        self.display = len(self.cards) if self.counts else None
        self._sink.emit(ShufflerDone(deck=self.deck, count=self.display))
        return True

    def restart(self) -> None:
        """Clear the jam and shuffle the same cards again."""
        self._sink.clear()
        self._sink.emit(ShufflerStarted(deck=self.deck))

    def take(self) -> list[Card]:
        """Take out all cards."""
        out, self.cards = self.cards, []
        return out

    def find(self) -> list[Card]:
        """Return the cards found below the device."""
        out, self.fallen = self.fallen, []
        return out

    def by_hand(self, deck: str, cards: Iterable[Card]) -> list[Card]:
        """Return the order of a person's shuffle; the device has no part in it."""
        return self._order(deck, [turned(card, up=False) for card in cards])
