"""Rounds from a shoe as the auditor receives them: public faces in the order of the shoe, and hands as racked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

HIDDEN: Final = -1
_TEN: Final = 10


@dataclass
class StudiedRound:
    """One round: its public cards (-1: hidden), the hands as picked up, and the cards that went to the rack."""

    dealt: list[int] = field(default_factory=list)
    hands: list[list[int]] = field(default_factory=list)
    racked: list[int] = field(default_factory=list)


Deal = Callable[[Random, "Held"], StudiedRound]


@dataclass
class Held:
    """Shoe while it is dealt; `at`: number of cards drawn."""

    cards: list[int]
    at: int = 0

    def take(self) -> int:
        """Return the place of the next card."""
        self.at += 1
        return self.at - 1


@dataclass(frozen=True)
class StudiedGame:
    """Deal of a game: decks, 10s or not, how deep into the shoe, and one round."""

    name: str
    decks: int
    tens: bool
    depth: float
    deal: Deal


def shoe(dice: Random, game: StudiedGame, cards: Sequence[int]) -> Iterator[StudiedRound]:
    """Yield the rounds of one shoe, to the cutting card.

    The rack then holds `racked` of all, and the rest of the shoe.
    """
    held = Held(list(cards))
    end = game.depth * len(cards)
    while held.at == 0 or held.at < end:
        yield game.deal(dice, held)


def rack_of(cards: Sequence[int], rounds: Sequence[StudiedRound]) -> list[int]:
    """Return the rack after a shoe: the rounds as they were picked up, the rest of the shoe on top."""
    racked = [face for one in rounds for face in one.racked]
    return [*racked, *cards[sum(len(one.dealt) for one in rounds) :]]


def _round(cards: Sequence[int], order: Sequence[list[int]], hidden: set[int], first: int) -> StudiedRound:
    """Return a round of the cards from place `first` on; `order`: places hand by hand as picked up."""
    last = max(place for hand in order for place in hand)
    public = {place: HIDDEN if place in hidden else cards[place] for place in range(first, last + 1)}
    return StudiedRound(
        dealt=[public[place] for place in range(first, last + 1)],
        hands=[[public[place] for place in hand] for hand in order],
        racked=[cards[place] for hand in order for place in hand],
    )


def _points(faces: Sequence[int]) -> int:
    values = [min(_TEN, face % 13 + 1) for face in faces]
    return sum(values) + (_TEN if 0 in {face % 13 for face in faces} and sum(values) <= 11 else 0)  # noqa: PLR2004  soft


def _draw(held: Held, hand: list[int], least: int) -> None:
    while _points([held.cards[place] for place in hand]) < least:
        hand.append(held.take())


def _attack(dice: Random, held: Held) -> StudiedRound:
    """Deal two cards to each of three to six boxes and the dealer, then hits."""
    first, boxes = held.at, [list[int]() for _ in range(dice.randint(3, 6))]
    dealer: list[int] = []
    for _ in range(2):
        for hand in boxes:
            hand.append(held.take())
        dealer.append(held.take())
    for hand in boxes:
        _draw(held, hand, dice.randint(12, 17))
    _draw(held, dealer, 17)
    return _round(held.cards, [*reversed(boxes), dealer], set(), first)


def _switch(dice: Random, held: Held) -> StudiedRound:
    """Deal a pair down and a pair up to each; the unplayed pair is never shown and goes to the rack first."""
    first, count = held.at, dice.randint(3, 6)
    down, up = [list[int]() for _ in range(count)], [list[int]() for _ in range(count)]
    for hands in (down, down, up):
        for hand in hands:
            hand.append(held.take())
    dealer = [held.take()]
    for hand in up:
        hand.append(held.take())
    dealer.append(held.take())
    played, left = list[list[int]](), list[list[int]]()
    hidden: set[int] = set()
    for lower, upper in zip(down, up, strict=True):
        switches = dice.random() < 0.3  # noqa: PLR2004  some do
        played.append(lower if switches else upper)
        left.append(upper if switches else lower)
        hidden |= set() if switches else set(lower)
    for hand in played:
        _draw(held, hand, dice.randint(12, 17))
    _draw(held, dealer, 17)
    return _round(held.cards, [*left, *reversed(played), dealer], hidden, first)


def _blitz(dice: Random, held: Held) -> StudiedRound:
    """Deal seven each to two to six players and the dealer, one card in turn; three in ten fold and stay face down."""
    first, hands = held.at, [list[int]() for _ in range(dice.randint(2, 6) + 1)]
    for _ in range(7):
        for hand in hands:
            hand.append(held.take())
    folded = [hand for hand in hands[:-1] if dice.random() < 0.3]  # noqa: PLR2004  as in the summary
    hidden = {place for hand in folded for place in hand}
    return _round(held.cards, [*reversed(hands[:-1]), hands[-1]], hidden, first)


GAMES: Final = {
    "triple-attack-blackjack": StudiedGame("triple-attack-blackjack", 8, tens=False, depth=0.75, deal=_attack),
    "double-attack-blackjack": StudiedGame("double-attack-blackjack", 8, tens=False, depth=0.75, deal=_attack),
    "blackjack-in-between": StudiedGame("blackjack-in-between", 6, tens=True, depth=0.75, deal=_attack),
    "switch-hands": StudiedGame("switch-hands", 6, tens=True, depth=0.7, deal=_switch),
    "three-card-blitz": StudiedGame("three-card-blitz", 1, tens=True, depth=0.0, deal=_blitz),
}
