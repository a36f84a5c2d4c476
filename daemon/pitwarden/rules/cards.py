"""Point values and totals of the blackjack family (19:47-36.2(b)): ace 11 or 1, J Q K 10. Unread cards have none."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pitwarden_client.events.card_faces import JOKER, rank_of

_ACE: Final = 11
_LIMIT: Final = 21
_TENS: Final = frozenset({"10", "J", "Q", "K"})


def _value(rank: str) -> int:
    return _ACE if rank == "A" else 10 if rank in _TENS else int(rank)


_VALUES: Final = tuple(_value(rank_of(face)) for face in range(JOKER))


class Total(NamedTuple):
    """A hand's points, and whether an ace in it counts 11."""

    points: int
    soft: bool


def value_of(face: int) -> int | None:
    """The points of a face, an ace as 11; None for a joker or an unread card."""
    return _VALUES[face] if 0 <= face < JOKER else None


@lru_cache(maxsize=4096)
def total_of(faces: tuple[int, ...]) -> Total | None:
    """The best total of `faces`; None when one of them has no points."""
    values = [value_of(face) for face in faces]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    points, aces = sum(known), known.count(_ACE)
    while points > _LIMIT and aces:
        points, aces = points - 10, aces - 1
    return Total(points, aces > 0)


def is_blackjack(faces: Sequence[int]) -> bool:
    """Whether two faces are an ace and a card of ten points (19:47-36.1)."""
    values = sorted(value_of(face) or 0 for face in faces)
    return values == [10, _ACE]


def may_draw(total: Total | None) -> bool:
    """Whether a player may draw: less than 21, or points unknown (19:47-36.11(a))."""
    return total is None or total.points < _LIMIT
