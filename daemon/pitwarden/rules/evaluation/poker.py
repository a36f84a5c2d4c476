"""Evaluation of poker hands: the rank of 2, 3 or 5 cards, and of the best five of 6 or 7.

A game's profile states the number of cards and the lines of its pay tables; no game is known here. The order of three
cards is that of three-card games, in which a straight is rarer than a flush.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from pitwarden.rules.profile.ranked_rows import CATEGORIES, FIVE, ORDER, ROYALS
from pitwarden_client.events.card_faces import RANKS

_ACE: Final = len(ORDER) - 1
_VALUES: Final = tuple(ORDER.index(rank) for rank in RANKS)
_KINDS: Final[dict[tuple[int, ...], str]] = {
    (4, 1): "four_of_a_kind", (3, 2): "full_house", (3, 1, 1): "three_of_a_kind", (3,): "three_of_a_kind",
    (2, 2, 1): "two_pair", (2, 1, 1, 1): "pair", (2, 1): "pair", (2,): "pair",
}  # fmt: skip


class PokerRank(NamedTuple):
    """Rank of a hand; of two hands with the same number of cards the greater is the better."""

    category: int
    """Index of `CATEGORIES`."""
    values: tuple[int, ...]
    """Indices of `ORDER` in the order in which they decide between hands of one category."""
    size: int
    """Number of cards that count: 2, 3 or 5."""

    @property
    def line(self) -> str:
        """Name of the rank."""
        return CATEGORIES[self.size][self.category]

    @property
    def lines(self) -> tuple[str, ...]:
        """Names of the rank for a pay table, the most particular first: a royal flush is a straight flush too."""
        royal = self.line == "straight_flush" and self.values[0] == _ACE
        return (ROYALS[self.size], self.line) if royal else (self.line,)


@lru_cache(maxsize=16_384)
def poker_rank(cards: tuple[int, ...]) -> PokerRank:
    """Return the rank of `cards`, faces of one deck; their number is 2, 3, 5, 6 or 7."""
    if len(cards) <= FIVE:
        return _rank(cards)
    return max(_rank(five) for five in combinations(cards, FIVE))


def category_of(size: int, line: str) -> int:
    """Return the index of a rank's name among those of hands of `size` cards; of 6 and 7 cards five count."""
    return CATEGORIES[min(size, FIVE)].index(line)


def _rank(cards: Sequence[int]) -> PokerRank:
    """Return the rank of 2, 3 or 5 cards."""
    size, values = len(cards), Counter(_VALUES[card % 13] for card in cards)
    # Cards that occur more often decide first: in a full house the three, then the two.
    ordered = sorted(values, key=lambda value: (values[value], value), reverse=True)
    kind = _KINDS.get(tuple(values[value] for value in ordered), "high_card")
    top = _straight(ordered) if size > 2 and len(ordered) == size else None  # noqa: PLR2004  two cards make no straight
    suited = size > 2 and len({card // 13 for card in cards}) == 1  # noqa: PLR2004  nor a flush
    if top is not None:
        line = "straight_flush" if suited else "straight"
        return PokerRank(category_of(size, line), (top,), size)
    return PokerRank(category_of(size, "flush" if suited else kind), tuple(ordered), size)


def _straight(ordered: Sequence[int]) -> int | None:
    """Return the highest card of a straight of different values, the highest first; None for no straight.

    An ace may be the lowest card, and then the next highest one decides.
    """
    if ordered[0] - ordered[-1] == len(ordered) - 1:
        return ordered[0]
    low = list(range(len(ordered) - 2, -1, -1))
    return ordered[1] if list(ordered) == [_ACE, *low] else None
