"""3 Card Blitz, one round as an honest dealer plays it and keys it (13:69F-51.7, 51.9, 51.10)."""

from pitwarden_client.events.dealer_cards import KpHands
from pitwarden_client.events.dealer_play import KpBoxes, KpDealerReveal, KpDecision, KpReveal, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpNoMoreBets
from pitwarden_simulators.cards import Card
from pitwarden_simulators.table.actions import AwaitStored, Script, Wait
from pitwarden_simulators.table.blitz_deck import HAND, CbDecks
from pitwarden_simulators.table.dealers import GRACE_MS, RoundVoid


class CbDealer(CbDecks):
    """Dealer of 3 Card Blitz."""

    def play_round(self) -> Script[None]:
        """Play one round, from the Ante to the discard rack, and prepare the deck of the next one."""
        table = self.table
        table.round += 1
        self.since_count += 1
        boxes = table.players.boxes()
        table.layout.clear(boxes)
        yield from self.key(KpBoxes(boxes=boxes))
        yield from self.floor.resume()
        yield from self.key(KpNoMoreBets())
        yield from self.count_late()
        try:
            yield from self._deal(boxes)
            staying = yield from self._decide(boxes)
            yield from self._stub_to_rack()
            yield from self._reveal(staying)
        except RoundVoid:
            yield from self._empty_shoe()
        table.layout.collect()
        yield from self.key(KpRoundEnd())
        yield from self.next_deck()

    def _deal(self, boxes: tuple[int, ...]) -> Script[None]:
        """Deal seven face down to each box and to the dealer: in stacks, or one card to each in turn, seven times."""
        hands = [self.table.layout.boxes[box][0].cards for box in boxes] + [self.table.layout.dealer]
        if self.table.setup.automated:
            for hand in hands:
                hand.extend((yield from self._stack()))
            return
        for _ in range(HAND):
            for hand in hands:
                hand.extend((yield from self._card()))

    def _stack(self) -> Script[tuple[Card, ...]]:
        """Dispense one stack of the automated shoe; a jam or a wrong stack ends the round (51.12(b), (d))."""
        jams = self.table.shoe.jam_next
        took = self.table.shoe.dispense(HAND)
        yield from self.line_trouble("shoe")
        yield AwaitStored("shoe")
        self.table.cards_dealt += len(took)
        if jams or len(took) != HAND:
            self.table.layout.aside += took
            raise RoundVoid(shuffle=True)
        yield from self.glance()
        return took

    def _card(self) -> Script[tuple[Card, ...]]:
        """Draw from the manual shoe, two cards if they stick together.

        A card found face up ends the round (51.12(a)).
        """
        drawn = self.table.shoe.draw()
        yield from self.line_trouble("shoe")
        yield AwaitStored("shoe")
        self.table.cards_dealt += len(drawn)
        cards = tuple(one.card for one in drawn)
        if any(card.turned for card in cards):
            self.table.layout.show(cards)
            self.table.layout.aside += cards
            raise RoundVoid(shuffle=True)
        yield from self.glance()
        return cards

    def _decide(self, boxes: tuple[int, ...]) -> Script[tuple[int, ...]]:
        """Let each box fold or play; return the boxes that play."""
        staying: list[int] = []
        doubtful = self.table.mishap("count_hands")
        if doubtful:
            yield Wait(GRACE_MS, whole=True)
        for box in boxes:
            plays = self.table.players.plays()
            yield from self.key(KpDecision(box=box, decision="play" if plays else "fold"))
            if plays:
                staying.append(box)
            if doubtful:
                doubtful = False
                yield from self.floor.attend()
                yield from self.key(KpHands(counts=self.hands()))
        return tuple(staying)

    def _stub_to_rack(self) -> Script[None]:
        """Count the stub when due, and rack it unexposed (51.7(e)1, 51.9(c), 51.10(d))."""
        if not (yield from self.count_stub(len(self.table.shoe.cards))):
            raise RoundVoid(shuffle=True)
        yield from self._empty_shoe()

    def _empty_shoe(self) -> Script[None]:
        layout, shoe = self.table.layout, self.table.shoe
        if self.table.setup.automated:
            layout.rack += shoe.unload()
            yield AwaitStored("shoe")
        else:
            layout.rack += shoe.lift()
        layout.rack += layout.aside
        layout.aside = []

    def _reveal(self, staying: tuple[int, ...]) -> Script[None]:
        """Reveal the dealer's seven, then each hand that stayed in, from the right (51.10(d), (e))."""
        layout = self.table.layout
        yield from self.key(KpDealerReveal())
        layout.show(layout.dealer)
        for box in reversed(staying):
            yield from self.key(KpReveal(box=box))
            layout.show(layout.boxes[box][0].cards)
