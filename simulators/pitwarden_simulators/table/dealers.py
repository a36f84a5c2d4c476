"""What dealers of all games share: the terminal, the shuffler's work, and the two ways in which a round ends early."""

from collections.abc import Sequence

from pitwarden_client.events.dealer import DealerAct
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.actions import Cable, DeviceName, Heard, KeyPress, Script, Wait
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.table import SimulatedTable

_CYCLE_MS = 20_000
GRACE_MS = 2_500  # what keypad and shoe may race about waits a second, and for the tick after it


class RoundVoid(Exception):  # noqa: N818  it is the verdict's name, not an error of the program
    """The round is void or all hands are dead. `shuffle`: all cards are shuffled again before the next round."""

    def __init__(self, *, shuffle: bool) -> None:
        super().__init__("the round is over early")
        self.shuffle = shuffle


class Dealer:
    """A dealer at a table, with the floorperson at hand. `wary`: the dealer looks at the light after the next card."""

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        self.table = table
        self.floor = floor
        self.person = "d1"
        self.wary = False

    def key(self, act: DealerAct) -> Script[None]:
        """The dealer keys an act."""
        yield KeyPress("dealer", self.person, act)

    def machine(self, deck: str, cards: Sequence[Card]) -> Script[None]:
        """The shuffler shuffles `cards`; after a jam, the same cards again (19:47-36.14(j), 13:69F-51.12(c))."""
        shuffler = self.table.shuffler
        self.table.shuffles += 1
        shuffler.start(deck, cards)
        yield Heard("shuffler")
        if "shuffler" in self.table.uninspected:
            yield from self.floor.attend()
            yield from self.floor.inspect("shuffler")
            self.table.uninspected.remove("shuffler")
        completed = yield from self._cycle()
        if not completed:
            self.table.happened("jam")
            yield from self.floor.attend()
            shuffler.restart()
            yield Heard("shuffler")
            yield from self._cycle()

    def _cycle(self) -> Script[bool]:
        """The shuffler works, maybe with its cable out; whether it completed."""
        pulled = self.table.slip("unplug")
        if pulled:
            yield Cable("shuffler", "unplug")
        yield Wait(_CYCLE_MS)
        completed = self.table.shuffler.finish()
        if pulled:
            yield Cable("shuffler", "replug")
        yield Heard("shuffler")
        return completed

    def glance(self) -> Script[None]:
        """A dealer who is wary sees the light turn red and calls the floorperson."""
        if self.wary:
            self.wary = False
            yield Wait(GRACE_MS, whole=True)
            yield from self.floor.resume()

    def line_trouble(self, device: DeviceName) -> Script[None]:
        """What happens to a device's line right after it sensed something, before the host has heard it."""
        if self.table.slip("reboot"):
            yield Cable(device, "reboot")
        elif self.table.slip("noise"):
            yield Cable(device, "noise")
        else:
            return
        yield Heard(device)
        yield from self.floor.resume()
