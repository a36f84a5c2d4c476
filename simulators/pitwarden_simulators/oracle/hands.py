"""A box and its hands after the initial two cards: 36.7(g), 36.8, 36.9, 36.11(a)."""

from dataclasses import dataclass, field, replace
from typing import Final

from pitwarden_simulators.oracle.points import GAME, LONG_HAND, PAIR, blackjack, rank, total, value

MOST_HANDS: Final = 4


@dataclass(slots=True)
class Hand:
    """The cards of one hand; `done`: its player's decisions are made."""

    cards: list[str] = field(default_factory=list)
    split: bool = False
    doubled: bool = False
    done: bool = False

    @property
    def over(self) -> bool:
        """Nothing can be decided any more: stood, doubled, blackjack, 21 or more."""
        return self.done or total(self.cards)[0] >= GAME

    @property
    def settled_without_dealer(self) -> bool:
        """36.5(a), (b): over 21, 21, or six cards: the dealer's total has no effect."""
        return total(self.cards)[0] >= GAME or len(self.cards) >= LONG_HAND


@dataclass(slots=True)
class Box:
    """The hands of one box; `owed`: a card that was asked for and not yet dealt."""

    number: int
    hands: list[Hand] = field(default_factory=lambda: [Hand()])
    owed: bool = False
    bonus_settled: bool = False
    late: bool = False
    refused: bool = False
    dead: bool = False

    def copy(self) -> "Box":
        """This box as it is now."""
        return replace(self, hands=[replace(hand, cards=list(hand.cards)) for hand in self.hands])

    @property
    def undecided(self) -> bool:
        """Whether decisions or cards are outstanding."""
        return not self.dead and (self.owed or any(not hand.over for hand in self.hands))

    @property
    def hand(self) -> Hand | None:
        """The first incomplete hand at the dealer's left (36.9(b)); the one that a card is owed to comes first."""
        return next((hand for hand in self.hands if not hand.over), None)

    def forbids(self, decision: str) -> str:
        """Under which numbers `decision` is not allowed; empty when it is."""
        hand = self.hand
        if hand is None or self.dead:
            return self._finished(decision)
        aces = hand.split and rank(hand.cards[0]) == "A"
        if decision == "hit" and aces:
            return "TAB-29"
        if decision == "split":
            return self._no_split(hand, aces=aces)
        return ""

    def _finished(self, decision: str) -> str:
        """36.11(a)1: no card on a blackjack or on 21; 36.8(a), 36.11(a)2: one card only on a doubled hand."""
        last = self.hands[-1]
        if len(self.hands) > 1 or self.dead:
            return "any"
        if last.doubled:
            return "TAB-26|TAB-30"
        if total(last.cards)[0] == GAME:
            return {"hit": "TAB-30", "double": "TAB-26|TAB-30", "split": "TAB-28|TAB-30"}.get(decision, "any")
        return "any"

    def _no_split(self, hand: Hand, *, aces: bool) -> str:
        """36.9(a), (c): two cards of equal value, at most four hands; aces are split once (C-56)."""
        if len(hand.cards) != PAIR or value(hand.cards[0]) != value(hand.cards[1]):
            return "TAB-28"
        if aces:
            return "TAB-28|TAB-29"
        return "TAB-28" if len(self.hands) >= MOST_HANDS else ""

    def decide(self, decision: str) -> bool:
        """Carries out a decision that is allowed; whether a card is owed for it."""
        hand = self.hand
        if hand is None:
            return False
        if decision == "stand":
            hand.done = True
            self.owed = self._next_half_waits()
        elif decision == "split":
            at = self.hands.index(hand)
            self.hands[at : at + 1] = [Hand([card], split=True) for card in hand.cards]
            self.owed = True
        else:
            hand.doubled = decision == "double"
            self.owed = True
        return self.owed

    def take(self, card: str) -> None:
        """The card that was owed."""
        hand = self.hand
        if hand is None:
            return
        hand.cards.append(card)
        hand.done = hand.doubled
        self.owed = self._next_half_waits()

    def _next_half_waits(self) -> bool:
        """36.9(b), (c): each half gets its second card before its decisions."""
        following = self.hand
        return following is not None and len(following.cards) < PAIR

    @property
    def natural(self) -> bool:
        """A blackjack: not after a split."""
        return len(self.hands) == 1 and not self.hands[0].split and blackjack(self.hands[0].cards)
