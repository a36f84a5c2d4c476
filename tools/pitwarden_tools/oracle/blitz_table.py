"""State of a table of 3 Card Blitz."""

from typing import Final

from pitwarden_tools.oracle.blitz_counts import Counts
from pitwarden_tools.oracle.blitz_round import BlitzRound
from pitwarden_tools.oracle.house import BLITZ, OracleHouse
from pitwarden_tools.oracle.said import Said, Setup

FULL: Final = 52


class OracleTable:
    """Table with its decks and devices, the counts, and the round in play.

    `deck` was loaded last; `last_deck` is that of the last round; `rack` that of the discard rack; `last` came last.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.house = OracleHouse(setup, BLITZ, FULL)
        self.counts = Counts(setup)
        self.last_deck = ""
        self.deck = ""
        self.rack = ""
        self.last: Said | None = None
        self.round = BlitzRound(setup)

    def twice(self, deck: str) -> bool:
        """Return whether a deck is used twice: with two decks each is used for every other round (51.2(b)4)."""
        there = [name for name, _ in self.setup.decks if name in self.house.opened and name not in self.house.out]
        return len(there) > 1 and deck == self.last_deck
