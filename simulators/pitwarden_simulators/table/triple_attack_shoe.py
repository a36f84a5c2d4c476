"""Triple attack blackjack, the shoe: draws and cards found in them, burns, shuffles (19:47-36.3, .4, .14)."""

from typing import ClassVar

from pitwarden_client.events.card_faces import JOKER, is_ten
from pitwarden_client.events.dealer_cards import KpBurnRequest, KpCut, KpManualShuffle
from pitwarden_client.events.dealer_play import KpDealer, KpRoundEnd
from pitwarden_simulators.cards import Card
from pitwarden_simulators.devices.shoe import Drawn
from pitwarden_simulators.table.actions import AwaitPermit, AwaitStored, Script
from pitwarden_simulators.table.dealers import Dealer, RoundVoid
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.table import SimulatedTable

_SHALLOWEST, _DEEPEST = 0.625, 0.74  # a quarter of the set stays behind the cutting card (36.4(e))
DECK = "A"


class TabShoe(Dealer):
    """Dealer's handling of the set, from the shuffler to the discard rack. `refuted`: cards that the shoe misread.

    `shows_burn`: whether the game's text lets a player ask for the burn card.
    """

    shows_burn: ClassVar[bool] = True

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        super().__init__(table, floor)
        self.cut_seen = False
        self.shuffle_due = False
        self.refuted: set[int] = set()
        self._cut_box: int | None = None
        self._tens = 0
        self._faced = 0

    def draw(self, box: int | None = None) -> Script[Card]:
        """Draw the next usable card, for a box or the dealer, with 36.14(a), (b), (g) on the way."""
        while True:
            if self.table.shoe.cut_after == 0:
                self.cut_seen, self._cut_box = True, box
            drawn = self.table.shoe.draw()
            yield from self.line_trouble("shoe")
            yield AwaitStored("shoe")
            if not drawn:
                yield from self._refill()
                continue
            self.table.cards_dealt += 1
            if (yield from self._usable(drawn[0])):
                return drawn[0].card

    def burn(self) -> Script[None]:
        """Burn one card face down into the rack; show it when a player asks (36.7(c))."""
        yield AwaitPermit()
        card = yield from self.draw()
        self.table.layout.rack.append(card)
        if self.table.players.curious() and self.shows_burn:
            for _ in range(2):  # what was shown cannot be hidden again: it needs a second key
                yield from self.key(KpBurnRequest())
            self.table.layout.show([card])

    def relieve(self, person: str) -> Script[None]:
        """Relieve the dealer: another one comes to the table and burns a card."""
        self.person = person
        yield from self.key(KpDealer(dealer=person))
        yield from self.floor.attend()
        yield from self.burn()

    def first_shoe(self, *, tens: bool) -> Script[None]:
        """Bring the set to the table; it is inspected, shuffled and loaded, and the first dealer burns a card."""
        setup = self.table.setup
        cards = self.table.mint.pack(DECK, setup.in_set, tens=setup.tens)
        yield from self.floor.open_deck(DECK, 4 * setup.in_set if tens and not setup.tens else 0)
        yield from self._shuffled(cards)
        yield from self._load(self.table.shuffler.take())
        yield from self.relieve(self.person)

    def next_shoe(self) -> Script[None]:
        """Rack the rest of the shoe, shuffle and load all cards, and burn one (36.7(l))."""
        layout = self.table.layout
        layout.rack += self.table.shoe.unload()
        yield AwaitStored("shoe")
        cards, layout.rack = layout.rack, []
        if self.table.mishap("manual_shuffle"):
            cards = yield from self._by_hand(cards)
        else:
            yield from self._shuffled(cards)
            cards = self.table.shuffler.take()
        yield from self._load(cards)
        yield from self.floor.attend()
        yield from self.burn()

    def end_round(self) -> Script[None]:
        """Rack all cards (36.7(j)); load a new shoe when due, unless the dealer overlooks it."""
        self.table.layout.collect()
        self.refuted.clear()
        yield from self.key(KpRoundEnd())
        if (self.cut_seen or self.shuffle_due) and not self.table.mishap("ignore_cut"):
            yield from self.next_shoe()

    def _usable(self, drawn: Drawn) -> Script[bool]:
        card, layout = drawn.card, self.table.layout
        ten = drawn.ten_lamp and not self.table.setup.tens
        if ten and not is_ten(card.face):
            yield from self.floor.attend()
            yield from self.floor.refute_ten()
            self.refuted.add(card.serial)
            yield AwaitPermit()
            return True
        if not (ten or card.turned or card.face == JOKER):
            return True
        layout.show([card])
        self._faced += card.turned
        self._tens += ten
        if ten:
            layout.destroyed.append(card)
            yield from self.floor.destroy_ten()
        elif card.face == JOKER:
            layout.removed.append(card)
            yield from self.floor.remove_card(DECK, "a joker was found in the shoe")
        else:
            layout.rack.append(card)
        if self._faced > 1 or self._tens > 1:
            raise RoundVoid(shuffle=True)
        yield from self.floor.attend()
        yield AwaitPermit()
        return False

    def _refill(self) -> Script[None]:
        """Refill the shoe: shuffle and cut the discards, burn one card, continue the round (36.14(g))."""
        self.table.happened("short")
        layout = self.table.layout
        cards, layout.rack = layout.rack, []
        yield from self.machine(DECK, cards)
        yield from self._cut()
        self.table.shoe.load(DECK, self.table.shuffler.take())
        yield AwaitStored("shoe")
        self.shuffle_due = True
        yield from self.floor.attend()
        yield from self.burn()

    def _shuffled(self, cards: list[Card]) -> Script[None]:
        """Shuffle the set until the shuffler's display shows all cards; a dropped card is put back (36.7(l)2)."""
        yield from self.machine(DECK, cards)
        while self.table.shuffler.display != self.table.setup.cards:
            self.table.happened("wrong_count")
            yield from self.floor.attend()
            cards = self.table.shuffler.take() + self.table.shuffler.find()
            yield from self.floor.verify(DECK, len(cards))
            yield from self.machine(DECK, cards)

    def _by_hand(self, cards: list[Card]) -> Script[list[Card]]:
        """Shuffle by hand, after the floorperson had the shuffler removed (36.14(k))."""
        yield from self.key(KpManualShuffle(deck=DECK))
        yield from self.floor.attend()
        yield from self.floor.remove("shuffler")
        yield from self.key(KpManualShuffle(deck=DECK))
        cards = self.table.shuffler.by_hand(DECK, cards)
        yield from self._cut()
        yield from self.floor.install("shuffler")
        return cards

    def _cut(self) -> Script[None]:
        """Offer the cut in the order of 36.4(d); the dealer cuts when no player accepts."""
        offered = (self._cut_box or self.table.setup.positions,)
        by = self.table.players.takes_cut(offered)
        yield from self.key(KpCut(by="dealer" if by is None else by))

    def _load(self, cards: list[Card]) -> Script[None]:
        whole = self.table.setup.cards
        depth = self.table.players.place_cut(round(whole * _SHALLOWEST), round(whole * _DEEPEST))
        self.table.shoe.load(DECK, cards, cut_after=depth)
        yield AwaitStored("shoe")
        self.cut_seen = self.shuffle_due = False
        self._tens = self._faced = 0
