"""3 Card Blitz: the count of the stub once in five rounds, 51.7(e), (f), 51.9(d), (e)."""

from typing import Final

from pitwarden_tools.oracle.said import ExpectedFinding, Setup, find

EVERY: Final = 5
FULL: Final = 52
HAND: Final = 7
STUB: Final = "CB-14|CB-22"
WRONG: Final = "CB-16|CB-22|CB-36"


class Counts:
    """Rounds since the deck was last verified; the opening inspection is the first time (C-12)."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.round = 0
        self.table = 0
        self.decks: dict[str, int] = {}
        self.stub_seen: int | None = None
        self.hands_seen: list[int] = []

    def round_begins(self, _deck: str) -> None:
        """Count a round, void or not."""
        self.round += 1
        self.stub_seen, self.hands_seen = None, []

    def at_first_card(self, deck: str) -> list[ExpectedFinding]:
        """Check at a first card that the stub was counted in the last five rounds (51.7(e), 51.9(d)).

        51.8 has no such duty.
        """
        if self.setup.mode == "hand" or not self.setup.knows("kp.stub"):
            return []
        table, own = self.round - self.table, self.round - self.decks.get(deck, 0)
        found = []
        turns = len(self.setup.decks)  # the deck is in play again after this number of rounds
        if max(table, own + turns - 1) >= EVERY:
            found.append(find(STUB, "due", needed=False))
        if table > EVERY:
            found += [find(STUB, "overdue", needed=False), find(STUB, "HOLD", "ALERT")]
        elif own > EVERY:
            found += [find(STUB, "overdue", needed=False), find(STUB, "HOLD", "ALERT", needed=False)]
        return found

    def shuffler_counted(self, deck: str, count: str) -> None:
        """Accept the shuffler's count, if right (51.7(f)); a device that did not count leaves the duty."""
        if count != "-" and int(count) == FULL:
            self._verified(deck)

    def _verified(self, deck: str) -> None:
        self.table = self.decks[deck] = self.round

    def stub(self, count: int, dealt: int, deck: str) -> list[ExpectedFinding]:
        """Check the stub's count: right, or the dealer determines whether the cards were misdealt (51.7(e)1, 2)."""
        self.stub_seen = count
        if self.hands_seen:
            return self._after_the_hands(count, deck)
        if count + dealt == FULL:
            self._verified(deck)
            return [find(STUB, "done", needed=False)]
        return [find("CB-16|CB-22", "HOLD", "ALERT")]

    def _after_the_hands(self, count: int, deck: str) -> list[ExpectedFinding]:
        """Count the stub after the hands: the order of the two keys changes nothing (51.7(e)2)."""
        if count + sum(self.hands_seen) == FULL:
            self._verified(deck)
            return [find(STUB, "done", needed=False)]
        if any(hand != HAND for hand in self.hands_seen):
            return [find(WRONG, "DECK_OUT", "VOID SHUFFLE HOLD ALERT")]
        return [find(WRONG, "VOID DECK_OUT", "HOLD ALERT")]

    def hands(self, hands: list[int], deck: str) -> list[ExpectedFinding]:
        """Check the hands, 51.7(e)2, 51.12(b); "two cards" is read as seven (C-01)."""
        self.hands_seen = hands
        misdealt = any(hand != HAND for hand in hands)
        right = self.stub_seen is None or self.stub_seen + sum(hands) == FULL
        if right and self.stub_seen is not None:
            self._verified(deck)  # 51.7(e)2: "52 cards remain in the deck"
        if not misdealt:
            return [] if right else [find(WRONG, "VOID DECK_OUT")]
        if right:
            return [find(WRONG, "VOID SHUFFLE")]
        return [find(WRONG, "VOID", "SHUFFLE DECK_OUT")]
