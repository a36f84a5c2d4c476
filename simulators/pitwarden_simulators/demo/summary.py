"""The closing table of a demo: what was done wrong on purpose, what the judge said, and whether they agree."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pitwarden_simulators.faults.book import Line
from pitwarden_simulators.faults.fault import Fault, Verdicts

HEAD = ("table", "round", "fault", "clause", "verdict", "ended", "delay", "as injected")


@dataclass(frozen=True, slots=True)
class Result:
    """One table's night. `quiet`: faults that had to give nothing; `complaints`: what nobody expects of any night."""

    table: str
    rounds: int
    cards: int
    shuffles: int
    stub_counts: int
    lines: tuple[Line, ...]
    quiet: tuple[Fault, ...]
    complaints: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Whether nothing was missed, invented, refused or left open."""
        return not self.complaints and all(line.agrees for line in self.lines)


def table_of(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """The rows below `HEAD`."""
    return [row for result in results for row in _rows(result)]


def aligned(rows: Iterable[tuple[str, ...]]) -> Iterable[str]:
    """Rows of text in columns."""
    kept = list(rows)
    widths = [max(len(row[column]) for row in kept) for column in range(len(kept[0]))]
    return ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in kept)


def closing(results: Sequence[Result]) -> Iterable[str]:
    """The whole summary, line by line."""
    yield from aligned([HEAD, *table_of(results)])
    for result in results:
        yield (
            f"{result.table}: {result.rounds} rounds, {result.cards} cards, {result.shuffles} shuffles, "
            f"{result.stub_counts} stub counts"
        )
        yield from (f"{result.table}: unexpected: {complaint}" for complaint in result.complaints)
    wrong = sum(not line.agrees for result in results for line in result.lines)
    found = sum(line.agrees for result in results for line in result.lines)
    yield f"{found} irregularities as injected, {wrong} not: " + (
        "all is well" if _good(results) else "NOT as it must be"
    )


def _good(results: Sequence[Result]) -> bool:
    return all(result.good for result in results)


def _rows(result: Result) -> Iterable[tuple[str, ...]]:
    for line in result.lines:
        expected, observed = line.expected, line.observed
        if observed is None:
            verdict = "" if expected is None else _words(expected.verdicts)
            name, clause = ("", "") if expected is None else (expected.fault, expected.catalogue)
            yield (result.table, str(line.round), name, clause, verdict, "", "", "MISSED")
            continue
        yield (
            result.table,
            str(line.round),
            "" if expected is None else expected.fault,
            f"{observed.catalogue} {observed.clauses[0] if observed.clauses else ''}",
            _words(observed.verdicts),
            f"{observed.status}: {observed.clears}" if observed.clears else observed.status,
            "" if observed.delay_ms is None else f"{observed.delay_ms} ms",
            "yes" if line.agrees else "INVENTED" if expected is None else "STILL OPEN",
        )
    for fault in result.quiet:
        yield (result.table, "", fault.name, "", "none", "", "", "yes" if result.good else "")


def _words(verdicts: Verdicts) -> str:
    return " ".join(sorted(verdicts))
