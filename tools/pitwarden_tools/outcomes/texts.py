"""Pay tables and hands of the texts, each with its cite, written for the comparison alone.

A card is a name such as `QH` or `10S`. Odds are written as in the texts.
"""

from collections.abc import Sequence
from typing import Final

EVEN: Final = "1 to 1"

# 13:69F-36.6(d)
SUITED_ROYALS: Final = {
    "A": {"king_queen_suited": "40 to 1", "two_suited_face_cards": "10 to 1", "two_card_flush": "2 to 1"},
    "B": {"king_queen_suited": "30 to 1", "two_suited_face_cards": "12 to 1", "two_card_flush": "2 to 1"},
}
# 13:69F-36.6(e)
TRIPLE_MATCH: Final = {
    "A": {
        "three_of_a_kind_suited": "150 to 1", "three_of_a_kind_unsuited": "20 to 1", "pair_suited": "4 to 1",
        "pair_unsuited": "2 to 1",
    },
    "B": {
        "three_of_a_kind_suited": "50 to 1", "three_of_a_kind_unsuited": "8 to 1", "pair_suited": "6 to 1",
        "pair_unsuited": "2 to 1",
    },
}  # fmt: skip
# 19:47-2.26(f): triple match, then spreads of one card, two, three, and all others
_SPREADS: Final = {
    "A": ("30 to 1", "12 to 1", "6 to 1", "4 to 1", EVEN),
    "B": ("30 to 1", "10 to 1", "6 to 1", "4 to 1", EVEN),
    "C": ("30 to 1", "10 to 1", "5 to 1", "3 to 1", EVEN),
    "D": ("40 to 1", "10 to 1", "5 to 1", "3 to 1", EVEN),
}
# 13:69F-51.11(c): totals of 30 to 27 after the three Blitzes; 26 or less is a push in each
BLIND: Final = {
    "1": ("50 to 1", "10 to 1", "4 to 1", "3 to 1", EVEN, "push", "push"),
    "2": ("50 to 1", "10 to 1", "4 to 1", EVEN, EVEN, EVEN, EVEN),
    "3": ("50 to 1", "8 to 1", "4 to 1", EVEN, EVEN, EVEN, EVEN),
}
# 13:69F-51.11(d): by the number of suited cards
FLUSH_BONUS: Final = {
    "1": {7: "200 to 1", 6: "50 to 1", 5: "8 to 1", 4: "2 to 1"},
    "2": {7: "500 to 1", 6: "100 to 1", 5: "10 to 1", 4: "1 to 1"},
}
# 13:69F-51.11(e): the meters of the Royal Blitzes
_METERS: Final = {"S": "Jackpot Meter 2", "H": "Jackpot Meter 3", "D": "Jackpot Meter 4", "C": "Jackpot Meter 5"}


def rank(card: str) -> str:
    """Return the rank of a card."""
    return card[:-1]


def suit(card: str) -> str:
    """Return the suit of a card."""
    return card[-1]


def value(card: str) -> int:
    """Return the points of a card, an ace as 11 (13:69F-36.2(b), 2B.2(b), 51.5(b))."""
    name = rank(card)
    return 11 if name == "A" else 10 if name in {"K", "Q", "J"} else int(name)


def points(cards: Sequence[str]) -> tuple[int, bool]:
    """Return the points of a blackjack hand, and whether an ace counts 11 (36.2(b))."""
    low = sum(1 if rank(card) == "A" else value(card) for card in cards)
    soft = low <= 11 and any(rank(card) == "A" for card in cards)  # noqa: PLR2004  an ace may count ten more
    return (low + 10 if soft else low), soft


def natural(cards: Sequence[str]) -> bool:
    """Return whether two cards are a blackjack (36.1)."""
    return len(cards) == 2 and points(cards)[0] == 21  # noqa: PLR2004  an ace and ten points


def suited_royals(one: str, other: str, table: str) -> str:
    """Return what the suited royals wager pays, empty for a loss (36.6(a)1, (d))."""
    if suit(one) != suit(other):
        return ""
    names = {rank(one), rank(other)}
    line = "king_queen_suited" if names == {"K", "Q"} else "two_card_flush"
    if line == "two_card_flush" and names <= {"K", "Q", "J"}:
        line = "two_suited_face_cards"
    return SUITED_ROYALS[table][line]


def triple_match(cards: Sequence[str], table: str) -> str:
    """Return what the triple match wager pays, empty for a loss (36.6(a)2, (e))."""
    ranks, whole = [rank(card) for card in cards], len(set(cards))
    if len(set(ranks)) == len(ranks):
        return ""
    pays = TRIPLE_MATCH[table]
    if len(set(ranks)) == 1:
        return pays["three_of_a_kind_suited" if whole == 1 else "three_of_a_kind_unsuited"]
    return pays["pair_suited" if whole < len(cards) else "pair_unsuited"]


def in_between(one: str, other: str, dealers: str, table: str) -> str:
    """Return what the in-between wager pays, empty for a loss (2.26(b), (f), (g))."""
    order = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    low, high = sorted((order.index(rank(one)), order.index(rank(other))))
    middle = order.index(rank(dealers))
    if low == high == middle:
        return _SPREADS[table][0]
    between = high - low - 1
    return _SPREADS[table][min(between, 4)] if low < middle < high else ""


def best_of_suits(cards: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return each suit of a hand with its three cards of most points (51.5(a))."""
    kinds = [(name, sorted((card for card in cards if suit(card) == name), key=value)) for name in "SHDC"]
    return [(name, held[-3:]) for name, held in kinds if held]


def blitz_total(cards: Sequence[str]) -> int:
    """Return the points of a hand of 3 Card Blitz (51.5)."""
    return max(sum(map(value, held)) for _, held in best_of_suits(cards))


def _blitzes(cards: Sequence[str]) -> int:
    return sum(sum(map(value, held)) == 31 for _, held in best_of_suits(cards))  # noqa: PLR2004  51.5(c)3


def _royals(cards: Sequence[str]) -> list[str]:
    return [name for name in "SHDC" if {f"{high}{name}" for high in "AKQ"} <= set(cards)]


def blind(cards: Sequence[str], table: str) -> str:
    """Return what the Blind pays for a higher hand, or `push` (51.11(c))."""
    pays, total = BLIND[table], blitz_total(cards)
    if _blitzes(cards) > 1:
        return pays[0]
    if _royals(cards):
        return pays[1]
    if total < 27:  # noqa: PLR2004  "Total of 26 or Less"
        return "push"
    return pays[2 + 31 - total]


def flush_bonus(cards: Sequence[str], table: str) -> str:
    """Return what the Flush Bonus pays, empty for a loss (51.11(d))."""
    return FLUSH_BONUS[table].get(max(sum(suit(card) == name for card in cards) for name in "SHDC"), "")


def progressive(cards: Sequence[str]) -> str:
    """Return what the Progressive Jackpot pays, empty for a loss (51.11(e)2)."""
    held = set(cards)
    if any({f"{high}{name}" for high in ("A", "K", "Q", "J", "10")} <= held for name in "SHDC"):
        return "Jackpot Meter 1"
    meters = [_METERS[name] for name in _royals(cards)]
    if _blitzes(cards) > 1:
        return " and ".join(("$1,000", *meters))
    if meters:
        return meters[0]
    return {31: "$30", 30: "$20"}.get(blitz_total(cards), "")
