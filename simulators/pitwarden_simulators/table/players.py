"""Seeded players. They decide on cards that lie face up before everyone, and on chance; never on a card face down."""

import random
from collections.abc import Sequence
from typing import Literal

from pitwarden_simulators.cards import Card, total, value
from pitwarden_simulators.table.layout import SimulatedHand
from pitwarden_simulators.table.setup import SimulatedTableSetup

Decision = Literal["hit", "stand", "double", "split"]

_STIFF_AGAINST = 7  # a dealer's 7 or more makes a player draw to 17


class SimulatedPlayers:
    """People at the boxes of one table."""

    def __init__(self, setup: SimulatedTableSetup, seed: str) -> None:
        self._setup = setup
        self._chance = random.Random(f"{seed}/players")

    def boxes(self) -> tuple[int, ...]:
        """Return the boxes played this round, from the dealer's left."""
        count = self._chance.randint(self._setup.least_boxes, self._setup.most_boxes)
        return tuple(sorted(self._chance.sample(range(1, self._setup.positions + 1), count)))

    def decide(self, hand: SimulatedHand, up: Card, hands: int, most_hands: int) -> Decision:
        """Return a blackjack player's decision on an open hand of fewer than 21 points."""
        if hand.split_from == "A":
            return "stand"  # 19:47-36.9(e): one card to a split ace
        points = total(hand.cards)
        pair = len(hand.cards) == 2 and value(hand.cards[0]) == value(hand.cards[1])  # noqa: PLR2004  a pair is two
        if pair and hands < most_hands and value(hand.cards[0]) in {2, 3, 7, 8, 9, 11}:
            return "split"
        if not points.soft and points.points in {10, 11} and self._chance.random() < 0.8:  # noqa: PLR2004  mostly
            return "double"
        stand_at = 18 if points.soft else 17 if value(up) >= _STIFF_AGAINST else 13
        return "stand" if points.points >= stand_at else "hit"

    def switches(self, hand: SimulatedHand) -> bool:
        """Return whether a Switch Hands player gives up the open pair for the unseen one."""
        return 12 <= total(hand.cards).points <= 17  # noqa: PLR2004  the totals that lose most often

    def plays(self) -> bool:
        """Return whether a 3 Card Blitz player stays in. Chance decides: only that player knows the seven."""
        return self._chance.random() < 0.7  # noqa: PLR2004  about as many as do

    def curious(self) -> bool:
        """Return whether a player asks to see the burn card (19:47-36.7(c))."""
        return self._chance.random() < 0.1  # noqa: PLR2004  rarely

    def takes_cut(self, offered: Sequence[int]) -> int | None:
        """Return the first box offered the cut whose player accepts; None when no player does."""
        return next((box for box in offered if self._chance.random() < 0.7), None)  # noqa: PLR2004  mostly

    def place_cut(self, shallowest: int, deepest: int) -> int:
        """Return the number of cards before the cutting card."""
        return self._chance.randint(shallowest, deepest)
