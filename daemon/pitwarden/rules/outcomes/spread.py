"""The in-between wager: the spread of a player's two cards around the dealer's first (19:47-2.26(b), (g))."""

from typing import Final

from pitwarden_client.events.card_faces import rank_of

_ORDER: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_NAMES: Final = {1: "one_card_spread", 2: "two_card_spread", 3: "three_card_spread"}


def in_between(one: int, other: int, dealers: int) -> str:
    """The line that three faces make; empty where the dealer's rank is not strictly between (an ace is never low)."""
    low, high = sorted(_ORDER.index(rank_of(card)) for card in (one, other))
    middle = _ORDER.index(rank_of(dealers))
    if low == middle == high:
        return "triple_match"
    return _NAMES.get(high - low - 1, "all_other_spreads") if low < middle < high else ""
