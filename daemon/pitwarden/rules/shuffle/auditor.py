"""Shuffle auditor and its keyed window hashes.

Stretches of cards as keyed hashes: what lay together in a shoe is known again, and can be read by nobody.

The shuffle auditor: a round's public cards, in the order in which they were dealt, against what chance gives.

Its state is bounded: three scores, the last three cards, and the keyed hashes of this shoe and the two before it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import factorial
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.shuffle.scores import AHEAD, ALARM, order_score, repeat_score, sameness_score

_BYTES: Final = 4
_HEX: Final = 2 * _BYTES


def window_hashes(stream: Sequence[int], key: bytes, size: int) -> Iterator[str]:
    """The hash of each stretch of `size` public cards (-1: a hidden one); their order in it plays no part."""
    for at in range(len(stream) - size + 1):
        some = sorted(stream[at : at + size])
        if some[0] >= 0:
            yield blake2b(bytes(some), key=key, digest_size=_BYTES).hexdigest()


def split_hashes(kept: str) -> frozenset[str]:
    """The hashes that are kept behind each other in `kept`."""
    return frozenset(kept[at : at + _HEX] for at in range(0, len(kept), _HEX))


def count_hashes(kept: str) -> int:
    """How many hashes `kept` holds."""
    return len(kept) // _HEX


PAST: Final = 2
MOST_WINDOWS: Final = 1_000
"""In one shoe: eight decks of 52 have 413 stretches in the order of dealing and as many in that of the rack."""

TESTS: Final = ("order", "sorted", "repeat")


@dataclass(frozen=True)
class ShuffleAudit:
    """What is remembered between rounds. `drawn`: cards out of the shoe at the last round's end; `said`: its alarms."""

    drawn: int = 0
    scores: tuple[int, ...] = (0, 0, 0)
    tail: tuple[int, ...] = field(default=(), repr=False)
    shoe: str = field(default="", repr=False)
    past: tuple[str, ...] = field(default=(), repr=False)
    said: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


@dataclass(frozen=True)
class PackShape:
    """What is dealt: how many different faces, how often each; `key` of the hashes."""

    faces: int
    copies: int
    key: bytes = field(default=b"", repr=False)

    @property
    def size(self) -> int:
        """How long a stretch is: in one deck three cards together are rare, in several four."""
        return 3 if self.copies == 1 else 4

    def chance(self, remembered: int) -> float:
        """How likely an honest stretch is among `remembered` ones."""
        return max(remembered, 1) * factorial(self.size) / float(self.faces**self.size)


def start_shoe(audit: ShuffleAudit) -> ShuffleAudit:
    """`audit` at the first round of a shoe: what lay together in the last one is kept among the past."""
    past = (audit.shoe, *audit.past)[:PAST] if audit.shoe else audit.past
    return ShuffleAudit(scores=audit.scores, past=past)


def audit_cards(
    audit: ShuffleAudit, pack: PackShape, dealt: Sequence[int], rack: Sequence[Sequence[int]]
) -> ShuffleAudit:
    """`audit` after a round; `found` names the tests that are alarmed by it, each once a shoe.

    `dealt`: the round's cards in the order of the shoe, `rack`: those of each hand as they are picked up; -1 is hidden.
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
    """The hands behind each other, as the rack holds them."""
    return [[card for hand in rack for card in hand]]
