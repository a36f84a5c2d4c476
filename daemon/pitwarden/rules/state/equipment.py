"""The parts of a table's state: draws, hands, the round, the shoe, decks, devices. Hidden faces have no repr."""

from dataclasses import dataclass, field
from typing import Literal

from pitwarden.rules.profile.profile import Mode
from pitwarden.rules.setup.table_setup import DeviceKind
from pitwarden.rules.state.round import DrawFate, DrawnCard

"""Where a draw went: a slot, the burn, the found ones, nowhere yet, burned as accidental, into a dead round."""


@dataclass(frozen=True)
class ShoeState:
    """The cards in the shoe and what was found among them since their last full shuffle.

    `cuts`: cutting cards seen; `cut_box`: on whose box the one that counts came, 0 for the dealer's hand;
    `put_back`: how many were drawn when the discards last went back into it; `racked`: cards in the rack at the last
    round's end; `sat_out`: boxes that sat out a round; `back`: the colour of the last back that was sensed;
    `burn_doubt`: the card called the burn card may be another; `burn_asked`: the round in which it was asked for, -1
    for none; `found_early`: a found card was keyed between rounds, in a game whose hands are dealt face down.
    """

    deck: str = ""
    counted: str = ""
    automated: bool = False
    back: str = ""
    drawn: int = 0
    strange: int = 0
    burn_due: bool = False
    burn: DrawnCard | None = None
    burn_doubt: bool = False
    burn_asked: int = -1
    found_early: bool = False
    carried: tuple[DrawnCard, ...] = ()
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
    tens_waiting: tuple[DrawnCard, ...] = ()
    last: DrawnCard | None = None
    last_fate: DrawFate = ""
    seen: tuple[int, ...] = field(default=(0,) * 54, repr=False)
    shown: tuple[int, ...] = (0,) * 54


@dataclass(frozen=True)
class DeckState:
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
class DeviceState:
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
class TableConditions:
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
