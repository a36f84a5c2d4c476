"""Fault as an object: how it is committed, and the required verdict."""

from dataclasses import dataclass

Verdicts = frozenset[str]
"""Verdict words of one irregularity."""


@dataclass(frozen=True, slots=True)
class FaultRow:
    """Irregularity that a fault must cause: catalog id, clause, verdict words, how it is cleared and by whom.

    `later`: the number of rounds after the fault.
    """

    catalogue: str
    clause: str
    verdicts: Verdicts
    cleared: str
    by: str
    later: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """Row that must be observed in this round (0: before the first), and how the people then clear it."""

    fault: str
    catalogue: str
    verdicts: Verdicts
    round: int
    cleared: str = ""
    clause: str = ""
    """The deciding clause, which must be among those cited; empty: any."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of one table. `rig`: how it is committed; `trigger`: what the people call when it happens.

    `alone`: it is rigged only when no other fault is pending.
    """

    name: str
    table: str
    what: str
    rig: str
    trigger: str
    alone: bool
    rows: tuple[FaultRow, ...]

    def expected(self, round_: int) -> list[Expected]:
        """Return the rows that must be observed when it happens in `round_`."""
        return [
            Expected(self.name, row.catalogue, row.verdicts, round_ + row.later, row.cleared, row.clause)
            for row in self.rows
        ]
