"""State of a table of 3 Card Blitz."""

from typing import Final

from pitwarden_tools.oracle.blitz_counts import Counts
from pitwarden_tools.oracle.blitz_hand import HandDecks
from pitwarden_tools.oracle.blitz_round import BlitzRound
from pitwarden_tools.oracle.house import BLITZ, OracleHouse
from pitwarden_tools.oracle.said import Said, Setup

FULL: Final = 52


class OracleTable:
    """Table with its decks and devices, the counts, and the round in play.

    `deck` was loaded last; `last_deck` is that of the last round; `rack` that of the discard rack; `last` came last.
    `loaded_whole`: the automated shoe got a full deck; `counted_elsewhere`: the shuffler counted the deck in play.
    `mixed`: the rack has cards of both decks, or a deck was keyed as collected that was not dealt.
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.house = OracleHouse(setup, BLITZ, FULL)
        self.counts = Counts(setup)
        self.last_deck = ""
        self.deck = ""
        self.rack = ""
        self.last: Said | None = None
        self.hand = HandDecks(setup)
        self.loaded_whole = self.counted_elsewhere = self.mixed = False
        self.round = BlitzRound(setup)

    @property
    def by_hand(self) -> bool:
        """True if the cards are dealt from the hand (51.8)."""
        return self.setup.mode == "hand"

    @property
    def on_table(self) -> frozenset[str]:
        """Decks that are opened and did not have to leave."""
        return frozenset(name for name, _ in self.setup.decks if name in self.house.opened - self.house.out)

    def twice(self, deck: str) -> bool:
        """Return whether a deck is used twice: with two decks each is used for every other round (51.2(b)4)."""
        there = [name for name, _ in self.setup.decks if name in self.house.opened and name not in self.house.out]
        return len(there) > 1 and deck == self.last_deck
