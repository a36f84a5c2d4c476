"""Triple attack blackjack, one round as an honest dealer plays it and keys it (19:47-36.7 to 36.11)."""

from typing import ClassVar

from pitwarden_client.events.dealer_play import KpBoxes, KpDeal, KpDealerDraw, KpDecision
from pitwarden_client.events.dealer_wagers import KpBonusSettled, KpClose, KpNoMoreBets
from pitwarden_simulators.cards import is_blackjack, total
from pitwarden_simulators.table.actions import Script
from pitwarden_simulators.table.dealers import RoundVoid
from pitwarden_simulators.table.layout import SimulatedHand
from pitwarden_simulators.table.triple_attack_reader import TabReader

_GOAL = 21
_STAND_HARD = 17
_LONG = 6  # 36.5(b): six cards below 21 have won already


class TabDealer(TabReader):
    """Dealer of triple attack blackjack.

    `stand_soft`: where the dealer stands on a soft hand (36.11(b)); `start`: the inputs before the first card.
    """

    stand_soft: ClassVar[int] = 18
    most_hands: ClassVar[int] = 4  # 36.9(c)
    start: ClassVar[type[KpDeal | KpNoMoreBets]] = KpDeal

    def play_round(self) -> Script[None]:
        """Play one round, from the first attack wagers to the discard rack."""
        table = self.table
        overdue = self.cut_seen
        table.round += 1
        boxes = table.players.boxes()
        table.layout.clear(boxes)
        yield from self.key(KpBoxes(boxes=boxes))
        yield from self.floor.resume()
        yield from self.key(self.start())
        try:
            yield from self.deal(boxes, overdue=overdue)
            if not (yield from self.blackjack_shown()):
                yield from self._players_play()
                yield from self._dealer_plays()
        except RoundVoid as void:
            self.shuffle_due |= void.shuffle
        yield from self.end_round()
        yield from self.reader_back()

    def deal(self, boxes: tuple[int, ...], *, overdue: bool) -> Script[None]:
        """Deal two cards to each, in four passes; the hole card face down."""
        for box in boxes:
            self.table.arrange("first")
            yield from self.to_box(box)
            if overdue:
                raise RoundVoid(shuffle=True)
        yield from self.key(KpClose(window="attack2"))
        self.table.arrange("up")
        up = yield from self.draw()
        self.table.layout.dealer.append(up)
        self.table.layout.show([up])
        yield from self.key(KpClose(window="attack3"))
        for box in boxes:
            self.table.arrange("second")
            yield from self.to_box(box)
        self.table.layout.dealer.append((yield from self.draw()))
        yield from self.deal_done()

    def to_box(self, box: int) -> Script[None]:
        """Deal one card face up to the box's first hand."""
        card = yield from self.draw(box)
        self.table.layout.boxes[box][0].cards.append(card)
        self.table.layout.show([card])

    def _players_play(self) -> Script[None]:
        for box, hands in self.table.layout.boxes.items():
            yield from self.announce(box)
            if not is_blackjack(hands[0].cards) or self._doubtful(hands[0]):
                yield from self._play_box(box, hands)

    def announce(self, box: int) -> Script[None]:
        """Announce a box's total and settle its bonus wagers, before it decides (36.7(f))."""
        yield from self.key(KpBonusSettled(box=box))

    def _play_box(self, box: int, hands: list[SimulatedHand]) -> Script[None]:
        place = 0
        while place < len(hands):
            hand = hands[place]
            if len(hand.cards) == 1:
                yield from self._hit(box, hand)
            if hand.doubled or total(hand.cards).points >= _GOAL:
                if not hand.doubled and self._doubtful(hand):
                    yield from self.key(KpDecision(box=box, decision="stand"))
                place += 1
                continue
            decision = self.table.players.decide(hand, self.table.layout.dealer[0], len(hands), self.most_hands)
            yield from self.key(KpDecision(box=box, decision=decision))
            if decision == "stand":
                place += 1
            elif decision == "split":
                moved = hand.cards.pop()
                hand.split_from = moved.rank
                hands.insert(place + 1, SimulatedHand([moved], split_from=moved.rank))
            else:
                hand.doubled = decision == "double"
                yield from self._hit(box, hand)

    def _doubtful(self, hand: SimulatedHand) -> bool:
        """Return whether the terminal cannot know this hand's total: the shoe misread one of its cards."""
        return any(card.serial in self.refuted for card in hand.cards)

    def _hit(self, box: int, hand: SimulatedHand) -> Script[None]:
        card = yield from self.draw(box)
        hand.cards.append(card)
        self.table.layout.show([card])
        yield from self.glance()

    def _dealer_plays(self) -> Script[None]:
        """Turn the hole card, then draw the dealer's own cards while they can matter (36.11(b), (c))."""
        yield from self.turn_hole()
        dealer = self.table.layout.dealer
        while self.matters() and self._must_draw():
            yield from self.key(KpDealerDraw())
            card = yield from self.draw()
            dealer.append(card)
            self.table.layout.show([card])

    def _must_draw(self) -> bool:
        points = total(self.table.layout.dealer)
        return points.points < (self.stand_soft if points.soft else _STAND_HARD)

    def matters(self) -> bool:
        """Return whether a hand is left that the dealer's total decides."""
        hands = [hand.cards for hands in self.table.layout.boxes.values() for hand in hands]
        return any(total(cards).points < _GOAL and len(cards) < _LONG for cards in hands)
