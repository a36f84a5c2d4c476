"""Physical cards and packs. Each card is one object with one place at any time; its face is what is printed on it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pitwarden_client.events.card_faces import JOKER, RANKS, is_ten, rank_of

TENS: Final = tuple(face for face in range(52) if is_ten(face))
TAB_DECKS: Final = 8  # 13:69F-36.2(a)
TAB_CARDS: Final = TAB_DECKS * (52 - len(TENS))
CB_CARDS: Final = 52  # 13:69F-51.2(a)
_TEN_VALUED: Final = ("10", "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class Card:
    """Physical card. `serial` is unique in a night; `face` as in card_faces.py; `turned`: face up in its stack."""

    serial: int
    face: int
    deck: str
    turned: bool = False

    @property
    def rank(self) -> str:
        """Rank: `A`, `2` to `10`, `J`, `Q`, `K`, or `JKR`."""
        return rank_of(self.face)


def turned(card: Card, *, up: bool = True) -> Card:
    """Return the same card, face up or face down."""
    return replace(card, turned=up)


class Mint:
    """Factory of cards with unique serials."""

    def __init__(self) -> None:
        self._next = 0
        self.made: list[int] = []

    def card(self, face: int, deck: str) -> Card:
        """Return a new card."""
        self._next += 1
        self.made.append(self._next)
        return Card(self._next, face, deck)

    def tab_pack(self, deck: str) -> list[Card]:
        """Return eight decks of 48 in factory order, without 10s: 384 cards."""
        return self.pack(deck, TAB_DECKS, tens=False)

    def pack(self, deck: str, decks: int, *, tens: bool) -> list[Card]:
        """Return a number of decks in factory order, with or without 10s (13:69E-1.17(a))."""
        faces = [face for face in range(JOKER) if tens or not is_ten(face)]
        return [self.card(face, deck) for _ in range(decks) for face in faces]

    def cb_deck(self, deck: str) -> list[Card]:
        """Return one deck of 52 in factory order."""
        return [self.card(face, deck) for face in range(JOKER)]


@dataclass(frozen=True, slots=True)
class Total:
    """Points of a hand; `soft` when an ace counts 11 in them (19:47-36.1, 36.2(b)3)."""

    points: int
    soft: bool


def total(cards: Iterable[Card]) -> Total:
    """Return the points of a hand of triple attack blackjack."""
    ranks = [card.rank for card in cards]
    hard = sum(10 if rank in _TEN_VALUED else RANKS.index(rank) + 1 for rank in ranks)
    soft = "A" in ranks and hard <= 11  # noqa: PLR2004  an ace may count ten more up to 21
    return Total(hard + 10 if soft else hard, soft)


def value(card: Card) -> int:
    """Return the value that decides pairs (19:47-36.9(a)): an ace 11, a jack, queen or king 10."""
    return total([card]).points


def is_blackjack(cards: Sequence[Card]) -> bool:
    """Return whether two cards make 21. The caller excludes hands after a split (19:47-36.1)."""
    return len(cards) == 2 and total(cards).points == 21  # noqa: PLR2004  the definition's own numbers
