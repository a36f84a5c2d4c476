"""Comparison of the judge's verdicts with the required ones: none missed or invented, right round and order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from pitwarden_client.events.outputs import Irregularity, Notice
from pitwarden_simulators.faults.fault import Expected, Verdicts

_OPEN: Final = ("open", "acknowledged")
_TELLING: Final = frozenset({"CONTINUE", "USE_NEXT"})
"""Words that order nothing: play continues."""


@dataclass(slots=True)
class Observed:
    """Irregularity through its life, or a notice that orders something; `delay_ms`: None unknown."""

    catalogue: str
    clauses: tuple[str, ...]
    verdicts: Verdicts
    round: int
    status: str
    delay_ms: int | None = None


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """Line of the comparison: expected and observed, or only one of them."""

    round: int
    expected: Expected | None
    observed: Observed | None

    @property
    def agrees(self) -> bool:
        """True if the verdict is the required one and was cleared."""
        return self.expected is not None and self.observed is not None and self.observed.status not in _OPEN


@dataclass(slots=True)
class VerdictLog:
    """Log of the judge's verdicts, in order. A change of verdict words is a new entry."""

    said: list[Observed] = field(default_factory=list)
    _by_ref: dict[str, Observed] = field(default_factory=dict)

    def record(self, output: Irregularity | Notice, round_: int, delay_ms: int | None = None) -> None:
        """Record an irregularity, new or changed, or a notice; `round_` is the round of its publication."""
        verdicts = frozenset(output.verdicts) - _TELLING
        if isinstance(output, Notice):
            if verdicts:
                self.said.append(Observed(output.catalogue, output.clauses, verdicts, round_, "told", delay_ms))
            return
        known = self._by_ref.get(output.ref)
        if known is not None and known.verdicts == verdicts:
            known.status = output.status
            return
        happened = round_ if output.round is None else output.round
        made = Observed(output.catalogue, output.clauses, verdicts, happened, output.status, delay_ms)
        self._by_ref[output.ref] = made
        self.said.append(made)

    def compare(self, expected: Sequence[Expected]) -> tuple[VerdictLine, ...]:
        """Return expected and observed side by side, round by round. Within a round the order counts."""
        observed = sorted(self.said, key=_round)
        wanted = {number: list(some) for number, some in groupby(sorted(expected, key=_round), key=_round)}
        found = {number: list(some) for number, some in groupby(observed, key=_round)}
        rounds = sorted({*wanted, *found})
        return tuple(line for number in rounds for line in _paired(number, wanted.get(number), found.get(number)))


def _round(one: Expected | Observed) -> int:
    return one.round


def _paired(number: int, wanted: list[Expected] | None, found: list[Observed] | None) -> Iterable[VerdictLine]:
    """Yield pairs in order; an entry without a partner that agrees is alone."""
    left = list(found or ())
    for expected in wanted or ():
        if left and _same(expected, left[0]):
            yield VerdictLine(number, expected, left.pop(0))
        else:
            yield VerdictLine(number, expected, None)
    for observed in left:
        yield VerdictLine(number, None, observed)


def _same(expected: Expected, observed: Observed) -> bool:
    words = (observed.catalogue, observed.verdicts) == (expected.catalogue, expected.verdicts)
    cited = {_bare(clause) for clause in observed.clauses}
    return words and (not expected.clause or _bare(expected.clause) in cited)


def _bare(clause: str) -> str:
    """Return a cite without the remark in brackets that its text is not in our sources."""
    return clause.partition(" (")[0]
