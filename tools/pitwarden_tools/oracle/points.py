"""Point totals of the blackjack family: 36.1, 36.2(b), 36.11(b), 26.12(b), 2B.2(b)."""

from typing import Final

from pitwarden_tools.oracle.said import TextSilentError

GAME: Final = 21
HARD_STAND: Final = 17
PAIR: Final = 2
LONG_HAND: Final = 6
MISREAD: Final = "??"
"""Card that the floorperson inspected: not the 10 that the shoe read (36.14(b), 26.15(b))."""


def rank(card: str) -> str:
    """Return the rank of `9H`."""
    if card == MISREAD:
        raise TextSilentError
    return card[:-1]


def value(card: str) -> int:
    """Return the value: an ace counts one here, a king, queen or jack 10.

    Raises:
        TextSilentError: The shoe misread the card, and no key names it.
    """
    if card == MISREAD:
        raise TextSilentError
    return 1 if rank(card) == "A" else 10 if rank(card) in {"J", "Q", "K", "10"} else int(rank(card))


def total(cards: list[str]) -> tuple[int, bool]:
    """Return the total and whether it is soft: an ace is 11 unless that exceeds 21."""
    hard = sum(map(value, cards))
    soft = any(rank(card) == "A" for card in cards) and hard + 10 <= GAME
    return (hard + 10, True) if soft else (hard, False)


def blackjack(cards: list[str]) -> bool:
    """Return whether the initial two cards are an ace and a card of 10."""
    return len(cards) == PAIR and total(cards) == (GAME, True)


def dealer_draws(cards: list[str], soft_stand: int) -> bool:
    """Return whether the dealer draws: to hard 17 or soft 18 (36.11(b)), to 17 (26.12(b), 1.10D(b)3.iii).

    `soft_stand`: least soft total to stand on.
    """
    points, soft = total(cards)
    return points < (soft_stand if soft else HARD_STAND)
