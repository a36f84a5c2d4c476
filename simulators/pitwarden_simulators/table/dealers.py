"""Common acts of dealers in all games: terminal inputs, the shuffler's work, and the two early ends of a round."""

from collections.abc import Sequence

from pitwarden_client.events.dealer import DealerAct
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.actions import AwaitStored, Cable, DeviceName, KeyPress, Script, Wait
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.table import SimulatedTable

_CYCLE_MS = 20_000
# Keypad and shoe may race by one second; the tick after it needs another.
GRACE_MS = 2_500


class RoundVoid(Exception):  # noqa: N818  the verdict's name, not an error of the program
    """The round is void or all hands are dead. `shuffle`: all cards are shuffled again before the next round."""

    def __init__(self, *, shuffle: bool) -> None:
        super().__init__("the round is over early")
        self.shuffle = shuffle


class Dealer:
    """Dealer at a table, with a floorperson. `wary`: the dealer checks the light after the next card."""

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        self.table = table
        self.floor = floor
        self.person = "d1"
        self.wary = False

    def key(self, act: DealerAct) -> Script[None]:
        """Key an act of the dealer."""
        yield KeyPress("dealer", self.person, act)

    def machine(self, deck: str, cards: Sequence[Card]) -> Script[None]:
        """Shuffle `cards` by machine; after a jam, the same cards again (19:47-36.14(j), 13:69F-51.12(c))."""
        shuffler = self.table.shuffler
        self.table.shuffles += 1
        shuffler.start(deck, cards)
        yield AwaitStored("shuffler")
        if "shuffler" in self.table.uninspected:
            yield from self.floor.attend()
            yield from self.floor.inspect("shuffler")
            self.table.uninspected.remove("shuffler")
        completed = yield from self._cycle()
        if not completed:
            self.table.happened("jam")
            yield from self.floor.attend()
            shuffler.restart()
            yield AwaitStored("shuffler")
            yield from self._cycle()

    def _cycle(self) -> Script[bool]:
        """Run one cycle of the shuffler, possibly unplugged; return whether it completed."""
        pulled = self.table.mishap("unplug")
        if pulled:
            yield Cable("shuffler", "unplug")
        yield Wait(_CYCLE_MS)
        completed = self.table.shuffler.finish()
        if pulled:
            yield Cable("shuffler", "replug")
        yield AwaitStored("shuffler")
        return completed

    def glance(self) -> Script[None]:
        """Check the light, if wary, and call the floorperson when it is red."""
        if self.wary:
            self.wary = False
            yield Wait(GRACE_MS, whole=True)
            yield from self.floor.resume()

    def line_trouble(self, device: DeviceName) -> Script[None]:
        """Disturb a device's line right after an event, before the host has received it."""
        if self.table.mishap("reboot"):
            yield Cable(device, "reboot")
        elif self.table.mishap("noise"):
            yield Cable(device, "noise")
        else:
            return
        yield AwaitStored(device)
        yield from self.floor.resume()
