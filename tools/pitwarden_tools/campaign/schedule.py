"""Schedule of faults: it follows from the seed alone, so that the same seed plays the same faults again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from pitwarden_simulators.table.setup import ALL_TABLES, SimulatedTableSetup
from pitwarden_tools.campaign import fault_disk, fault_line, fault_orders, fault_process
from pitwarden_tools.campaign.disk import why_not
from pitwarden_tools.campaign.fault_kind import Kind

KINDS: Final[tuple[Kind, ...]] = (
    *fault_process.KINDS, *fault_line.KINDS, *fault_disk.KINDS, *fault_orders.KINDS,
)  # fmt: skip
PER_NIGHT: Final = 25
_GAP: Final = (1, 7)  # actions of people between two faults


@dataclass(frozen=True, slots=True)
class Planned:
    """Fault before the people's action number `action`, a number of seconds after it began; `seed` is its own."""

    action: int
    kind: Kind
    after_s: float
    seed: str


@dataclass(frozen=True, slots=True)
class NightPlan:
    """One night: its table, its cards by `seed`, its faults, and whether each half has a process of its own."""

    number: int
    setup: SimulatedTableSetup
    seed: str
    faults: tuple[Planned, ...]
    apart: bool

    @property
    def fills_disk(self) -> bool:
        """True if its journals need a file system of their own."""
        return any(fault.kind.name == fault_orders.DISK_FULL for fault in self.faults)


def nights(seed: int, faults: int, kinds: Sequence[Kind] = KINDS, first: int = 1) -> Iterator[NightPlan]:
    """Yield the nights of a campaign with `faults` faults, every kind equally often, from night `first` on."""
    random = Random(f"{seed}/order")
    bag: list[Kind] = []
    number = 0
    left = faults
    setups = list(ALL_TABLES.values())
    while left > 0:
        number += 1
        planned, action = [], 6
        for index in range(min(PER_NIGHT, left)):
            if not bag:
                bag = random.sample(kinds, len(kinds))
            action += random.randint(*_GAP)
            planned.append(Planned(action, bag.pop(), random.uniform(0, 0.08), f"{seed}/{number}/{index}"))
        left -= len(planned)
        if number >= first:
            setup = setups[(number - 1) % len(setups)]
            yield NightPlan(number, setup, f"{seed}/{number}", tuple(planned), apart=number % 2 == 0)


def playable(kinds: Sequence[Kind]) -> list[Kind]:
    """Return those of `kinds` that this machine can play."""
    return [kind for kind in kinds if kind.name != fault_orders.DISK_FULL or not why_not()]


def counted(plans: Sequence[NightPlan]) -> Counter[str]:
    """Return the number of each kind."""
    return Counter(fault.kind.name for plan in plans for fault in plan.faults)
