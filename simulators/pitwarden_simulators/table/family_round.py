"""Three further games of the blackjack family, as honest dealers play and key them (26.9 to 26.12, 2.26(e), 2B.7)."""

from typing import ClassVar

from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpChoice
from pitwarden_client.events.dealer_wagers import KpAntesCollected, KpClose, KpIbSettled, KpNoMoreBets
from pitwarden_simulators.cards import total
from pitwarden_simulators.table.actions import Script, Wait
from pitwarden_simulators.table.dealers import GRACE_MS
from pitwarden_simulators.table.floor import SimulatedFloor
from pitwarden_simulators.table.layout import SimulatedHand
from pitwarden_simulators.table.table import SimulatedTable
from pitwarden_simulators.table.triple_attack_round import TabDealer

_BUST = 22


class _Family(TabDealer):
    """Dealer who stands on all 17s and settles no bonus wagers before the decisions."""

    checked: ClassVar[frozenset[str]] = frozenset({"A", "K", "Q", "J", "10"})
    stand_soft: ClassVar[int] = 17

    def __init__(self, table: SimulatedTable, floor: SimulatedFloor) -> None:
        super().__init__(table, floor)
        self._forgotten: DealerAct | None = None

    def announce(self, box: int) -> Script[None]:
        """Do nothing: no input is keyed before a box decides."""
        del box
        yield from ()

    def matters(self) -> bool:
        """Return whether a hand of at most 21 is left."""
        hands = [hand.cards for hands in self.table.layout.boxes.values() for hand in hands]
        return any(total(cards).points < _BUST for cards in hands)

    def dealers(self, *, up: bool) -> Script[None]:
        """Draw the dealer's next card, face up or down."""
        if up:
            self.table.arrange("up")
        card = yield from self.draw()
        self.table.layout.dealer.append(card)
        if up:
            self.table.layout.show([card])
        else:
            yield from self.deal_done()

    def key_or_forget(self, mishap: str, act: DealerAct) -> Script[None]:
        """Key what must precede the reader, or forget it until the reader was used."""
        if self._asks_reader and self.table.mishap(mishap):
            self._forgotten = act
        else:
            yield from self.key(act)

    @property
    def _asks_reader(self) -> bool:
        """True if the dealer is about to use the reader, with no insurance before it."""
        return self.table.reader is not None and self.table.layout.dealer[0].rank in self.checked - {"A"}

    def _insert(self) -> Script[bool | None]:
        """Insert the hole card into the reader; a dealer who forgot an input sees the light, and keys it now."""
        answer = yield from super()._insert()
        if self._forgotten is not None:
            yield Wait(GRACE_MS, whole=True)
            yield from self.floor.attend()
            act, self._forgotten = self._forgotten, None
            yield from self.key(act)
            yield from self.floor.resume()
        return answer


class DabDealer(_Family):
    """Dealer of double attack blackjack: the dealer's first card precedes the players'."""

    shows_burn: ClassVar[bool] = False  # its burn text is not in our sources
    checked: ClassVar[frozenset[str]] = frozenset("AKQJ")  # 26.15(l)

    def deal(self, boxes: tuple[int, ...], *, overdue: bool) -> Script[None]:
        """Deal the dealer's card, open the window, deal two to each, and the hole card (26.15(d).

        Public descriptions).
        """
        del overdue
        yield from self.dealers(up=True)
        yield from self.key(KpClose(window="doubleattack"))
        for box in boxes * 2:
            yield from self.to_box(box)
        yield from self.dealers(up=False)


class IbDealer(_Family):
    """Dealer of blackjack with the in-between wager."""

    shows_burn: ClassVar[bool] = False  # its burn text is not in our sources
    start: ClassVar[type[KpNoMoreBets]] = KpNoMoreBets

    def deal(self, boxes: tuple[int, ...], *, overdue: bool) -> Script[None]:
        """Deal two to each, one of the dealer's up between them; settle all in-between wagers (2.26(e))."""
        del overdue
        for box in boxes:
            yield from self.to_box(box)
        yield from self.dealers(up=True)
        for box in boxes:
            yield from self.to_box(box)
        yield from self.dealers(up=False)
        yield from self.key_or_forget("unsettled", KpIbSettled())


class ShDealer(_Family):
    """Dealer of Switch Hands: a pair down and a pair up to each; each player plays one of them."""

    def deal(self, boxes: tuple[int, ...], *, overdue: bool) -> Script[None]:
        """Deal the six passes of 2B.7(d), with the antes and the choices (2B.7(e), (f))."""
        del overdue
        layout = self.table.layout
        for box in boxes:
            layout.boxes[box].append(SimulatedHand())
        for box in boxes * 2:
            layout.boxes[box][1].cards.append((yield from self.draw(box)))
        for box in boxes:
            yield from self.to_box(box)
        yield from self.dealers(up=True)
        for box in boxes:
            yield from self.to_box(box)
        yield from self.dealers(up=False)
        yield from self.key_or_forget("antes_late", KpAntesCollected())
        for box in boxes:
            yield from self._choose(box, last=box == boxes[-1])

    def _choose(self, box: int, *, last: bool) -> Script[None]:
        """Key the choice of a box. A switch turns the pair over; the other pair goes to the rack as it lies.

        Only the last choice is ever forgotten: after a missing one no other box may choose (2B.7(f)).
        """
        layout = self.table.layout
        switches = self.table.players.switches(layout.boxes[box][0])
        act = KpChoice(box=box, choice="switch" if switches else "keep")
        yield from self.key_or_forget("choice_late", act) if last else self.key(act)
        left = layout.boxes[box].pop(0 if switches else 1)
        layout.rack += left.cards
        if switches:
            layout.show(layout.boxes[box][0].cards)
