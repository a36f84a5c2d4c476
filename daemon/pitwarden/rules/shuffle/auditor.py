"""Shuffle auditor: tests a round's public cards, in the order of dealing, against chance.

Cards that lay together in a shoe are remembered as keyed hashes of short stretches. Threat: anyone who reads the state;
without the key, the hashes disclose no card. The state is bounded: three scores, the last three cards, and the hashes
of this shoe and of the two before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import factorial
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.shuffle.scores import AHEAD, ALARM, order_score, repeat_score, sameness_score

# Bytes of one hash. Among about 2,000 remembered ones a stretch finds a false match with a probability of 2,000 /
# 2**32.
_BYTES: Final = 4
_HEX: Final = 2 * _BYTES


def window_hashes(stream: Sequence[int], key: bytes, size: int) -> Iterator[str]:
    """Yield the hash of each stretch of `size` public cards, independent of their order in it.

    Args:
        stream: Faces in the order of dealing, -1 for a hidden card; a stretch with one gives no hash.
        key: Secret key of the hashes.
        size: Number of cards of a stretch.
    """
    for at in range(len(stream) - size + 1):
        some = sorted(stream[at : at + size])
        if some[0] >= 0:
            yield blake2b(bytes(some), key=key, digest_size=_BYTES).hexdigest()


def split_hashes(kept: str) -> frozenset[str]:
    """Return the hashes that are concatenated in `kept`."""
    return frozenset(kept[at : at + _HEX] for at in range(0, len(kept), _HEX))


def count_hashes(kept: str) -> int:
    """Return the number of hashes in `kept`."""
    return len(kept) // _HEX


PAST: Final = 2
"""Shoes before the current one whose hashes are remembered."""
MOST_WINDOWS: Final = 1_000
"""Hashes of one shoe: eight decks of 52 have 413 stretches in the order of dealing and as many in that of the rack."""

TESTS: Final = ("order", "sorted", "repeat")
"""Names of the tests, in the order of `ShuffleAudit.scores`."""


@dataclass(frozen=True)
class ShuffleAudit:
    """State of the auditor between rounds."""

    drawn: int = 0
    """Cards that had left the shoe at the end of the last round."""
    scores: tuple[int, ...] = (0, 0, 0)
    """Score of each test, in thousandths of a nat."""
    tail: tuple[int, ...] = field(default=(), repr=False)
    """Last public cards, which the next round's stretches begin with."""
    shoe: str = field(default="", repr=False)
    """Concatenated hashes of this shoe."""
    past: tuple[str, ...] = field(default=(), repr=False)
    """Concatenated hashes of the shoes before, newest first."""
    said: tuple[str, ...] = ()
    """Tests that raised an alarm in this shoe; each does so once."""
    found: tuple[str, ...] = ()
    """Tests that raised an alarm in the latest round."""


@dataclass(frozen=True)
class PackShape:
    """Composition of the cards that are dealt."""

    faces: int
    """Number of different faces."""
    copies: int
    """Number of decks in the shoe."""
    key: bytes = field(default=b"", repr=False)
    """Secret key of the hashes."""

    @property
    def size(self) -> int:
        """Number of cards in a stretch: three cards together are rare in one deck, four in several."""
        return 3 if self.copies == 1 else 4

    def chance(self, remembered: int) -> float:
        """Return the probability that a stretch of an honest shoe is among `remembered` hashes."""
        return max(remembered, 1) * factorial(self.size) / float(self.faces**self.size)


def start_shoe(audit: ShuffleAudit) -> ShuffleAudit:
    """Return `audit` at the first round of a shoe, with the hashes of the last shoe among the past."""
    past = (audit.shoe, *audit.past)[:PAST] if audit.shoe else audit.past
    return ShuffleAudit(scores=audit.scores, past=past)


def audit_cards(
    audit: ShuffleAudit, pack: PackShape, dealt: Sequence[int], rack: Sequence[Sequence[int]]
) -> ShuffleAudit:
    """Return `audit` after a round; `found` names the tests that raised an alarm, each at most once in a shoe.

    Args:
        audit: State after the previous round.
        pack: Composition of the cards.
        dealt: The round's faces in the order of the shoe, -1 for a hidden card.
        rack: Faces of each hand in the order of picking up, -1 for a hidden card.
    """
    stream = (*audit.tail, *dealt)
    fresh = stream[max(0, len(audit.tail) - 1) :]
    hashes = list(window_hashes(stream, pack.key, pack.size))
    remembered = [split_hashes(kept) for kept in audit.past]
    hits = [any(one in kept for kept in remembered) for one in hashes] if remembered else []
    results = (
        order_score(audit.scores[0], stream, faces=pack.faces),
        sameness_score(audit.scores[1], fresh, faces=pack.faces, copies=pack.copies),
        repeat_score(audit.scores[2], hits, chance=pack.chance(sum(map(count_hashes, audit.past)))),
    )
    found = tuple(
        name for name, (_, top) in zip(TESTS, results, strict=True) if top >= ALARM and name not in audit.said
    )
    scores = tuple(0 if top >= ALARM else score for score, top in results)
    racked = [one for hand in _joined(rack) for one in window_hashes(hand, pack.key, pack.size)]
    shoe = audit.shoe + "".join((*hashes, *racked)) if count_hashes(audit.shoe) < MOST_WINDOWS else audit.shoe
    return replace(audit, scores=scores, tail=stream[-AHEAD:], shoe=shoe, said=(*audit.said, *found), found=found)


def _joined(rack: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the hands one after another, as the rack holds them."""
    return [[card for hand in rack for card in hand]]
