"""Closing table of a demo: injected faults, verdicts of the judge, and whether they agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pitwarden_simulators.faults.fault import Expected, Fault, Verdicts
from pitwarden_simulators.faults.verdict_log import VerdictLine

_HEAD = ("table", "round", "fault", "clause", "verdict", "ended", "delay", "as injected")


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one table's night. `quiet`: faults that must cause no verdict.

    `complaints`: violations of any night's rules.
    """

    table: str
    rounds: int
    cards: int
    shuffles: int
    stub_counts: int
    lines: tuple[VerdictLine, ...]
    quiet: tuple[Fault, ...]
    complaints: tuple[str, ...]

    @property
    def good(self) -> bool:
        """True if nothing was missed, invented, refused or left open."""
        return not self.complaints and all(line.agrees for line in self.lines)


def closing(results: Sequence[Result]) -> Iterable[str]:
    """Yield the lines of the table, the counts, the complaints and the total."""
    rows = [_HEAD, *(row for result in results for row in _rows(result))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    for result in results:
        yield (
            f"{result.table}: {result.rounds} rounds, {result.cards} cards, {result.shuffles} shuffles, "
            f"{result.stub_counts} stub counts"
        )
        yield from (f"{result.table}: unexpected: {complaint}" for complaint in result.complaints)
    lines = [line for result in results for line in result.lines]
    wrong = sum(not line.agrees for line in lines)
    good = all(result.good for result in results)
    yield f"{len(lines) - wrong} as injected, {wrong} not: " + ("all is well" if good else "NOT as it must be")


def _rows(result: Result) -> Iterable[tuple[str, ...]]:
    for line in result.lines:
        expected, observed = line.expected, line.observed
        fault = "" if expected is None else expected.fault
        if observed is None:
            wanted = ("", "") if expected is None else (_cited(expected.catalogue, expected), _words(expected.verdicts))
            yield (result.table, str(line.round), fault, *wanted, "", "", "MISSED")
            continue
        ended = observed.status if expected is None else f"{observed.status}: {expected.cleared}"
        yield (
            result.table,
            str(line.round),
            fault,
            _cited(observed.catalogue, expected, *observed.clauses[:1]),
            _words(observed.verdicts),
            ended,
            "" if observed.delay_ms is None else f"{observed.delay_ms} ms",
            "yes" if line.agrees else "INVENTED" if expected is None else "STILL OPEN",
        )
    invented = any(line.expected is None for line in result.lines)
    for silent in result.quiet:
        yield (result.table, "", silent.name, "", "none", "", "", "SEE ABOVE" if invented else "yes")


def _words(verdicts: Verdicts) -> str:
    return " ".join(sorted(verdicts))


def _cited(catalogue: str, expected: Expected | None, first: str = "") -> str:
    """Return the catalog number and the clause that decides, of several that are cited."""
    clause = expected.clause if expected is not None and expected.clause else first
    return f"{catalogue} {clause}".strip()
