"""A fault as an object: how it is committed, and what the judge must say to it."""

from dataclasses import dataclass

Verdicts = frozenset[str]
"""The verdict words of one irregularity."""


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One irregularity that a fault must give: catalogue id, clause, verdict words, how it is cleared and by whom.

    `later`: how many rounds after the fault.
    """

    catalogue: str
    clause: str
    verdicts: Verdicts
    cleared: str
    by: str
    later: int = 0


@dataclass(frozen=True, slots=True)
class Expected:
    """A row as it must be observed: in this round (0: before the first), and how the people then clear it."""

    fault: str
    catalogue: str
    verdicts: Verdicts
    round: int
    cleared: str = ""
    clause: str = ""
    """The one that decides, and that must be among those cited; empty: any."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one table. `rig`: how it is committed; `trigger`: what the people call when it happens.

    `alone`: it is rigged only when no other fault waits for its moment.
    """

    name: str
    table: str
    what: str
    rig: str
    trigger: str
    alone: bool
    rows: tuple[FaultRow, ...]

    def expected(self, round_: int) -> list[Expected]:
        """What must be observed when it happens in `round_`."""
        return [
            Expected(self.name, row.catalogue, row.verdicts, round_ + row.later, row.cleared, row.clause)
            for row in self.rows
        ]
