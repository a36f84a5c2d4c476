"""Cards, hands, wagers and the round in progress.

What is known of the wagers of a round: keyed stakes and settlements, and the outcomes said so far.

The parts of a table's state: draws, hands, the round, the shoe, decks, devices. Hidden faces have no repr.
"""

from dataclasses import dataclass, field
from typing import Literal

from pitwarden_client.events.outputs import WagerOutcome


@dataclass(frozen=True)
class WagerStake:
    """A keyed wager; `cents` is None where the amount was not keyed."""

    wager: str
    box: int
    bettor: int
    cents: int | None


@dataclass(frozen=True)
class KeyedSettlement:
    """A keyed settlement with its result; `half` is None where the hand was not named. `number`: its row of the log."""

    wager: str
    box: int
    half: str | None
    result: str
    number: int


@dataclass(frozen=True)
class RoundWagers:
    """The wagers of one round. `surrendered`: boxes; `dead`: hands, as `box2b`, that were called dead."""

    stakes: tuple[WagerStake, ...] = ()
    paid: tuple[KeyedSettlement, ...] = ()
    surrendered: tuple[int, ...] = ()
    dead: tuple[str, ...] = ()
    told: tuple[WagerOutcome, ...] = ()


NONE = RoundWagers()
"""A round in which no wager was keyed and none is decided yet."""


DrawFate = Literal["", "card", "burn", "ten", "joker", "up", "extra", "burned", "dead"]


@dataclass(frozen=True)
class DrawnCard:
    """One card that left the shoe. `face`: -1 where the shoe did not read it; `burn`: a card was to be burned then."""

    epoch: str
    number: int
    index: int
    at_ms: int
    face: int = field(repr=False)
    exposed: bool = False
    burn: bool = False

    @property
    def row(self) -> str:
        """The log row on which it left the shoe; log numbers begin anew with each epoch."""
        return f"{self.epoch}:{self.number}"

    @property
    def place(self) -> tuple[str, int, int]:
        """What tells this draw from all others."""
        return self.epoch, self.number, self.index


@dataclass(frozen=True)
class PlayerHand:
    """A player's hand in the play of it; `half` is empty, then b, c, d after splits; `ace`: a split ace.

    `passed`: it holds an unread card or is a split ace with its one card, and the half behind it was dealt its own.
    """

    box: int
    half: str = ""
    cards: tuple[DrawnCard, ...] = ()
    done: bool = False
    doubled: bool = False
    ace: bool = False
    passed: bool = False

    @property
    def target(self) -> str:
        """The name of the hand in a slot, as `box2` or `box2b`."""
        return f"box{self.box}{self.half}"


@dataclass(frozen=True)
class ReaderUse:
    """This round's use of the hole-card reader: log numbers, 0 for not yet."""

    inserted: int = 0
    inserted_ms: int = 0
    answered: int = 0
    epoch: str = ""
    misused: bool = False
    failed: bool = False
    said: bool = False
    bit: bool | None = field(default=None, repr=False)


@dataclass(frozen=True)
class RoundState:
    """One round of play, from the first thing keyed or drawn for it to `kp.round_end`.

    `shuffled`: its deck was shuffled before the end was keyed; `carried`: how many of `dealt` waited from the last;
    `hole_out`: boxes that missed their second card when the hole card was dealt already: it comes behind that one;
    `single`: boxes that were dealt one card and declined the second (36.14(h));
    `skipped`: hands that did not get the card they asked for; `taking`: boxes that take it after all others;
    `contested`: the card that was dealt last, where another hand had asked for one too;
    `owed`: boxes of which that was keyed, until their hand is dead (36.14(i)).

    What decides when a card is public (`layout`, `transitions.disclosure`):

    `windows`: the keys that opened and closed wagers in this round, in order, as `open insurance`.
    `hole_up`: the dealer's hidden cards are shown: the hole card, or the dealer's hand of 3 Card Blitz.
    `hole_held`: they were keyed as turned, and a further key must agree before they count as shown.
    `laid`: how many cards were out when the deal was keyed as done with the hole card last; -1 while it was not.
    `one_cards`: how often a second card was keyed as forgotten.
    `burn_doubt`: how many cards were out when a burn card may have been among them; they are never published.
    `relieved`: how many cards the shoe had drawn when a dealer came in the middle of the round, -1 for none.
    `sealed`: the card behind such a key, which may be the burn card; it is never published by a key.
    `found_doubt`: a found card was keyed where the place of another card, perhaps of a hidden one, hangs on it.
    `choice_doubt`: a choice or a decision on a whole hand was refused, or came out of order.
    `found`: cards that were keyed as found and that only the hole card, once shown, makes public.
    `spent`: exposed cards that nobody could use; a second key makes them public.
    `played_on`: a decision of the play was keyed.
    `unproved`: cards that waited face down and went to a hand by a key out of turn, until a later request is dealt to.
    `slots`: where each card that was published in this round lies, as it was published last.
    """

    number: int = 0
    open: bool = False
    over: bool = False
    short: bool = False
    shuffled: bool = False
    carried: int = 0
    deck: str = ""
    boxes: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    options: tuple[int, ...] = ()
    hole_out: tuple[int, ...] = ()
    single: tuple[int, ...] = ()
    bets_closed: bool = False
    windows: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    choices: tuple[tuple[int, str], ...] = ()
    dealt: tuple[DrawnCard, ...] = ()
    stacks: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    early: int = 0
    swaps: tuple[tuple[str, str], ...] = ()
    hands: tuple[PlayerHand, ...] = ()
    asked: tuple[str, ...] = ()
    contested: DrawnCard | None = None
    skipped: tuple[str, ...] = ()
    owed: tuple[int, ...] = ()
    taking: tuple[int, ...] = ()
    dealer: tuple[DrawnCard, ...] = ()
    extras: tuple[DrawnCard, ...] = ()
    parked: tuple[DrawnCard, ...] = ()
    refused: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    bonus: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()
    hole_up: bool = False
    hole_held: bool = False
    laid: int = -1
    one_cards: int = 0
    burn_doubt: int = 0
    relieved: int = -1
    sealed: frozenset[tuple[str, int, int]] = frozenset()
    found_doubt: bool = False
    choice_doubt: bool = False
    found: tuple[DrawnCard, ...] = ()
    spent: tuple[DrawnCard, ...] = ()
    played_on: bool = False
    shown: tuple[str, ...] = ()
    insurance_settled: bool = False
    reader: ReaderUse = ReaderUse()
    stub: int | None = None
    counts: tuple[int, ...] = ()
    settled: tuple[str, ...] = ()
    bets: RoundWagers = NONE
    revealed: frozenset[tuple[str, int, int]] = frozenset()
    unproved: frozenset[tuple[str, int, int]] = frozenset()
    slots: tuple[tuple[tuple[str, int, int], str], ...] = ()

    @property
    def opened(self) -> frozenset[str]:
        """The windows that were opened in this round, be they closed again or not."""
        return frozenset(window.removeprefix("open ") for window in self.windows if window.startswith("open "))

    @property
    def closed(self) -> frozenset[str]:
        """The windows of which the last key is a close."""
        last = {window.split(" ", 1)[1]: window for window in self.windows}
        return frozenset(name for name, window in last.items() if window.startswith("close "))

    @property
    def keyed_after_deal(self) -> bool:
        """Whether a key proves that hands were dealt: a decision, a hand turned, stub or hands counted."""
        return bool(self.decided or self.shown or self.counts or self.stub is not None)

    @property
    def active(self) -> tuple[int, ...]:
        """The boxes that are dealt to."""
        return tuple(box for box in self.boxes if box not in self.out) if self.out else self.boxes

    @property
    def completing(self) -> bool:
        """Whether the round goes on although the shoe had not cards enough for it (36.14(g))."""
        return self.short and not self.over
