"""Seeded shuffles. Each starts from the sorted pack, so that the previous order has no influence."""

import random
from collections.abc import Callable, Sequence

from pitwarden_simulators.cards import Card

Arrange = Callable[[str, int, list[Card]], list[Card]]
"""Final change of a shuffle's order: deck, its cycle from 1, the shuffled cards in; the same cards out."""


class SeededOrder:
    """Order of every shuffle at one table, the same for the same seed; `arrange` may reorder for a test."""

    def __init__(self, seed: str, arrange: Arrange | None = None) -> None:
        self._seed = seed
        self._arrange = arrange
        self._cycles: dict[str, int] = {}

    def __call__(self, deck: str, cards: Sequence[Card]) -> list[Card]:
        """Return `cards` in the order of the next cycle of `deck`."""
        cycle = self._cycles[deck] = self._cycles.get(deck, 0) + 1
        mixed = sorted(cards, key=lambda card: (card.face, card.serial))
        random.Random(f"{self._seed}/{deck}/{cycle}").shuffle(mixed)
        return mixed if self._arrange is None else self._arrange(deck, cycle, mixed)
