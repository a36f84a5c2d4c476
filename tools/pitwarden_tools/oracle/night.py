"""Night of the oracle: honest play of a simulated table with foreign cards in the shoe, as lines of a sequence."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from pitwarden_tools.oracle.said import Setup

SUITS: Final = "CDHS"
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class Sequence:
    """Table and its lines; the first `opening` of them open the table. `honest`: nothing goes wrong in it.

    `corners`: the kinds of irregularity that were put into it, each with the line where it begins.
    """

    setup: Setup
    lines: tuple[str, ...]
    opening: int
    honest: bool = False
    corners: tuple[tuple[str, int], ...] = ()


class VoidError(Exception):
    """The round is void or dead. Policy: the simulated dealer collects, returns the wagers and shuffles.

    Example: the second 10 since the shuffle was drawn for box 2.
    """


@dataclass(slots=True)
class OracleNight:
    """Lines of the table so far; `trouble`: probability that a card is a foreign one.

    `wild`: decks may come preshuffled, and cards lie face up where one hand or deal ends and the next begins.
    """

    rng: Random
    setup: Setup
    trouble: float
    wild: bool = False
    lines: list[str] = field(default_factory=list)
    preshuffled: set[str] = field(default_factory=set)

    def append(self, *lines: str) -> None:
        """Append lines, in their order."""
        self.lines.extend(lines)

    def chance(self, probability: float) -> bool:
        """Return whether an event of this probability happens."""
        return self.rng.random() < probability

    def open_devices(self) -> None:
        """Open the table; its devices are inspected."""
        self.append("ft.table_open")
        if self.setup.mode != "hand":
            self.append("ft.inspect shoe ok")
        if self.setup.shuffler:
            self.append("ft.inspect shuffler ok")
        if self.setup.reader:
            self.append("ft.inspect reader ok")

    def open_deck(self, deck: str, colour: str, tens: int) -> None:
        """Open and inspect a deck, or bring it preshuffled and cut it."""
        self.append(f"ft.deck_opened {deck} {colour}")
        if self.wild and self.chance(0.2):
            self.preshuffled.add(deck)
            self.append(f"ft.opening {deck} preshuffled 0", "kp.cut dealer")
        else:
            self.append(f"ft.opening {deck} table {tens}")

    def machine(self, deck: str, count: int) -> None:
        """Shuffle: a cycle of the shuffler, at times with a fault before it, or by hand where there is none.

        A preshuffled deck needs none the first time.
        """
        if deck in self.preshuffled:
            self.preshuffled.discard(deck)
            return
        if not self.setup.shuffler:
            self.append(f"kp.manual_shuffle {deck}", "kp.cut dealer")
            return
        if self.chance(self.trouble):
            self.append(f"sf.start {deck}", f"sf.fault {deck} {self.rng.choice(('jam', 'stopped', 'incomplete'))}")
        shown = str(count) if self.setup.counts else "-"
        self.append(f"sf.start {deck}", f"sf.done {deck} {shown}")
