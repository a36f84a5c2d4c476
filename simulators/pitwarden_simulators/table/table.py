"""Simulated table: its devices, its layout, and the record of injected faults."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pitwarden_simulators.cards import Card, Mint
from pitwarden_simulators.devices.reader import Reader
from pitwarden_simulators.devices.shoe import SimulatedShoe
from pitwarden_simulators.devices.shuffler import Shuffler
from pitwarden_simulators.faults.fault import Expected, Fault
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.layout import Layout
from pitwarden_simulators.table.players import SimulatedPlayers
from pitwarden_simulators.table.setup import SimulatedTableSetup

Wanted = Callable[[Card], bool]


@dataclass(slots=True)
class SimulatedTable:
    """Everything physical at a table, and the oracle's record: `expected` grows as faults are committed.

    `mishaps`: errors of people and devices that happen at the next opportunity; `pending`: faults that wait for it;
    `committed`: the names of those that happened; `wanted`: the card that a place must get for a fault. `round` counts
    from 1, 0 before the first.
    """

    setup: SimulatedTableSetup
    mint: Mint
    shoe: SimulatedShoe
    shuffler: Shuffler
    reader: Reader | None
    players: SimulatedPlayers
    layout: Layout = field(default_factory=Layout)
    decks: dict[str, list[Card]] = field(default_factory=dict)
    wanted: dict[str, Wanted] = field(default_factory=dict)
    mishaps: set[str] = field(default_factory=set)
    pending: dict[str, Fault] = field(default_factory=dict)
    expected: list[Expected] = field(default_factory=list)
    committed: list[str] = field(default_factory=list)
    uninspected: set[DeviceName] = field(default_factory=set)
    round: int = 0
    cards_dealt: int = 0
    stub_counts: int = 0
    shuffles: int = 0

    def mishap(self, name: str) -> bool:
        """Return whether this mishap happens now; it happens once."""
        if name not in self.mishaps:
            return False
        self.mishaps.remove(name)
        self.happened(name)
        return True

    def happened(self, trigger: str, *, ahead: int = 0) -> None:
        """Record that the fault pending for `trigger`, if any, happens in this round, or `ahead` rounds later."""
        fault = self.pending.pop(trigger, None)
        if fault is not None:
            self.committed.append(fault.name)
            self.expected += fault.expected(self.round + ahead)

    def arrange(self, place: str) -> None:
        """Put on top the card that a fault needs at `place`, which gets the next card."""
        wanted = self.wanted.pop(place, None)
        if wanted is not None:
            self.shoe.stack(0, wanted)

    def everywhere(self) -> list[Card]:
        """Return every card at the table."""
        waiting = [card for cards in self.decks.values() for card in cards]
        return [*self.shoe.cards, *self.shuffler.cards, *self.shuffler.fallen, *waiting, *self.layout.everywhere()]

    def astray(self) -> Mapping[int, int]:
        """Return the serials that are not in exactly one place, with the number of places.

        Empty when no card was lost.
        """
        places = Counter(card.serial for card in self.everywhere())
        return {serial: places[serial] for serial in {*self.mint.made, *places} if places[serial] != 1}
