"""What the judge said, beside what it had to say: nothing missed, nothing invented, in the right round and order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pitwarden.events.outputs import Irregularity
from pitwarden_simulators.faults.fault import Expected, Verdicts

_OPEN = ("open", "acknowledged")


@dataclass(slots=True)
class Observed:
    """One irregularity through its life. `said`: its verdict words, each time they changed."""

    ref: str
    catalogue: str
    clauses: tuple[str, ...]
    round: int
    said: list[frozenset[str]]
    status: str
    clears: str
    sentence: str
    delay_ms: int | None = None

    @property
    def verdicts(self) -> Verdicts:
        """The verdict words in the order in which they were said."""
        return tuple(self.said)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the comparison: expected and observed, or only one of them."""

    round: int
    expected: Expected | None
    observed: Observed | None

    @property
    def agrees(self) -> bool:
        """Whether the judge said what it had to, and it was cleared."""
        return self.expected is not None and self.observed is not None and self.observed.status not in _OPEN


@dataclass(slots=True)
class Book:
    """Keeps the judge's irregularities by their reference."""

    by_ref: dict[str, Observed] = field(default_factory=dict)

    def hear(self, said: Irregularity, delay_ms: int | None = None) -> None:
        """An irregularity was said, for the first time or anew."""
        verdicts = frozenset(said.verdicts)
        known = self.by_ref.get(said.ref)
        if known is None:
            self.by_ref[said.ref] = Observed(
                said.ref,
                said.catalogue,
                said.clauses,
                said.round or 0,
                [verdicts],
                said.status,
                said.clears,
                said.sentence,
                delay_ms,
            )
            return
        known.status = said.status
        if known.said[-1] != verdicts:
            known.said.append(verdicts)

    def compare(self, expected: Sequence[Expected]) -> tuple[Line, ...]:
        """Expected and observed side by side, round by round; within a round order counts."""
        observed = sorted(self.by_ref.values(), key=lambda one: one.round)
        wanted = {number: list(some) for number, some in groupby(sorted(expected, key=_round), key=_round)}
        found = {number: list(some) for number, some in groupby(observed, key=_round)}
        rounds = sorted({*wanted, *found})
        return tuple(line for number in rounds for line in _paired(number, wanted.get(number), found.get(number)))


def _round(one: Expected | Observed) -> int:
    return one.round


def _paired(number: int, wanted: list[Expected] | None, found: list[Observed] | None) -> Iterable[Line]:
    """Pairs in order; what has no partner that agrees stands alone."""
    left = list(found or ())
    for expected in wanted or ():
        if left and (left[0].catalogue, left[0].verdicts) == (expected.catalogue, expected.verdicts):
            yield Line(number, expected, left.pop(0))
        else:
            yield Line(number, expected, None)
    for observed in left:
        yield Line(number, None, observed)
