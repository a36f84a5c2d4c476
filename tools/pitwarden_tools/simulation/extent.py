"""Extent of a simulation: what came in it, and whether that is enough to prove a version."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pitwarden_tools.simulation.kinds import KINDS
from pitwarden_tools.simulation.night import FaultyNightResult

# What a proof of a version needs: the number of faults, of kinds, of each kind, of restarts of a half and of different
# combinations of two kinds, and the minutes that it may take on two processors, so that it is made before each release.
FAULTS: Final = 100_000
DIFFERENT: Final = 40
EACH: Final = 500
RESTARTS: Final = 5_000
PAIRS: Final = 1_000
MINUTES: Final = 10


@dataclass
class SimulationExtent:
    """Totals of the nights that were added."""

    nights: int = 0
    came: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    tables: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    rows: int = 0
    outputs: int = 0
    reveals: int = 0
    simulated_s: float = 0.0
    processor_s: float = 0.0
    wrong: list[int] = field(default_factory=list)
    """Numbers of the nights that were not as they must be."""

    def add(self, result: FaultyNightResult) -> None:
        """Count a night."""
        self.nights += 1
        self.came.update(result.came)
        self.pairs.update(result.pairs)
        self.tables[result.table] += 1
        self.starts += result.starts
        self.rows += result.rows
        self.outputs += result.outputs
        self.reveals += result.reveals
        self.simulated_s += result.seconds
        self.processor_s += result.processor_s
        if result.wrong:
            self.wrong.append(result.number)

    @property
    def restarts(self) -> int:
        """Number of starts of a half after the first of each night."""
        return self.starts - 2 * self.nights

    def summary(self, seed: int, seconds: float) -> Iterator[str]:
        """Yield the table of faults, the totals and the verdict."""
        for kind in KINDS:
            if self.came[kind.name]:
                yield f"{kind.name:24}{self.came[kind.name]:>7}  {kind.what}"
        faults = self.came.total()
        yield (
            f"seed {seed}: {faults} faults, {len(self.came)} kinds, {self.nights} nights of {len(self.tables)} tables;"
            f" {self.pairs.total()} pairs at once, {len(self.pairs)} different; {self.restarts} restarts of a half"
        )
        yield (
            f"{self.rows} rows ({self.rows / max(faults, 1):.1f} for each fault), {self.outputs} outputs,"
            f" {self.reveals} reveals; {self.simulated_s / 3_600:.1f} simulated hours in {seconds:.0f} s,"
            f" {self.processor_s:.0f} s of a processor"
        )
        yield (
            f"NOT as it must be in {len(self.wrong)} nights: play one again with the same --seed, --faults and --night"
            f" {min(self.wrong)}"
            if self.wrong
            else "0 events lost, 0 counted twice; 0 verdicts missing, repeated, changed; 0 cards early; all holds ended"
        )

    def missing(self, seconds: float) -> Iterator[str]:
        """Yield what is missing for a proof."""
        rarest = min(self.came.values(), default=0)
        for name, found, least in (
            ("faults", self.came.total(), FAULTS),
            ("kinds", len(self.came), DIFFERENT),
            ("of the rarest kind", rarest, EACH),
            ("restarts of a half", self.restarts, RESTARTS),
            ("different combinations of two", len(self.pairs), PAIRS),
        ):
            if found < least:
                yield f"{found} {name}, and a proof needs {least}"
        if seconds > MINUTES * 60:
            yield f"{seconds / 60:.1f} minutes, and a proof takes {MINUTES} at the most on two processors"
