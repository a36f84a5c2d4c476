"""Sequential tests: each card adds its evidence for a defect, against chance, to a score; a high score raises an alarm.

A score is a sum of logarithms of likelihood ratios that never falls below 0. By Ville's inequality, a score of `ALARM`
is reached by chance with a probability of at most exp(-21) at each card: fewer than one honest shoe in a million.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import Final

ALARM: Final = 21_000
"""Score of an alarm, in thousandths of a nat."""

AHEAD: Final = 3
"""Number of cards after a card that are searched for its neighbor in a new deck. After one riffle it is that near."""

RANKS: Final = 13
"""Number of ranks in a suit."""
_TEN: Final = 9
_NEAR: Final = {1: 0.45, 2: 0.6, 3: 0.7}
_ALIKE: Final = 0.6
_KNOWN: Final = 0.125


def order_score(score: int, stream: Sequence[int], *, faces: int) -> tuple[int, int]:
    """Return the score for new-deck order and its riffles over `stream`, and the highest score on the way.

    For each card but the last `AHEAD`, the next cards are searched for a neighbor of its suit, one rank up or down.

    Args:
        score: Score so far, in thousandths of a nat.
        stream: Faces in the order of dealing, -1 for a hidden card.
        faces: Number of different faces.
    """
    top = score
    weights = {count: _weights(1 - (1 - 2 / (faces - 1)) ** count, near) for count, near in _NEAR.items()}
    for at in range(len(stream) - AHEAD):
        card = stream[at]
        near = [other for other in stream[at + 1 : at + 1 + AHEAD] if other >= 0]
        if card >= 0 and near:
            miss, hit = weights[len(near)]
            # The score is cut at 0, so that a long honest stretch does not hide a later defect.
            score = max(0, score + (miss if _neighbours(card, faces).isdisjoint(near) else hit))
            top = max(top, score)
    return score, top


def sameness_score(score: int, stream: Sequence[int], *, faces: int, copies: int) -> tuple[int, int]:
    """Return the score for cards sorted by rank or by face over the pairs of `stream`, and the highest on the way."""
    top = score
    miss, hit = _weights((4 * copies - 1) / (faces * copies - 1), _ALIKE)
    for one, other in pairwise(stream):
        if one >= 0 and other >= 0:
            score = max(0, score + (hit if one % RANKS == other % RANKS else miss))
            top = max(top, score)
    return score, top


def repeat_score(score: int, hits: Sequence[bool], *, chance: float) -> tuple[int, int]:
    """Return the score for stretches that lay together in an earlier shoe, and the highest score on the way.

    Args:
        score: Score so far, in thousandths of a nat.
        hits: For each stretch, whether it is remembered.
        chance: Probability of a hit in an honest shoe.
    """
    top = score
    miss, hit = _weights(chance, _KNOWN)
    for one in hits:
        score = max(0, score + (hit if one else miss))
        top = max(top, score)
    return score, top


@lru_cache(maxsize=128)
def _neighbours(card: int, faces: int) -> frozenset[int]:
    """Return the faces next to `card` in a new deck of `faces` cards; fewer than 52 means a deck without 10s."""
    suit, rank = divmod(card, RANKS)
    near = {rank - 1, rank + 1} & set(range(RANKS))
    # In a deck without 10s, 9 and jack are neighbors.
    if faces < 52 and rank in {_TEN - 1, _TEN + 1}:  # noqa: PLR2004  a whole pack
        near.add({_TEN - 1: _TEN + 1, _TEN + 1: _TEN - 1}[rank])
    return frozenset(suit * RANKS + one for one in near)


@lru_cache(maxsize=4096)
def _weights(chance: float, defect: float) -> tuple[int, int]:
    """Return the amounts that a miss and a hit add to a score, in thousandths of a nat."""
    return round(1000 * log((1 - defect) / (1 - chance))), round(1000 * log(defect / chance))
