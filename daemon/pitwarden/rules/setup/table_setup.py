"""One table as its rules see it: game profile, positions, devices, decks, what is keyed, and the house's switches."""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Annotated, Final, Literal

from pitwarden.rules.profile.pay_tables import PayChoice, PayTable, pay_table_in_force
from pitwarden.rules.profile.profile import ClauseRule, GameProfile, Mode

DeviceKind = Literal["shoe", "shuffler", "reader"]
Side = Literal["left", "right"]
MARKED: Final = ("A", "K", "Q", "J", "10")
"""The ranks whose faces may bear a mark for a reader (13:69E-1.17(c))."""


@dataclass(frozen=True, slots=True)
class DeviceSetup:
    """A configured device. `counts`: the shuffler counts after each shuffle (None: told by its events).

    `reads`: the shoe reads faces; `automated`: a dealing shoe that dispenses by itself; `player_visible`: the reader
    lets a player determine the hole card (None: unknown, the floor must answer); `ranks`: those that a reader reads
    (1.17(c)); `side`: of the dealer on which it stands (1.19(h)), None where that is not stated.
    """

    ident: str
    kind: DeviceKind
    counts: bool | None = None
    reads: bool = True
    automated: bool = False
    procedure_ref: str | None = None
    player_visible: bool | None = None
    ranks: tuple[str, ...] = MARKED
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class DeckSetup:
    """A deck, or a whole set of decks, by the name that devices and people use."""

    ident: str
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Attestation:
    """What the house attests about a clause that no device senses: who, on which day (ISO 8601), where it is filed."""

    clause: str
    by: str
    on: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class SwitchRange:
    """Values that a table file may give a number of the house policy, both ends included."""

    least: int
    most: int


class SwitchKind(Enum):
    """How a table file treats a switch that it does not simply give a value."""

    FIXED = "fixed"
    """Not a setting: every table has the default."""
    OPEN = "open"
    """A file that leaves it out has not decided it; an empty default cannot be written."""


@dataclass(frozen=True, slots=True)
class HousePolicy:
    """The house's switches where the texts are silent or doubtful (catalogue, section C); all times in ms.

    `shoe_fault_after_deal`: C-14; `hand_mode_counts`: C-10; `face_up_scope`: C-22; `cutting_card`: which one out of the
    shoe asks for the shuffle, where two are in it (IB-02); `bart_carter`: the discards go back into the shoe when more
    than `bart_carter_rack` cards are in the rack (2B.4(h)2, C-49); `mid_shoe_entry`: a box that sat out may come in
    before a shuffle (36.5(h), 2B.5(g)); `batch_swap`: a batch that waited in the shuffler may be dealt without being
    spread (2B.4(i)2, C-50); `six_to_five`: the variation of blackjack that is dealt from the hand (1.19(b)2);
    `both_blackjacks`: a player's blackjack against the dealer's is a push, or paid 1 to 2 (2B.5(a)3, C-44);
    `draw`: the dealer's draw rule as inscribed on the layout; `bettors`: how many persons may wager on a box (36.12);
    `shuffle_audit`: the cards that were dealt are tested for an order that no shuffle gives;
    `place_lose_on_comeout`: place bets to lose count on a come out roll (C-52); `dealer_first_confirm`: C-25;
    `cutcard_policy`: C-33, a cutting card in the stack or a count in its place;
    `cut_tolerance`: by how many cards a quarter of the set may be missed (C-53); `max_splits`, `resplit_aces`: C-56;
    `reader_up`: the up cards that ask for the reader where our sources have no list (C-28), empty for the profile's.

    A switch is declared here alone: the section `[rules]` of the table file is made of these fields, in this order.
    """

    manual_deal: Annotated[Literal["rounds", "hands"], SwitchKind.OPEN] = "rounds"
    shoe_fault_after_deal: Literal["alert", "void"] = "alert"
    hand_mode_counts: bool = False
    face_up_scope: Literal["shoe", "round"] = "shoe"
    cutting_card: Annotated[int, SwitchRange(1, 2)] = 1
    bart_carter: bool = False
    bart_carter_rack: Annotated[int, SwitchRange(52, 104)] = 60
    mid_shoe_entry: bool = True
    batch_swap: bool = False
    six_to_five: bool = False
    dealer_first_confirm: bool = False
    cutcard_policy: Literal["placed", "virtual"] = "placed"
    cut_tolerance: Annotated[int, SwitchRange(0, 52)] = 10
    max_splits: Annotated[int, SwitchRange(0, 3)] = 3
    resplit_aces: bool = False
    reader_up: tuple[str, ...] = ()
    both_blackjacks: Literal["push", "paid"] = "push"
    draw: Annotated[Literal["", "S17", "H17"], SwitchKind.OPEN] = ""
    bettors: Annotated[int, SwitchKind.OPEN, SwitchRange(1, 3)] = 0
    place_lose_on_comeout: bool = False
    shuffle_audit: bool = True
    reader_timeout_ms: Annotated[int, SwitchKind.FIXED] = 30_000
    shuffler_timeout_ms: Annotated[int, SwitchKind.FIXED] = 600_000
    card_change_warn_ms: Annotated[int, SwitchKind.FIXED] = 1_800_000
    permit_ms: Annotated[int, SwitchKind.FIXED] = 30_000


@dataclass(frozen=True, slots=True)
class TableSetup:
    """Everything that the rules of one table depend on beside its log.

    `inputs` are the acts really keyed here, or "all"; `gaming_day_start` is a minute of the UTC day;
    `wagers`: the optional wagers of blackjack that are offered, by section; `pay`: the pay tables and limits posted;
    `assume_devices`: a device whose health was never said counts as fresh and identified (scenario files);
    `attested`: what the house attests, None where nobody asks (scenario files); `rack`: the discard rack's side;
    `audit_key`: what the shuffle auditor hashes with, its judge's secret and no part of the profile.
    """

    profile: GameProfile
    positions: int
    devices: tuple[DeviceSetup, ...]
    decks: tuple[DeckSetup, ...]
    inputs: frozenset[str] | Literal["all"] = "all"
    grace_ms: int = 1_000
    gaming_day_start: int = 360
    mode: Mode = "manual_shoe"
    assume_devices: bool = False
    policy: HousePolicy = HousePolicy()
    wagers: tuple[str, ...] = ()
    attested: tuple[Attestation, ...] | None = None
    pay: tuple[PayChoice, ...] = ()
    rack: Side | None = None
    audit_key: bytes = field(default=b"", repr=False)
    monitored: dict[str, ClauseRule] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The game's rules of which everything that they need is keyed here, by key."""

    def __post_init__(self) -> None:
        self.monitored.update({rule.key: rule for rule in self.profile.rules if self.keyed(rule.needs)})

    def pay_table(self, wager: str) -> PayTable | None:
        """The pay table of `wager` in force here; None where the text has several and none is configured."""
        return _in_force(self.profile, self.pay, wager)

    def limits(self, wager: str) -> PayChoice | None:
        """What is posted of `wager`, None when nothing is configured."""
        return next((one for one in self.pay if one.wager == wager), None)

    @property
    def burns(self) -> bool:
        """Whether the first card of a full shoe, and one of each new dealer, is burned (36.7(c), 2B.7(c))."""
        return self.profile.burn and not self.policy.bart_carter

    def device(self, kind: DeviceKind) -> DeviceSetup | None:
        """The first configured device of `kind`."""
        return next((device for device in self.devices if device.kind == kind), None)

    def kind_of(self, ident: str) -> DeviceKind | None:
        """The kind of the device called `ident`, None when it is not configured."""
        return next((device.kind for device in self.devices if device.ident == ident), None)

    def keyed(self, needs: Sequence[str]) -> bool:
        """Whether all acts in `needs` are keyed at this table."""
        return self.inputs == "all" or all(act in self.inputs for act in needs)


@lru_cache(maxsize=1024)
def _in_force(profile: GameProfile, choices: tuple[PayChoice, ...], wager: str) -> PayTable | None:
    return pay_table_in_force(profile.pay, choices, wager)


@lru_cache(maxsize=4096)
def profile_digest(setup: TableSetup) -> str:
    """SHA-256, in hexadecimal, over the effective profile: game data, devices, decks, inputs and switches."""
    setup = dataclasses.replace(setup, audit_key=b"")
    return hashlib.sha256(json.dumps(_plain(setup), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_ATOMS: Final = (str, int, bool, type(None))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value) if one.init}
    if isinstance(value, frozenset):
        return sorted(str(item) for item in value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, _ATOMS) else str(value)
