"""Schedule of simulated faults: it follows from the seed alone, so that the same seed plays the same nights again."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from pitwarden_simulators.table.setup import ALL_TABLES
from pitwarden_tools.simulation.kind import SimulatedKind
from pitwarden_tools.simulation.kinds import KINDS
from pitwarden_tools.simulation.night import FaultyNightPlan, ScheduledFault

PER_NIGHT: Final = 120
# Actions of people from one fault to the next, at the most. A night has about four rows for each fault.
_APART: Final = 1
# People's actions in a round, at the least.
_PER_ROUND: Final = 18
# Part of the faults that come while the one before is still active.
_AT_ONCE: Final = 0.6


def simulated_nights(seed: int, faults: int, kinds: Sequence[SimulatedKind] = KINDS) -> Iterator[FaultyNightPlan]:
    """Yield the nights of a simulation with `faults` scheduled faults, every kind equally often."""
    random = Random(f"{seed}/order")
    tables = list(ALL_TABLES.values())
    bag: list[SimulatedKind] = []
    number = 0
    while faults > 0:
        number += 1
        planned, action = [], 6
        for index in range(min(PER_NIGHT, faults)):
            if not bag:
                bag = random.sample(kinds, len(kinds))
            action += random.randint(0, _APART)
            at_once = random.random() < _AT_ONCE
            planned.append(ScheduledFault(action, bag.pop().name, f"{seed}/{number}/{index}", at_once))
        faults -= len(planned)
        table = tables[(number - 1) % len(tables)]
        yield FaultyNightPlan(number, table, f"{seed}/{number}", 2 + action // _PER_ROUND, tuple(planned))
