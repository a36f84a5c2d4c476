"""State of one round: its deal, its play, its wager windows, its exceptions and its settlement.

Threat: anyone who reads the bus or a log line. Hidden faces and the reader's bit have no repr (`state.cards`).
Boxes and hands are named as in slots: `box2`, `box2b`, `dealer`. Tuples are in the order of the log unless a field
states another order. The initial cards of a hand are in `RoundDeal.dealt` as well. Any other drawn card of the round is
in at most one of the hands, `RoundPlay.dealer`, and `extras`, `parked`, `found` and `spent` of `RoundExceptions`.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.cards import DrawnCard, PlayerHand, ReaderUse
from pitwarden.rules.state.wagers import NONE, RoundWagers
from pitwarden_client.events.dealer_play import KpDecision

Course = Literal["between", "betting", "closed", "dealing", "dealt", "playing", "dealer", "settling"]
"""Phase of a round, see `state.phase`."""

Aside: TypeAlias = DrawnCard | tuple[DrawnCard, ...] | KpDecision | str
"""Card, stack, decision, or key that ends a pass of the deal as `pass_marks.pass_key` names it."""

# Rows of a void round that are set aside; more of them belong to later rounds, where rounds' ends are not keyed.
MOST_ASIDE: Final = 128
_READER = ReaderUse()


@dataclass(frozen=True)
class RoundDeal:
    """Initial deal of a round: who is dealt to, the cards that left the shoe for it, and the passes that ended."""

    boxes: tuple[int, ...] = ()
    """Keyed boxes, ascending; empty where none are keyed, and then no slot is known."""
    out: tuple[int, ...] = ()
    """Boxes of `boxes` that are dealt nothing: they got no cards, or their hand is dead."""
    late: tuple[int, ...] = ()
    """Boxes that take their second card after all others (36.14(h))."""
    options: tuple[int, ...] = ()
    """Boxes that were dealt one card and have not chosen yet whether to take the second. While there are any, no slot
    is certain."""
    hole_out: tuple[int, ...] = ()
    """Boxes that missed their second card when the hole card was dealt already; the second card comes after the hole
    card."""
    single: tuple[int, ...] = ()
    """Boxes that were dealt one card and declined the second (36.14(h))."""
    carried: int = 0
    """Number of cards in `dealt` that were drawn in error in the last round."""
    dealt: tuple[DrawnCard, ...] = ()
    """Cards of the initial deal in draw order; the layout assigns their slots by position."""
    stacks: tuple[int, ...] = ()
    """Sizes of the stacks that the shoe dispensed."""
    marks: tuple[int, ...] = ()
    """Number of cards out when each pass of the deal ended, without those of `early`, one number for each ended pass;
    `layout.UNMARKED` where no key of its own ends it, `layout.SKIPPED` where that key is missing."""
    hasty: int = -1
    """Place in `marks` of the first pass that a key ended with too few cards, while that key may only have been early;
    -1 for none."""
    early: int = 0
    """Cards keyed as drawn in error since the last pass ended, when it had all its cards; they belong to the next."""
    swaps: tuple[tuple[str, str], ...] = ()
    """Pairs of slots whose cards were keyed as misplaced."""
    laid: int = -1
    """Number of cards out when the deal was keyed as done with the hole card last; -1 before."""

    @property
    def active(self) -> tuple[int, ...]:
        """Boxes that are dealt to, ascending."""
        return tuple(box for box in self.boxes if box not in self.out) if self.out else self.boxes


@dataclass(frozen=True)
class RoundWindows:
    """Wagers of a round, the windows in which they are made, and the steps between the deal and play."""

    bets_closed: bool = False
    """True once the key that begins the deal came."""
    keyed: tuple[str, ...] = ()
    """Keys that opened and closed wager windows, such as `open insurance`."""
    steps: tuple[str, ...] = ()
    """Keyed steps between the deal and play, by the key of their profile rule."""
    choices: tuple[tuple[int, str], ...] = ()
    """Choices keyed in this round, as `(box, "keep" or "switch")`; a box occurs once."""
    wagers: tuple[str, ...] = ()
    """Keyed wagers, such as `ib 2`."""
    bets: RoundWagers = NONE

    @property
    def opened(self) -> frozenset[str]:
        """Windows that were opened in this round, closed again or not."""
        return frozenset(window.removeprefix("open ") for window in self.keyed if window.startswith("open "))

    @property
    def closed(self) -> frozenset[str]:
        """Windows whose last key is a close."""
        last = {window.split(" ", 1)[1]: window for window in self.keyed}
        return frozenset(name for name, window in last.items() if window.startswith("close "))


@dataclass(frozen=True)
class RoundPlay:
    """Play of a round: players' hands, the dealer's hand, and the reader's use."""

    hands: tuple[PlayerHand, ...] = ()
    """Players' hands, in the order of play; empty until the initial deal is complete."""
    asked: tuple[str, ...] = ()
    """Hands that requested a card and have not got it; the next card is for the first of them."""
    played_on: bool = False
    """True after a decision of the play was keyed."""
    decided: tuple[int, ...] = ()
    """Boxes that decided on their complete hand: play or fold (51.10(c))."""
    folded: tuple[int, ...] = ()
    """Boxes of `decided` that folded."""
    dealer: tuple[DrawnCard, ...] = ()
    """Cards that the dealer drew after the initial deal."""
    hole_up: bool = False
    """True once the dealer's hidden cards count as shown: the hole card, or the dealer's hand of 3 Card Blitz."""
    hole_held: bool = False
    """True while they were keyed as turned and a further key must agree before they count as shown."""
    shown: tuple[str, ...] = ()
    """Hands keyed as turned."""
    keys: tuple[tuple[str, int], ...] = ()
    """Latest accepted decision and choice of each box with its row, as `("kp.decision 2", 41)`."""
    reader: ReaderUse = _READER

    def with_key(self, key: str, row: int) -> "RoundPlay":
        """Return this play with the row of `key`, such as `kp.decision 2`, as the latest."""
        return replace(self, keys=(*(one for one in self.keys if one[0] != key), (key, row)))


@dataclass(frozen=True)
class RoundExceptions:
    """Departures from a regular round: cards without a hand, cards that a hand missed, doubts that a late key leaves.

    Secrecy: the fields from `burn_doubt` on keep cards sealed that could be public, since a key may be a mistake.
    """

    short: bool = False
    """True when the shoe did not have enough cards for the round (36.14(g))."""
    shuffled: bool = False
    """True when its deck was shuffled before its end was keyed."""
    extras: tuple[DrawnCard, ...] = ()
    """Cards drawn after the initial deal that no hand requested yet."""
    reach: frozenset[str] = frozenset()
    """Boxes and `dealer` that the cards of `extras` may belong to: a hand that was still drawn to, or any later one
    (36.14(c)). Without meaning while there are none."""
    parked: tuple[DrawnCard, ...] = ()
    """Cards drawn in error that the next hand to request a card is dealt, oldest first."""
    found: tuple[DrawnCard, ...] = ()
    """Cards keyed as found that only the hole card, once shown, makes public."""
    spent: tuple[DrawnCard, ...] = ()
    """Exposed cards that no hand could use; a second key makes them public."""
    refused: tuple[int, ...] = ()
    """Boxes that refused the exposed card and are dealt no more (36.14(e))."""
    contested: DrawnCard | None = None
    """Card that was dealt last, where another hand had requested one too; None for none."""
    skipped: tuple[str, ...] = ()
    """Hands that did not get the card that they requested (36.14(i))."""
    owed: tuple[int, ...] = ()
    """Boxes for which that was keyed, until their hand is dead (36.14(i))."""
    taking: tuple[int, ...] = ()
    """Boxes that chose to take the missed card after all other players."""
    aside: tuple["Aside", ...] = ()
    """Cards drawn, decisions keyed and passes ended while the round is void; they count if the void falls."""
    one_cards: int = 0
    """Number of times that a second card was keyed as forgotten."""
    relieved: int = -1
    """Value of `ShoeState.drawn` when a dealer came in the middle of the round; -1 for none."""
    burn_doubt: int = 0
    """Number of cards out when a burn card may have been among them; these are never published."""
    sealed: frozenset[tuple[str, int, int]] = frozenset()
    """Cards drawn next after such a key. One of them may be the burn card, and no key publishes them."""
    found_doubt: bool = False
    """True when a found card was keyed and the place of another card, perhaps a hidden one, depends on it."""
    choice_doubt: bool = False
    """True after a choice or a decision on a complete hand was refused or came out of order: no choice shows a hand
    then."""
    swap_doubt: bool = False
    """True after a swap was refused and none was keyed since: cards that were dealt face down may be exchanged."""
    out_of_turn: bool = False
    """True after a card was requested out of turn, or a key took a card from a request, as a found or a burn card: that
    key may be a mistake, and a later one its correction. Then a card may be drawn that no hand requested."""
    unproved: frozenset[tuple[str, int, int]] = frozenset()
    """Cards that waited face down and went to a hand by a key out of turn. They stay sealed until a later request is
    dealt to, since that key may be a mistake."""
    doubtful: frozenset[tuple[str, int, int]] = frozenset()
    """Cards drawn for a request that may have been a mistake. Each may have been drawn in error (36.14(c)) and stays
    sealed until a row follows that would not be the next one then."""


@dataclass(frozen=True)
class RoundSettlement:
    """Settlements and counts that were keyed in a round."""

    bonus: tuple[int, ...] = ()
    """Boxes whose bonus wagers were keyed as settled."""
    insurance_settled: bool = False
    settled: tuple[str, ...] = ()
    """Keyed settlements, such as `box2 attack2`, `box2 bonus` or `insurance`."""
    stub: int | None = None
    """Keyed number of cards in the stub; None before the count."""
    counts: tuple[int, ...] = ()
    """Keyed numbers of cards in the hands, in the order of keying."""


_DEAL, _WINDOWS, _PLAY = RoundDeal(), RoundWindows(), RoundPlay()
_EXCEPTIONS, _SETTLEMENT = RoundExceptions(), RoundSettlement()


@dataclass(frozen=True)
class RoundState:
    """One round of play, from its first key or card to `kp.round_end`."""

    number: int = 0
    """Number of the round at this table, from 1; 0 before the first."""
    course: Course = "between"
    """Phase of the round; assigned by `state.phase.moved` alone."""
    void: bool = False
    """True while a live irregularity makes the round void or all its hands dead; nothing is published then. An overlay:
    the course continues below it."""
    deck: str = ""
    """Deck that it is dealt from; empty until a card or a load names it."""
    revealed: frozenset[tuple[str, int, int]] = frozenset()
    """Keys of the published cards; never shrinks within a round."""
    slots: tuple[tuple[tuple[str, int, int], str], ...] = ()
    """Slot of each card that was published in this round, as published last."""
    deal: RoundDeal = _DEAL
    windows: RoundWindows = _WINDOWS
    play: RoundPlay = _PLAY
    exceptions: RoundExceptions = _EXCEPTIONS
    settlement: RoundSettlement = _SETTLEMENT

    def with_aside(self, row: Aside) -> "RoundState":
        """Return this void round with `row` set aside, unless there are more than one round has."""
        if len(self.exceptions.aside) >= MOST_ASIDE:
            return self
        return replace(self, exceptions=replace(self.exceptions, aside=(*self.exceptions.aside, row)))

    @property
    def open(self) -> bool:
        """True from its beginning to `kp.round_end`, also while it is void."""
        return self.course != "between"

    @property
    def live(self) -> bool:
        """True while it is in progress and not void."""
        return self.course != "between" and not self.void

    @property
    def keyed_after_deal(self) -> bool:
        """True when a key proves that hands were dealt: a decision, a turned hand, a count of stub or hands."""
        play, settlement = self.play, self.settlement
        return bool(play.decided or play.shown or settlement.counts or settlement.stub is not None)

    @property
    def unexplained(self) -> frozenset[str]:
        """Boxes, and `dealer`, that a card which no key explains may belong to: their hands are not certain."""
        return self.exceptions.reach if self.exceptions.extras else frozenset()

    @property
    def completing(self) -> bool:
        """True while a round continues although the shoe did not have enough cards for it (36.14(g))."""
        return self.exceptions.short and not self.void
