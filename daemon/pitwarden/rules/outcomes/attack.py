"""A player's hand against the dealer's in the blackjack family; the profile's row says what wins by itself."""

from functools import lru_cache
from typing import Final, Literal, NamedTuple

from pitwarden_client.events.card_faces import suit_of

from pitwarden.rules.cards import is_blackjack, total_of
from pitwarden.rules.profile.profile import Rule

Result = Literal["win", "lose", "push", "returned", "half", "void"]
_LIMIT: Final = 21
_RED: Final = frozenset("DH")


class Compared(NamedTuple):
    """What became of a hand, and by what."""

    result: Result
    line: str


@lru_cache(maxsize=16_384)
def alone(rule: Rule, hand: tuple[int, ...], *, split: bool, done: bool) -> Compared | None:
    """What a hand makes whatever the dealer has; None when the dealer's hand decides, or more cards may come.

    `split`: it was made by a split, so that two cards are no blackjack (36.1); `done`: it gets no more cards.
    """
    points = _points(hand)
    if points > _LIMIT:
        return Compared("lose", "bust")
    if rule.param("twenty_one_wins", default=False) and points == _LIMIT:
        natural = len(hand) == 2 and not split  # noqa: PLR2004  the initial two cards
        return Compared("win", "blackjack" if natural else "twenty_one")
    long = rule.number("long_hand")
    return Compared("win", "long_hand") if long and done and len(hand) >= long else None


@lru_cache(maxsize=16_384)
def against(rule: Rule, hand: tuple[int, ...], dealer: tuple[int, ...], *, split: bool) -> Compared | None:
    """What a hand of 21 or less makes against the dealer's whole hand; None where the text is silent."""
    mine, theirs, push = _points(hand), _points(dealer), rule.number("dealer_push")
    if push and theirs == push:
        return Compared("push", f"dealer_{push}")
    if rule.param("naturals", default=False):
        made = _naturals(hand, dealer, split=split)
        if made is not None:
            return made if made.line else None
    if theirs > _LIMIT:
        return Compared("win", "dealer_bust")
    if mine == theirs:
        return Compared("push", "equal")
    return Compared("win", "higher") if mine > theirs else Compared("lose", "lower")


def blackjack_kind(hand: tuple[int, ...]) -> str:
    """The line of a Switch Hands blackjack: of one suit or one colour, or any other (2B.5(f))."""
    one_colour = len({suit_of(card) in _RED for card in hand}) == 1
    return "suited_or_colored_blackjack" if one_colour else "blackjack"


def _naturals(hand: tuple[int, ...], dealer: tuple[int, ...], *, split: bool) -> Compared | None:
    """Blackjacks in 2B.5; an empty line where the text does not say what becomes of the hand."""
    mine, theirs = is_blackjack(hand) and not split, is_blackjack(dealer)
    if mine and theirs:
        return Compared("push", "both_blackjacks")
    if theirs and _points(hand) == _LIMIT and len(hand) > 2:  # noqa: PLR2004  more than two cards
        return Compared("lose", "dealer_blackjack")
    if mine and _points(dealer) == _LIMIT:
        return Compared("push", "")
    return Compared("win", blackjack_kind(hand)) if mine else None


def _points(hand: tuple[int, ...]) -> int:
    total = total_of(hand)
    return total.points if total is not None else 0
