"""The physics of a card shuffler: cards go in, come out in the order that `order` makes, and may be counted."""

from collections.abc import Callable, Iterable, Sequence

from pitwarden_client.events.device import ShufflerDone, ShufflerFault, ShufflerStarted
from pitwarden_simulators.cards import Card, turned
from pitwarden_simulators.devices.memory import Voice

Order = Callable[[str, Sequence[Card]], list[Card]]
"""The order in which a cycle leaves a deck: the deck and its cards in, the same cards out."""


class Shuffler:
    """A batch shuffler for one deck or set at a time; `counts`: it counts after each cycle.

    Faults are armed for the next cycle and then spent: `jam_next`; `drop_next`, a card falls out unnoticed.
    """

    def __init__(self, voice: Voice, order: Order, *, counts: bool) -> None:
        self._voice = voice
        self._order = order
        self.counts = counts
        self.cards: list[Card] = []
        self.deck = ""
        self.display: int | None = None
        self.jam_next = False
        self.drop_next = False
        self.fallen: list[Card] = []

    def start(self, deck: str, cards: Iterable[Card]) -> None:
        """Cards go in and a cycle begins."""
        self.cards, self.deck, self.display = list(cards), deck, None
        self._voice.say(ShufflerStarted(deck=deck))

    def finish(self) -> bool:
        """The cycle ends: True when it completed, False when the device jammed."""
        if self.jam_next:
            self.jam_next = False
            self._voice.latch(ShufflerFault(deck=self.deck, fault="jam", holding=len(self.cards)))
            return False
        self.cards = self._order(self.deck, [turned(card, up=False) for card in self.cards])
        if self.drop_next:
            self.drop_next = False
            self.fallen.append(self.cards.pop())
        self.display = len(self.cards) if self.counts else None
        self._voice.say(ShufflerDone(deck=self.deck, count=self.display))
        return True

    def restart(self) -> None:
        """The jam is cleared and the same cards are shuffled again."""
        self._voice.clear()
        self._voice.say(ShufflerStarted(deck=self.deck))

    def take(self) -> list[Card]:
        """What is inside comes out."""
        out, self.cards = self.cards, []
        return out

    def find(self) -> list[Card]:
        """What fell out is found below the device."""
        out, self.fallen = self.fallen, []
        return out

    def by_hand(self, deck: str, cards: Iterable[Card]) -> list[Card]:
        """The order that a person's shuffle makes; the device has no part in it."""
        return self._order(deck, [turned(card, up=False) for card in cards])
