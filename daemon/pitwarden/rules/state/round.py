"""State of one round of play: drawn cards, hands, wagers, use of the hole-card reader, and the round in progress.

Threat: anyone who reads the bus or a log line. Hidden faces and the reader's bit have no repr.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from pitwarden_client.events.outputs import WagerOutcome


@dataclass(frozen=True)
class WagerStake:
    """Wager as it was keyed. Bettors of a box are numbered from 1: the player who calls the decisions."""

    wager: str
    box: int
    bettor: int
    cents: int | None
    """Amount; None where it was not keyed."""


@dataclass(frozen=True)
class KeyedSettlement:
    """Settlement as it was keyed, with its result."""

    wager: str
    box: int
    half: str | None
    """Hand as in `PlayerHand.half`; None where it was not named."""
    result: str
    number: int
    """Number of the log row on which it was keyed."""


@dataclass(frozen=True)
class RoundWagers:
    """Wagers of one round: keyed stakes and settlements, and the outcomes that were announced."""

    stakes: tuple[WagerStake, ...] = ()
    paid: tuple[KeyedSettlement, ...] = ()
    """Settlements that were keyed with a result, in the order of keying."""
    surrendered: tuple[int, ...] = ()
    """Boxes that surrendered."""
    dead: tuple[str, ...] = ()
    """Hands that were called dead, such as `box2b`."""
    told: tuple[WagerOutcome, ...] = ()
    """Latest announced outcome of each wager of each hand."""


NONE = RoundWagers()
"""Wagers of a round in which no wager was keyed and none is decided yet."""


DrawFate = Literal["", "card", "burn", "ten", "joker", "up", "extra", "burned", "dead"]
"""Destination of a drawn card; empty before the first. `card`: a hand of the deal or of the play. `burn`: the burn
card. `ten`, `joker`, `up`: a card found in the shoe. `extra`: no destination yet. `burned`: burned since the dealer's
total stands. `dead`: a round that is void."""


@dataclass(frozen=True)
class DrawnCard:
    """One card that left the shoe. Identified by `place`."""

    epoch: str
    number: int
    """Number of the log row, in `epoch`, on which it left the shoe."""
    index: int
    """Place of the card in that row, from 0: more than one in a stack."""
    at_ms: int
    """Log time of the row in milliseconds."""
    face: int = field(repr=False)
    """Face as in `card_faces`; -1 in place of a face that is unknown to the rules."""
    exposed: bool = False
    """True after it was keyed as drawn in error and seen by the players."""
    burn: bool = False
    """True where a burn was due when the card was drawn."""

    @property
    def row(self) -> str:
        """Log row on which the card left the shoe, as `epoch:number`. Log numbers begin at 1 in each epoch."""
        return f"{self.epoch}:{self.number}"

    @cached_property
    def place(self) -> tuple[str, int, int]:
        """Key of this draw: epoch, number and index. Cached, as no copy of a card changes one of them."""
        return self.epoch, self.number, self.index


@dataclass(frozen=True)
class PlayerHand:
    """A player's hand during play."""

    box: int
    half: str = ""
    """Empty for the first hand of a box, then `b`, `c`, `d` after splits."""
    cards: tuple[DrawnCard, ...] = ()
    done: bool = False
    """True after a key that ends the hand: stand, a double's card, surrender, a dead hand."""
    doubled: bool = False
    """True after a double; one more card completes the hand."""
    ace: bool = False
    """True for a split ace."""
    passed: bool = False
    """True where the next hand of the box was dealt its card although no key ended this one. The hand holds an unread
    card, or is a split ace with its one card."""

    @property
    def target(self) -> str:
        """Name of the hand in a slot, such as `box2` or `box2b`."""
        return f"box{self.box}{self.half}"


@dataclass(frozen=True)
class ReaderUse:
    """Use of the hole-card reader in this round."""

    inserted: int = 0
    """Number of the log row on which a card was inserted; 0 before."""
    inserted_ms: int = 0
    """Log time of that row in milliseconds."""
    answered: int = 0
    """Number of the log row of the answer; 0 before."""
    epoch: str = ""
    """Epoch of both numbers."""
    misused: bool = False
    """True when the up card does not call for the reader: its answer is never published."""
    empty: bool = False
    """True when no hole card was dealt at the insertion: the answer is no check of it, and is dropped."""
    failed: bool = False
    """True when the reader was not usable, or answered late: there is no answer in this round (36.14(m))."""
    said: bool = False
    """True once the answer was published."""
    bit: bool | None = field(default=None, repr=False)
    """Sealed answer, True for a blackjack; None before it."""


@dataclass(frozen=True)
class RoundState:
    """One round of play, from its first key or card to `kp.round_end`.

    Boxes and hands are named as in slots: `box2`, `box2b`, `dealer`. Tuples are in the order of the log unless a field
    states another order. The initial cards of a hand are in `dealt` as well. Any other drawn card of the round is in at
    most one of the hands, `dealer`, `extras`, `parked`, `found` and `spent`.
    """

    number: int = 0
    """Number of the round at this table, from 1; 0 before the first."""
    open: bool = False
    """True from its beginning to `kp.round_end`, also while it is void."""
    over: bool = False
    """True while a live irregularity makes the round void or all its hands dead; nothing is published then."""
    short: bool = False
    """True when the shoe did not have enough cards for it (36.14(g))."""
    shuffled: bool = False
    """True when its deck was shuffled before its end was keyed."""
    carried: int = 0
    """Number of cards in `dealt` that were drawn in error in the last round."""
    deck: str = ""
    """Deck that it is dealt from; empty until a card or a load names it."""
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
    bets_closed: bool = False
    """True once the key that begins the deal came."""
    windows: tuple[str, ...] = ()
    """Keys that opened and closed wager windows, such as `open insurance`."""
    steps: tuple[str, ...] = ()
    """Keyed steps between the deal and play, by the key of their profile rule."""
    choices: tuple[tuple[int, str], ...] = ()
    """Choices keyed in this round, as `(box, "keep" or "switch")`; a box occurs once."""
    dealt: tuple[DrawnCard, ...] = ()
    """Cards of the initial deal in draw order; the layout assigns their slots by position."""
    stacks: tuple[int, ...] = ()
    """Sizes of the stacks that the shoe dispensed."""
    marks: tuple[int, ...] = ()
    """Number of cards out when each pass of the deal ended, without those of `early`, one number for each ended pass;
    `layout.UNMARKED` where no key of its own ends it, `layout.SKIPPED` where that key is missing."""
    early: int = 0
    """Cards keyed as drawn in error since the last pass ended, when it had all its cards; they belong to the next."""
    swaps: tuple[tuple[str, str], ...] = ()
    """Pairs of slots whose cards were keyed as misplaced."""
    hands: tuple[PlayerHand, ...] = ()
    """Players' hands, in the order of play; empty until the initial deal is complete."""
    asked: tuple[str, ...] = ()
    """Hands that requested a card and have not got it; the next card is for the first of them."""
    out_of_turn: bool = False
    """True after a card was requested out of turn: that key may be a mistake, and a later one its correction."""
    contested: DrawnCard | None = None
    """Card that was dealt last, where another hand had requested one too; None for none."""
    skipped: tuple[str, ...] = ()
    """Hands that did not get the card that they requested (36.14(i))."""
    owed: tuple[int, ...] = ()
    """Boxes for which that was keyed, until their hand is dead (36.14(i))."""
    taking: tuple[int, ...] = ()
    """Boxes that chose to take the missed card after all other players."""
    dealer: tuple[DrawnCard, ...] = ()
    """Cards that the dealer drew after the initial deal."""
    extras: tuple[DrawnCard, ...] = ()
    """Cards drawn after the initial deal that no hand requested yet."""
    parked: tuple[DrawnCard, ...] = ()
    """Cards drawn in error that the next hand to request a card is dealt, oldest first."""
    refused: tuple[int, ...] = ()
    """Boxes that refused the exposed card and are dealt no more (36.14(e))."""
    decided: tuple[int, ...] = ()
    """Boxes that decided on their complete hand: play or fold (51.10(c))."""
    folded: tuple[int, ...] = ()
    """Boxes of `decided` that folded."""
    bonus: tuple[int, ...] = ()
    """Boxes whose bonus wagers were keyed as settled."""
    wagers: tuple[str, ...] = ()
    """Keyed wagers, such as `ib 2`."""
    hole_up: bool = False
    """True once the dealer's hidden cards count as shown: the hole card, or the dealer's hand of 3 Card Blitz."""
    hole_held: bool = False
    """True while they were keyed as turned and a further key must agree before they count as shown."""
    laid: int = -1
    """Number of cards out when the deal was keyed as done with the hole card last; -1 before."""
    one_cards: int = 0
    """Number of times that a second card was keyed as forgotten."""
    burn_doubt: int = 0
    """Number of cards out when a burn card may have been among them; these are never published."""
    relieved: int = -1
    """Value of `ShoeState.drawn` when a dealer came in the middle of the round; -1 for none."""
    sealed: frozenset[tuple[str, int, int]] = frozenset()
    """Cards drawn next after such a key. One of them may be the burn card, and no key publishes them."""
    found_doubt: bool = False
    """True when a found card was keyed and the place of another card, perhaps a hidden one, depends on it."""
    choice_doubt: bool = False
    """True after a choice or a decision on a complete hand was refused or came out of order: no choice shows a hand
    then."""
    found: tuple[DrawnCard, ...] = ()
    """Cards keyed as found that only the hole card, once shown, makes public."""
    spent: tuple[DrawnCard, ...] = ()
    """Exposed cards that no hand could use; a second key makes them public."""
    played_on: bool = False
    """True after a decision of the play was keyed."""
    shown: tuple[str, ...] = ()
    """Hands keyed as turned."""
    insurance_settled: bool = False
    reader: ReaderUse = ReaderUse()
    stub: int | None = None
    """Keyed number of cards in the stub; None before the count."""
    counts: tuple[int, ...] = ()
    """Keyed numbers of cards in the hands, in the order of keying."""
    settled: tuple[str, ...] = ()
    """Keyed settlements, such as `box2 attack2`, `box2 bonus` or `insurance`."""
    bets: RoundWagers = NONE
    revealed: frozenset[tuple[str, int, int]] = frozenset()
    """Keys of the published cards; never shrinks within a round."""
    unproved: frozenset[tuple[str, int, int]] = frozenset()
    """Cards that waited face down and went to a hand by a key out of turn. They stay sealed until a later request is
    dealt to, since that key may be a mistake."""
    doubtful: frozenset[tuple[str, int, int]] = frozenset()
    """Cards drawn for a request that may have been a mistake. Each may have been drawn in error (36.14(c)) and stays
    sealed until a row follows that would not be the next one then."""
    slots: tuple[tuple[tuple[str, int, int], str], ...] = ()
    """Slot of each card that was published in this round, as published last."""

    @property
    def opened(self) -> frozenset[str]:
        """Windows that were opened in this round, closed again or not."""
        return frozenset(window.removeprefix("open ") for window in self.windows if window.startswith("open "))

    @property
    def closed(self) -> frozenset[str]:
        """Windows whose last key is a close."""
        last = {window.split(" ", 1)[1]: window for window in self.windows}
        return frozenset(name for name, window in last.items() if window.startswith("close "))

    @property
    def keyed_after_deal(self) -> bool:
        """True when a key proves that hands were dealt: a decision, a turned hand, a count of stub or hands."""
        return bool(self.decided or self.shown or self.counts or self.stub is not None)

    @property
    def active(self) -> tuple[int, ...]:
        """Boxes that are dealt to, ascending."""
        return tuple(box for box in self.boxes if box not in self.out) if self.out else self.boxes

    @property
    def completing(self) -> bool:
        """True while a round continues although the shoe did not have enough cards for it (36.14(g))."""
        return self.short and not self.over
