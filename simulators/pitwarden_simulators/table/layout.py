"""Places of cards outside devices: hands, dealer, discard rack, aside, destroyed, removed from the table."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pitwarden_simulators.cards import Card


@dataclass(slots=True)
class SimulatedHand:
    """Hand in front of a box; after a split a box has several."""

    cards: list[Card] = field(default_factory=list)
    split_from: str = ""
    doubled: bool = False


@dataclass(slots=True)
class Layout:
    """Layout, rack and the cards that left them. `shown`: serials of the cards that have lain face up before people."""

    boxes: dict[int, list[SimulatedHand]] = field(default_factory=dict)
    dealer: list[Card] = field(default_factory=list)
    rack: list[Card] = field(default_factory=list)
    aside: list[Card] = field(default_factory=list)
    destroyed: list[Card] = field(default_factory=list)
    removed: list[Card] = field(default_factory=list)
    shown: set[int] = field(default_factory=set)

    def show(self, cards: Iterable[Card]) -> None:
        """Turn these cards face up."""
        self.shown.update(card.serial for card in cards)

    def clear(self, boxes: Iterable[int]) -> None:
        """Begin a new round with one empty hand in each of `boxes`."""
        self.boxes = {box: [SimulatedHand()] for box in boxes}

    def in_play(self) -> list[Card]:
        """Return all cards of the round, player by player, the dealer's last."""
        return [card for hands in self.boxes.values() for hand in hands for card in hand.cards] + self.dealer

    def collect(self) -> None:
        """Move all cards of the round to the discard rack."""
        self.rack += self.in_play()
        self.boxes, self.dealer = {}, []

    def everywhere(self) -> list[Card]:
        """Return every card that is in no device."""
        return [*self.in_play(), *self.rack, *self.aside, *self.destroyed, *self.removed]
