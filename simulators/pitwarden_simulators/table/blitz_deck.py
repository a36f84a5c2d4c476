"""3 Card Blitz, handling of decks: opening, shuffles, loading, the stub, removal of a deck (13:69F-51.2 to 51.9)."""

from pitwarden_client.events.dealer_cards import KpCut, KpHands, KpManualShuffle, KpMode, KpStub
from pitwarden_client.events.dealer_play import KpDealer
from pitwarden_client.events.dealer_wagers import KpCollected
from pitwarden_simulators.cards import CB_CARDS, Card
from pitwarden_simulators.table.actions import AwaitStored, Script
from pitwarden_simulators.table.dealers import Dealer
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.table import SimulatedTable

HAND = 7  # 51.10(a)
STUB_ROUNDS = 5  # 51.7(e), 51.9(d)


class CbDecks(Dealer):
    """Dealer's handling of one deck, or of two in turn."""

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        super().__init__(table, floor)
        self.deck = table.setup.decks[0]
        self.since_count = 0
        self._condemned: str | None = None
        self._overdue = False

    @property
    def other(self) -> str | None:
        """Deck that is not in play; None at a table with one."""
        return next((deck for deck in self.table.setup.decks if deck != self.deck), None)

    def first_decks(self) -> Script[None]:
        """Bring the decks to the table; each is inspected and shuffled, the first is loaded (51.3)."""
        for deck in self.table.setup.decks:
            yield from self._fresh(deck)
        yield from self._load()
        yield from self.key(KpDealer(dealer=self.person))

    def next_deck(self) -> Script[None]:
        """Prepare the next deck: of two, load the other one while this one is shuffled (51.2(b)3, 4)."""
        cards = self._from_rack()
        if self.table.setup.decks[1:]:
            yield from self.key(KpCollected(deck=self.deck))
        self.wary = self.table.mishap("same_deck")
        if self.other is not None and not self.wary:
            played, self.deck = self.deck, self.other
            yield from self._load()
            yield from self._shuffled(played, cards)
            return
        if self.table.mishap("manual_shuffle"):
            yield from self._by_hand(cards)
        else:
            yield from self._shuffled(self.deck, cards)
        yield from self._load()

    def count_stub(self, stub: int) -> Script[bool]:
        """Count the stub when due and, when it is wrong, the hands; return whether the count agreed (51.7(e))."""
        due = not self.table.setup.counting and self.since_count >= STUB_ROUNDS
        if not self.table.mishap("count_now") and (not due or self._forgets_to_count()):
            return True
        self.since_count = 0
        self.table.stub_counts += 1
        layout = self.table.layout
        yield from self.key(KpStub(count=stub))
        if stub == CB_CARDS - HAND * (len(layout.boxes) + 1):
            return True
        hands = self.hands()
        yield from self.key(KpHands(counts=hands))
        if stub + sum(hands) != CB_CARDS:
            self._condemned = self.deck
        return False

    def hands(self) -> tuple[int, ...]:
        """Return the number of cards in each hand, the dealer's last."""
        layout = self.table.layout
        return (*(len(hands[0].cards) for hands in layout.boxes.values()), len(layout.dealer))

    def count_late(self) -> Script[None]:
        """Make the forgotten count before a card is dealt: the complete deck is the stub."""
        if self._overdue:
            self._overdue, self.since_count = False, 1
            self.table.stub_counts += 1
            yield from self.floor.attend()
            yield from self.key(KpStub(count=len(self.table.shoe.cards)))
            yield from self.floor.resume()

    def _forgets_to_count(self) -> bool:
        self._overdue = self.table.mishap("no_count")
        return self._overdue

    def _fresh(self, deck: str) -> Script[None]:
        """Bring a new deck to the table."""
        yield from self.floor.open_deck(deck, 0)
        yield from self._shuffled(deck, self.table.mint.cb_deck(deck))

    def _shuffled(self, deck: str, cards: list[Card]) -> Script[None]:
        """Shuffle a deck by machine; a deck rejected by its count or by the stub is replaced (51.7(e)2, (f))."""
        if self._condemned != deck:
            yield from self.machine(deck, cards)
            cards = self.table.shuffler.take()
            if self.table.shuffler.display in {None, CB_CARDS}:
                self.table.decks[deck] = cards
                return
            self.table.happened("wrong_count")
            cards += self.table.shuffler.find()
        self._condemned = None
        yield from self.floor.attend()
        self.table.layout.removed += cards
        yield from self.floor.return_deck(deck)
        yield from self._fresh(deck)

    def _by_hand(self, cards: list[Card]) -> Script[None]:
        """Shuffle by hand, after the floorperson had the shuffler removed (51.12(e))."""
        yield from self.key(KpManualShuffle(deck=self.deck))
        yield from self.floor.attend()
        yield from self.floor.remove("shuffler")
        yield from self.key(KpManualShuffle(deck=self.deck))
        self.table.decks[self.deck] = self.table.shuffler.by_hand(self.deck, cards)
        yield from self.key(KpCut(by="dealer"))  # 51.4(b), (c): never a player
        yield from self.floor.install("shuffler")

    def other_method(self) -> Script[None]:
        """Begin to deal from a manual shoe while the automated one is still present (51.12(e))."""
        cards = self.table.shoe.unload()
        yield AwaitStored("shoe")
        yield from self.key(KpMode(mode="manual_shoe"))
        yield from self.floor.attend()
        yield from self.floor.remove("shoe")
        yield from self.floor.install("shoe")
        yield from self.key(KpMode(mode="auto_shoe"))
        self.table.decks[self.deck] = list(cards)
        yield from self._load()

    def _load(self) -> Script[None]:
        self.table.shoe.load(self.deck, self.table.decks.pop(self.deck))
        yield AwaitStored("shoe")

    def _from_rack(self) -> list[Card]:
        rack, self.table.layout.rack = self.table.layout.rack, []
        return rack
