"""Box and its hands after the initial two cards: 36.7(g), 36.8, 36.9, 36.11(a); 26.8 to 26.10, 26.12(a); 2B.7(f)."""

from dataclasses import dataclass, field, replace
from typing import Final

from pitwarden_tools.oracle.points import GAME, LONG_HAND, PAIR, blackjack, rank, total, value
from pitwarden_tools.oracle.said import TextSilentError

SIX_POSITIONS: Final = 6


@dataclass(slots=True)
class OracleHand:
    """Cards of one hand; `done`: its player's decisions are made."""

    cards: list[str] = field(default_factory=list)
    split: bool = False
    doubled: bool = False
    done: bool = False

    @property
    def over(self) -> bool:
        """True if no decision is left: stood, doubled, blackjack, 21 or more."""
        return self.done or total(self.cards)[0] >= GAME

    @property
    def split_ace(self) -> bool:
        """True if it began with one of two split aces."""
        return self.split and rank(self.cards[0]) == "A"

    @property
    def complete(self) -> bool:
        """True if it is finished; a split ace with its one card is, unless its player elects to double (36.9(e))."""
        return self.over or (self.split_ace and len(self.cards) == PAIR)


@dataclass(slots=True)
class Box:
    """Hands of one box; `owed`: a requested card that was not dealt yet; `down`: the pair to switch to."""

    number: int
    game: str = "TAB"
    positions: int = SIX_POSITIONS
    hands: list[OracleHand] = field(default_factory=lambda: [OracleHand()])
    down: list[str] = field(default_factory=list)
    chosen: bool = False
    owed: bool = False
    decided: bool = False
    bonus_settled: bool = False
    late: bool = False
    refused: bool = False
    surrendered: bool = False
    dead: bool = False

    def copy(self) -> "Box":
        """Return a copy of this box."""
        hands = [replace(hand, cards=list(hand.cards)) for hand in self.hands]
        return replace(self, hands=hands, down=list(self.down))

    @property
    def undecided(self) -> bool:
        """True if decisions or cards are outstanding."""
        return not self.dead and (self.owed or any(not hand.complete for hand in self.hands))

    @property
    def hand(self) -> OracleHand | None:
        """First incomplete hand at the dealer's left (36.9(b)); one that awaits a card comes first."""
        return next((hand for hand in self.hands if not hand.over), None)

    @property
    def most_hands(self) -> int:
        """Limit of hands: three splits (36.9(c)); 26.10(c): three at six positions, two at seven.

        Else not in our sources.
        """
        return 3 if self.game == "DAB" and self.positions > SIX_POSITIONS else 4

    def settled_without_dealer(self, game: str) -> bool:
        """Return whether no card of the dealer's can matter to this box, as far as our sources decide.

        36.5(a), (b): over 21, 21, or six cards. Elsewhere a hand over 21 has lost; a 21 is not in our texts.
        """
        if self.dead or self.surrendered:
            return True
        long = LONG_HAND if game == "TAB" else GAME
        return all(total(hand.cards)[0] >= GAME or len(hand.cards) >= long for hand in self.hands)

    def forbids(self, decision: str) -> str:
        """Return the subjects of the sentences that forbid `decision`.

        Empty when it is allowed, "any" when none decides.
        """
        hand = self.hand
        if hand is None or self.dead:
            return self._finished(decision)
        if decision == "hit" and hand.split_ace:
            return "aces"
        if decision == "split":
            return self._no_split(hand)
        if decision == "surrender":  # the beginning of 26.8(a) is not in our sources; nor is 2.8; 2A.9 does not apply
            first = not self.decided and self.game == "DAB"
            return "" if first else "any"
        return ""

    def _finished(self, decision: str) -> str:
        """Return what ends a hand: a blackjack or a 21 (36.11(a)1), one card on a doubled hand (36.8(a), 36.11(a)2)."""
        last = self.hands[-1]
        if len(self.hands) > 1 or self.dead or self.surrendered:
            return "any"
        if last.doubled:
            return "double draw"
        if total(last.cards)[0] == GAME:
            return {"hit": "draw", "double": "double draw", "split": "split draw"}.get(decision, "any")
        return "any"

    def _no_split(self, hand: OracleHand) -> str:
        """Return what forbids a split: values, hands, aces split before (36.9(a), (c), 26.10(a), (c), C-56)."""
        if len(hand.cards) != PAIR or value(hand.cards[0]) != value(hand.cards[1]):
            return "split"
        if hand.split_ace:
            return "split aces"
        return "split" if len(self.hands) >= self.most_hands else ""

    def decide(self, decision: str) -> bool:
        """Apply an allowed decision; return whether it requests a card."""
        hand = self.hand
        if hand is None:
            return False
        self.decided = True
        if decision == "stand":
            hand.done = True
            self.owed = self._next_half_waits()
        elif decision == "surrender":
            hand.done = self.surrendered = True
        elif decision == "split":
            if self.game in {"SH", "IB"} and (rank(hand.cards[0]) == "A" or len(self.hands) > 1):
                raise TextSilentError  # 2A.13 and 2.11 are not in our sources
            at = self.hands.index(hand)
            self.hands[at : at + 1] = [OracleHand([card], split=True) for card in hand.cards]
            self.owed = True
        else:
            hand.doubled = decision == "double"
            self.owed = True
        return self.owed

    def take(self, card: str) -> None:
        """Receive the requested card. Each of two split aces gets only one (26.10(e))."""
        hand = self.hand
        if hand is None:
            return
        hand.cards.append(card)
        hand.done = hand.doubled or (hand.split_ace and self.game == "DAB")
        self.owed = self._next_half_waits()

    def choose(self, *, switch: bool) -> None:
        """Choose a pair to play; the other goes to the rack (2B.7(f))."""
        self.chosen = True
        if switch:
            self.hands = [OracleHand(self.down)]

    def _next_half_waits(self) -> bool:
        """Return whether the next half awaits its second card (36.9(b), (c)); none after a refusal (36.14(e))."""
        following = self.hand
        return following is not None and len(following.cards) < PAIR and not self.refused

    @property
    def natural(self) -> bool:
        """True if it is a blackjack: not after a split."""
        return len(self.hands) == 1 and not self.hands[0].split and blackjack(self.hands[0].cards)
