"""Random sequences: honest play of a simulated table, cards that should not be in the shoe, and slips of its people."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_tools.oracle.said import Setup

SUITS: Final = "CDHS"
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class Sequence:
    """A table and its lines; the first `opening` of them open the table. `honest`: nothing goes wrong in it."""

    setup: Setup
    lines: tuple[str, ...]
    opening: int
    honest: bool = False


class VoidError(Exception):
    """The round is void or dead. Policy: the simulated dealer collects, returns the wagers and shuffles.

    Example: the second 10 since the shuffle was drawn for box 2.
    """


@dataclass(slots=True)
class OracleNight:
    """What is said at the table so far; `trouble`: how likely a card is one that should not be there.

    `wild`: decks may come preshuffled, and cards lie face up where one hand or deal ends and the next begins.
    """

    rng: Random
    setup: Setup
    trouble: float
    wild: bool = False
    lines: list[str] = field(default_factory=list)
    preshuffled: set[str] = field(default_factory=set)

    def say(self, *lines: str) -> None:
        """Lines, in their order."""
        self.lines.extend(lines)

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens now."""
        return self.rng.random() < probability

    def open_devices(self) -> None:
        """The table opens; its devices are inspected."""
        self.say("ft.table_open", "ft.inspect shoe ok")
        if self.setup.shuffler:
            self.say("ft.inspect shuffler ok")
        if self.setup.reader:
            self.say("ft.inspect reader ok")

    def open_deck(self, deck: str, colour: str, tens: int) -> None:
        """A deck is opened and inspected, or comes preshuffled and is cut."""
        self.say(f"ft.deck_opened {deck} {colour}")
        if self.wild and self.chance(0.2):
            self.preshuffled.add(deck)
            self.say(f"ft.opening {deck} preshuffled 0", "kp.cut dealer")
        else:
            self.say(f"ft.opening {deck} table {tens}")

    def machine(self, deck: str, count: int) -> None:
        """A shuffle: a cycle of the shuffler, at times with a fault before it, or by hand where there is none.

        What came preshuffled needs none the first time.
        """
        if deck in self.preshuffled:
            self.preshuffled.discard(deck)
            return
        if not self.setup.shuffler:
            self.say(f"kp.manual_shuffle {deck}", "kp.cut dealer")
            return
        if self.chance(self.trouble):
            self.say(f"sf.start {deck}", f"sf.fault {deck} {self.rng.choice(('jam', 'stopped', 'incomplete'))}")
        shown = str(count) if self.setup.counts else "-"
        self.say(f"sf.start {deck}", f"sf.done {deck} {shown}")
