"""Size and faults of one experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

KINDS: Final = ("kill", "stop", "database", "broker", "restart", "failover", "node", "freeze")
"""Faults: a judge is killed, stopped, cut off from the database or from every broker; the database is killed and
started again, or its standby promoted; a broker node is killed, or frozen."""
MANY: Final = frozenset({"node", "freeze"})
"""Faults that need a second broker."""


@dataclass(frozen=True, slots=True)
class TakeoverPlan:
    """Size of one experiment. `rate` is in rows a second and table; `kinds` are the faults to choose from.

    `synchronous`: each commit waits for the standby. `mutant` names a planted bug; empty for none.
    """

    seed: int = 1
    judges: int = 3
    tables: int = 50
    rate: float = 1.0
    seconds: float = 1_800.0
    lease_s: int = 3
    kinds: Sequence[str] = KINDS
    brokers: int = 2
    synchronous: bool = False
    mutant: str = ""

    @property
    def in_flight_s(self) -> float:
        """Time after a fault of a server within which a row may still be stored that was under way."""
        return 0.2
