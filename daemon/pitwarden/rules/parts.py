"""The parts of a table's state: draws, hands, the round, the shoe, decks, devices. Hidden faces have no repr."""

from dataclasses import dataclass, field
from typing import Literal

from pitwarden.rules.outcomes.bets import NONE, Bets
from pitwarden.rules.profile.profile import Mode
from pitwarden.rules.setup.table_setup import DeviceKind

Fate = Literal["", "card", "burn", "ten", "joker", "up", "extra", "burned", "dead"]
"""Where a draw went: a slot, the burn, the found ones, nowhere yet, burned as accidental, into a dead round."""


@dataclass(frozen=True)
class Draw:
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
class Hand:
    """A player's hand in the play of it; `half` is empty, then b, c, d after splits; `ace`: a split ace.

    `passed`: it holds an unread card or is a split ace with its one card, and the half behind it was dealt its own.
    """

    box: int
    half: str = ""
    cards: tuple[Draw, ...] = ()
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
class Round:
    """One round of play, from the first thing keyed or drawn for it to `kp.round_end`.

    `shuffled`: its deck was shuffled before the end was keyed; `carried`: how many of `dealt` waited from the last;
    `hole_out`: boxes that missed their second card when the hole card was dealt already: it comes behind that one;
    `single`: boxes that were dealt one card and declined the second (36.14(h));
    `skipped`: hands that did not get the card they asked for; `taking`: boxes that take it after all others;
    `contested`: the card that was dealt last, where another hand had asked for one too;
    `owed`: boxes of which that was keyed, until their hand is dead (36.14(i)).
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
    opened: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    choices: tuple[tuple[int, str], ...] = ()
    dealt: tuple[Draw, ...] = ()
    stacks: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    early: int = 0
    swaps: tuple[tuple[str, str], ...] = ()
    hands: tuple[Hand, ...] = ()
    asked: tuple[str, ...] = ()
    contested: Draw | None = None
    skipped: tuple[str, ...] = ()
    owed: tuple[int, ...] = ()
    taking: tuple[int, ...] = ()
    dealer: tuple[Draw, ...] = ()
    extras: tuple[Draw, ...] = ()
    parked: tuple[Draw, ...] = ()
    refused: tuple[int, ...] = ()
    decided: tuple[int, ...] = ()
    folded: tuple[int, ...] = ()
    bonus: tuple[int, ...] = ()
    wagers: tuple[str, ...] = ()
    hole_up: bool = False
    shown: tuple[str, ...] = ()
    insurance_settled: bool = False
    reader: ReaderUse = ReaderUse()
    stub: int | None = None
    counts: tuple[int, ...] = ()
    settled: tuple[str, ...] = ()
    bets: Bets = NONE
    revealed: frozenset[tuple[str, int, int]] = frozenset()

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


@dataclass(frozen=True)
class Shoe:
    """The cards in the shoe and what was found among them since their last full shuffle.

    `cuts`: cutting cards seen; `cut_box`: on whose box the one that counts came, 0 for the dealer's hand;
    `put_back`: how many were drawn when the discards last went back into it; `racked`: cards in the rack at the last
    round's end; `sat_out`: boxes that sat out a round; `back`: the colour of the last back that was sensed.
    """

    deck: str = ""
    counted: str = ""
    automated: bool = False
    back: str = ""
    drawn: int = 0
    strange: int = 0
    burn_due: bool = False
    burn: Draw | None = None
    carried: tuple[Draw, ...] = ()
    cut_round: int | None = None
    cuts: int = 0
    cut_box: int = 0
    put_back: int = 0
    racked: int = 0
    sat_out: tuple[int, ...] = ()
    empty: bool = False
    partial: bool = False
    ups: int = 0
    up_round: int = -1
    tens: int = 0
    tens_waiting: tuple[Draw, ...] = ()
    last: Draw | None = None
    last_fate: Fate = ""
    seen: tuple[int, ...] = field(default=(0,) * 54, repr=False)
    shown: tuple[int, ...] = (0,) * 54


@dataclass(frozen=True)
class Deck:
    """A deck or set: opened when and how, shuffled and cut since it was last dealt, counted in which round.

    `spread`: it lies on the idle table (36.4(h)) and was not shuffled since; `waited`: it was in the shuffler when
    another deck was spread; `cut_refused`: boxes that refused the cut.
    """

    ident: str
    colour: str | None = None
    opened_ms: int | None = None
    opening: Literal["", "bad", "table", "preshuffled"] = ""
    shuffled: bool = False
    by_hand: bool = False
    cut: bool = False
    verified: int = 0
    hand_dealt: bool = False
    removed: bool = False
    warned: bool = False
    spread: bool = False
    waited: bool = False
    cut_refused: tuple[int, ...] = ()


@dataclass(frozen=True)
class Device:
    """A device at the table: there, inspected on which gaming day, healthy, busy with which deck since when."""

    ident: str
    kind: DeviceKind
    on_table: bool = True
    inspected: int = -1
    failed: bool = False
    health: Literal["", "online", "stale", "lost"] = ""
    identified: bool = False
    deck: str = ""
    busy: bool = False
    since_ms: int = 0
    visible: bool | None = None
    automated: bool = False


@dataclass(frozen=True)
class Table:
    """Who deals and how, the gaming day, the rack, the permit that was shown, who judges, which sets were opened.

    `ended`: the log row, by epoch and number, at which the last round ended; its cards were picked up.
    """

    open: bool = False
    dealer: str = ""
    mode: Mode = "manual_shoe"
    day: int = -1
    rack: str = ""
    last_deck: str = ""
    ended: tuple[str, int] = ("", 0)
    shuffled: str = ""
    permit_shown: Literal["", "granted", "withheld", "expired"] = ""
    unpermitted: int = 0
    overrides: int = 0
    overridden: bool = False
    announced: str = ""
    sets: tuple[str, ...] = ()
