"""3 Card Blitz dealt from the hand: which deck may be in play, and what no one can know.

51.2(b)3, 4, 51.4(a), 51.8. Nothing senses the cards: the deck that is dealt is the one that is not in the shuffler, and
where that one is not shuffled, either may be. 51.8 has no count of the stub and removes no deck (C-10).
"""

from dataclasses import dataclass, replace
from typing import Final

from pitwarden_tools.oracle.said import NO_DECK, ExpectedFinding, Setup, TextSilentError, find

LEDGER: Final = "CB-16|CB-17|CB-22|CB-23|PW-LEDGER"


@dataclass(frozen=True, slots=True)
class HandWorld:
    """A course that the keys allow: decks shuffled since they were dealt, the last deck dealt, and any breach."""

    fresh: frozenset[str] = frozenset()
    last: str = ""
    before: str = ""
    breached: bool = False


class HandDecks:
    """Decks of a table that deals from the hand, in every course that the keys allow."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.worlds = {HandWorld()}
        self.in_shuffler = self.rack = ""
        self.running = self.doubt = False

    def started(self, deck: str) -> None:
        """Begin a shuffle: the deck is in the shuffler, and any other one is not."""
        self.in_shuffler, self.running = deck, True
        self._leaves_the_rack(deck)
        self.worlds = {replace(world, fresh=world.fresh - {deck}) for world in self.worlds}

    def shuffled(self, deck: str) -> None:
        """End a shuffle, or receive a preshuffled deck (51.4(a))."""
        self.running = self.running and deck != self.in_shuffler
        self._leaves_the_rack(deck)
        self.worlds = {replace(world, fresh=world.fresh | {deck}, breached=False) for world in self.worlds}

    def _leaves_the_rack(self, deck: str) -> None:
        self.rack = "" if self.rack == deck else self.rack

    def _may_deal(self, world: HandWorld, on_table: frozenset[str]) -> frozenset[str]:
        """Return the decks that may be dealt: the one outside the shuffler, if it is shuffled; else either.

        A deck that was collected lies in the rack (51.2(b)5) until it is shuffled.
        """
        elsewhere = on_table - {self.rack}
        if self.rack and elsewhere and not (self.running and elsewhere == {self.in_shuffler}):
            return elsewhere
        outside = on_table - {self.in_shuffler}
        if not outside or (not self.running and not outside & world.fresh):
            return on_table
        return outside

    def round_begins(self, on_table: frozenset[str]) -> list[ExpectedFinding]:
        """Deal a round: HOLD once each course has dealt a deck that was not shuffled (51.4(a)); ALERT for a repeat."""
        if self.doubt or not on_table:
            raise TextSilentError
        knew = all(world.breached for world in self.worlds)
        made: set[HandWorld] = set()
        for world in self.worlds:
            for deck in self._may_deal(world, on_table):
                stale = world.breached or deck not in world.fresh
                made.add(HandWorld(world.fresh - {deck}, deck, world.last, stale))
        self.worlds, self.rack = made, ""
        found = []
        if all(world.breached for world in made):  # a collected deck may have shown an earlier breach
            found.append(find("CB-07|CB-20", "HOLD", "ALERT", needed=not knew))
        if len(on_table) > 1:
            twice = all(world.last == world.before for world in made)
            found.append(find("CB-03", "ALERT", "HOLD", needed=twice, fresh=True))
        return found

    def collected(self, deck: str) -> None:
        """Collect a deck: it was the one that was dealt (51.2(b)5)."""
        self.worlds, self.rack = {world for world in self.worlds if world.last == deck}, deck
        if not self.worlds:
            raise TextSilentError

    @property
    def deck(self) -> str:
        """Deck in play; `NO_DECK` where the courses differ."""
        decks = {world.last for world in self.worlds}
        return decks.pop() if len(decks) == 1 else NO_DECK


def wrong_stub(deck: str, words: str = "HOLD ALERT") -> list[ExpectedFinding]:
    """Return the finding on a wrong count from the hand: by the ledger, never a void (51.8, C-10)."""
    return [find(LEDGER, "", words, deck=deck)]
