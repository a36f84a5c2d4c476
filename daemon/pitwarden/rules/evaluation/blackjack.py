"""Evaluation of blackjack hands: points, results against the dealer, and lines of the optional wagers.

- Points (19:47-36.2(b)): ace 11 or 1; J, Q and K 10. An unread card has none.
- Results: the profile's rule states which hands win regardless of the dealer.
- Bonus lines of triple attack blackjack: suited royals on two cards, triple match on three (13:69F-36.6).
- In-between: the spread of a player's two cards around the dealer's first (19:47-2.26(b), (g)).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from pitwarden.rules.profile.profile import ClauseRule
from pitwarden_client.events.card_faces import JOKER, rank_of, suit_of

_ACE: Final = 11
_LIMIT: Final = 21
_TENS: Final = frozenset({"10", "J", "Q", "K"})


def _value(rank: str) -> int:
    return _ACE if rank == "A" else 10 if rank in _TENS else int(rank)


_VALUES: Final = tuple(_value(rank_of(face)) for face in range(JOKER))


class HandTotal(NamedTuple):
    """Points of a hand."""

    points: int
    soft: bool
    """True when an ace in it counts 11."""


def face_value(face: int) -> int | None:
    """Return the points of a face, an ace as 11; None for a joker or an unread card."""
    return _VALUES[face] if 0 <= face < JOKER else None


@lru_cache(maxsize=4096)
def hand_total(faces: tuple[int, ...]) -> HandTotal | None:
    """Return the best total of `faces`, None when one of them has no points."""
    values = [face_value(face) for face in faces]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    points, aces = sum(known), known.count(_ACE)
    # 36.2(b): an ace counts 11 unless that would make the hand exceed 21; then it counts 1.
    while points > _LIMIT and aces:
        points, aces = points - 10, aces - 1
    return HandTotal(points, aces > 0)


def is_blackjack(faces: Sequence[int]) -> bool:
    """Return whether two faces are an ace and a card of ten points (19:47-36.1)."""
    values = sorted(face_value(face) or 0 for face in faces)
    return values == [10, _ACE]


def player_may_draw(total: HandTotal | None) -> bool:
    """Return whether a player may draw: the total is below 21 or unknown (19:47-36.11(a))."""
    return total is None or total.points < _LIMIT


Result = Literal["win", "lose", "push", "returned", "half", "void"]
_RED: Final = frozenset("DH")


AGAINST_21: Final = "blackjack_against_21"
"""Line of a player's blackjack against the dealer's 21 in more than two cards."""


class HandResult(NamedTuple):
    """Result of a hand, and the line of the pay table or the event that decides it."""

    result: Result
    line: str


@lru_cache(maxsize=16_384)
def result_alone(rule: ClauseRule, hand: tuple[int, ...], *, split: bool, done: bool) -> HandResult | None:
    """Return the result of a hand regardless of the dealer's.

    None when the dealer's hand decides, or more cards may come.

    Args:
        rule: Rule of the game's attack wager.
        hand: Faces of the hand.
        split: Whether a split made the hand, so that two cards are not a blackjack (36.1).
        done: Whether it gets no more cards.
    """
    points = _points(hand)
    if points > _LIMIT:
        return HandResult("lose", "bust")
    if rule.param("twenty_one_wins", default=False) and points == _LIMIT:
        natural = len(hand) == 2 and not split  # noqa: PLR2004  the initial two cards
        return HandResult("win", "blackjack" if natural else "twenty_one")
    long = rule.number("long_hand")
    return HandResult("win", "long_hand") if long and done and len(hand) >= long else None


@lru_cache(maxsize=16_384)
def result_against(rule: ClauseRule, hand: tuple[int, ...], dealer: tuple[int, ...], *, split: bool) -> HandResult:
    """Return the result of a hand of 21 or less against the dealer's complete hand."""
    mine, theirs, push = _points(hand), _points(dealer), rule.number("dealer_push")
    if push and theirs == push:
        return HandResult("push", f"dealer_{push}")
    if rule.param("naturals", default=False):
        made = _naturals(hand, dealer, split=split)
        if made is not None:
            return made
    if theirs > _LIMIT:
        return HandResult("win", "dealer_bust")
    if mine == theirs:
        return HandResult("push", "equal")
    return HandResult("win", "higher") if mine > theirs else HandResult("lose", "lower")


def blackjack_kind(hand: tuple[int, ...]) -> str:
    """Return the line of a Switch Hands blackjack: of one suit or one color, or any other (2B.5(f))."""
    one_colour = len({suit_of(card) in _RED for card in hand}) == 1
    return "suited_or_colored_blackjack" if one_colour else "blackjack"


def _naturals(hand: tuple[int, ...], dealer: tuple[int, ...], *, split: bool) -> HandResult | None:
    """Return the result of blackjacks in 2B.5; None where points decide."""
    mine, theirs = is_blackjack(hand) and not split, is_blackjack(dealer)
    if mine and theirs:
        return HandResult("push", "both_blackjacks")
    if theirs and _points(hand) == _LIMIT and len(hand) > 2:  # noqa: PLR2004  more than two cards
        return HandResult("lose", "dealer_blackjack")
    # 2B.5(b): equal point counts are a push; the exception is about the dealer's blackjack alone (C-58).
    if mine and _points(dealer) == _LIMIT:
        return HandResult("push", AGAINST_21)
    return HandResult("win", blackjack_kind(hand)) if mine else None


def _points(hand: tuple[int, ...]) -> int:
    total = hand_total(hand)
    return total.points if total is not None else 0


_PICTURES: Final = frozenset({"K", "Q", "J"})


def suited_royals_line(one: int, other: int) -> str:
    """Return the highest line of 36.6(a)1 that two faces make, empty for none."""
    if not suit_of(one) or suit_of(one) != suit_of(other):
        return ""
    ranks = {rank_of(one), rank_of(other)}
    if ranks == {"K", "Q"}:
        return "king_queen_suited"
    return "two_suited_face_cards" if ranks <= _PICTURES else "two_card_flush"


def triple_match_line(one: int, other: int, dealers: int) -> str:
    """Return the highest line of 36.6(a)2 that a player's two faces and the dealer's first make, empty for none."""
    cards = (one, other, dealers)
    ranks = [rank_of(card) for card in cards]
    if len(set(ranks)) == 1:
        return "three_of_a_kind_suited" if len(set(cards)) == 1 else "three_of_a_kind_unsuited"
    if len(set(cards)) < len(cards):
        return "pair_suited"
    return "pair_unsuited" if len(set(ranks)) < len(ranks) else ""


_ORDER: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_NAMES: Final = {1: "one_card_spread", 2: "two_card_spread", 3: "three_card_spread"}


def in_between_line(one: int, other: int, dealers: int) -> str:
    """Return the line that three faces make, empty for none.

    The dealer's rank must be strictly between the player's two; an ace is never low.
    """
    low, high = sorted(_ORDER.index(rank_of(card)) for card in (one, other))
    middle = _ORDER.index(rank_of(dealers))
    if low == middle == high:
        return "triple_match"
    return _NAMES.get(high - low - 1, "all_other_spreads") if low < middle < high else ""
