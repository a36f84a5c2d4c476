"""Evaluation of 3 Card Blitz: comparison of hands, and lines of the Blind, Flush Bonus and Progressive (13:69F-51)."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from pitwarden_client.events.card_faces import RANKS, SUITS

_POINTS: Final = (11, *range(2, 11), 10, 10, 10)
_TEN: Final = RANKS.index("10")
_ROYAL: Final = frozenset({RANKS.index("A"), RANKS.index("K"), RANKS.index("Q")})
_ROYAL_FLUSH: Final = _ROYAL | {RANKS.index("J"), _TEN}
_BLITZ: Final = 31
_SUIT_NAMES: Final = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
_FLUSHES: Final = {4: "four_suited_cards", 5: "five_suited_cards", 6: "six_suited_cards", 7: "seven_suited_cards"}


@lru_cache(maxsize=16_384)
def suit_total(cards: tuple[int, ...]) -> int:
    """Return the best points of at most three cards of one suit: 2 to 31 (51.5)."""
    return max(_best(suit) for suit in _suits(cards))


@lru_cache(maxsize=16_384)
def blind_line(cards: tuple[int, ...]) -> str:
    """Return the highest line of the Blind's tables that `cards` make (51.11(c))."""
    suits = _suits(cards)
    blitzes = sum(_best(suit) == _BLITZ for suit in suits)
    if blitzes > 1:
        return "double_blitz"
    if any(set(suit) >= _ROYAL for suit in suits):
        return "royal_blitz"
    points = max(_best(suit) for suit in suits)
    if points == _BLITZ:
        return "blitz"
    return f"total_of_{points}" if points > 26 else "total_of_26_or_less"  # noqa: PLR2004  the table's last line


@lru_cache(maxsize=16_384)
def flush_line(cards: tuple[int, ...]) -> str:
    """Return the line of the Flush Bonus, empty with fewer than four cards of one suit (51.11(d))."""
    return _FLUSHES.get(max(len(suit) for suit in _suits(cards)), "")


@lru_cache(maxsize=16_384)
def progressive_lines(cards: tuple[int, ...]) -> tuple[str, ...]:
    """Return the lines that the Progressive pays.

    It pays the highest line, or with a Double Blitz every Royal Blitz too (51.11(e)2).

    A royal flush of five cards ranks above a Double Blitz, as in the table.
    """
    suits = dict(zip(SUITS, _suits(cards), strict=True))
    if any(set(suit) >= _ROYAL_FLUSH for suit in suits.values()):
        return ("five_card_royal_flush",)
    royals = tuple(f"royal_blitz_{_SUIT_NAMES[name]}" for name in "SHDC" if set(suits[name]) >= _ROYAL)
    if sum(_best(suit) == _BLITZ for suit in suits.values()) > 1:
        return ("double_blitz", *royals)
    if royals:
        return royals
    points = max(_best(suit) for suit in suits.values())
    return {_BLITZ: ("blitz",), 30: ("total_of_30",)}.get(points, ())


def _suits(cards: Iterable[int]) -> tuple[list[int], ...]:
    """Return the ranks (0 an ace) of each suit, in the order of `SUITS`."""
    made: tuple[list[int], ...] = ([], [], [], [])
    for card in cards:
        made[card // 13].append(card % 13)
    return made


def _best(ranks: list[int]) -> int:
    return sum(sorted((_POINTS[rank] for rank in ranks), reverse=True)[:3])
