"""Set-up of one table: game profile, positions, devices, decks, keyed inputs, and the house's switches."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Annotated, Final, Literal, TypeAlias

from pitwarden.rules.profile.pay_tables import PayChoice, PayTable, pay_table_in_force
from pitwarden.rules.profile.profile import WHERE_GIVEN, ClauseRule, GameProfile, Mode

DeviceKind = Literal["shoe", "shuffler", "reader"]
Side = Literal["left", "right"]
MARKED: Final = ("A", "K", "Q", "J", "10")
"""Ranks whose faces may carry a mark for a reader (13:69E-1.17(c))."""


@dataclass(frozen=True, slots=True)
class DeviceSetup:
    """A configured device."""

    ident: str
    kind: DeviceKind
    counts: bool | None = None
    """True if the shuffler counts after each shuffle; None where its events show it."""
    reads: bool = True
    """True if the shoe reads faces."""
    automated: bool = False
    """True for a dealing shoe that dispenses by itself."""
    procedure_ref: str | None = None
    """Reference of the procedures that the house has filed; None without."""
    player_visible: bool | None = None
    """True if the reader lets a player determine the hole card; None while the floorperson must answer it."""
    ranks: tuple[str, ...] = MARKED
    """Ranks that a reader reads (1.17(c))."""
    side: Side | None = None
    """Side of the dealer on which it stands (1.19(h)); None where that is not stated."""


@dataclass(frozen=True, slots=True)
class DeckSetup:
    """A deck, or a complete set of decks, by the name that devices and people use."""

    ident: str
    colour: str | None = None


@dataclass(frozen=True, slots=True)
class Attestation:
    """Statement by the house about a clause that no device senses."""

    clause: str
    """Catalog number of the clause."""
    by: str
    """Person who attests."""
    on: str
    """Day of the attestation, ISO 8601."""
    reference: str = ""
    """Place where it is filed."""


@dataclass(frozen=True, slots=True)
class SwitchRange:
    """Values that a table file may give to a number of the house policy, both ends included."""

    least: int
    most: int


class SwitchKind(Enum):
    """Treatment of a switch that a table file does not set to one of its values."""

    FIXED = "fixed"
    """Not a setting: every table has the default."""
    OPEN = "open"
    """A file that omits it has not decided it; an empty default cannot be written."""


TWO_PERSON_ACTS: Final = (
    "ft.ten_destroyed", "ft.card_removed", "ft.deck_returned", "ft.ten_refuted", "ft.reader_visible", "ft.confirmed",
    "ft.settle_note", "refute", "override",
)  # fmt: skip
"""Acts for which a house may demand a second person: they destroy or remove cards, may void a round, or end a hold.

None of the dealer's keypad is among them, since a keypad names one person: `dealer_first_confirm` has the floorperson
confirm the one key by which a dealer voids a round.
"""


@dataclass(frozen=True, slots=True)
class HousePolicy:
    """Switches of the house where the texts are silent or doubtful (catalog, section C). All times are in milliseconds.

    A switch is declared here only: the section `[rules]` of the table file is made of these fields, in this order.
    """

    manual_deal: Annotated[Literal["rounds", "hands"], SwitchKind.OPEN] = "rounds"
    """Order of dealing from a manual shoe: `rounds` gives one card to each hand in turn, `hands` deals hand by hand."""
    shoe_fault_after_deal: Literal["alert", "void"] = "alert"
    """Verdict on a fault of an automated shoe after the complete deal (C-14)."""
    hand_mode_counts: bool = False
    """True if the stub is counted when cards are dealt from the hand (C-10)."""
    face_up_scope: Literal["shoe", "round"] = "shoe"
    """Range in which cards found face up are counted together: until a shuffle, or in one round (C-22)."""
    cutting_card: Annotated[int, SwitchRange(1, 2)] = 1
    """Number of the cutting card that requests the shuffle, where two are in the shoe (IB-02)."""
    bart_carter: bool = False
    """True if the discards go back into the shoe in play when the rack holds more than `bart_carter_rack` cards
    (2B.4(h)2, C-49)."""
    bart_carter_rack: Annotated[int, SwitchRange(52, 104)] = 60
    """Cards in the rack above which the discards go back."""
    mid_shoe_entry: bool = True
    """True if a box that sat out a round may return before a shuffle (36.5(h), 2B.5(g))."""
    batch_swap: bool = False
    """True if a batch that waited in the shuffler may be dealt without being spread (2B.4(i)2, C-50)."""
    six_to_five: bool = False
    """True if the table plays the variation of blackjack that is dealt from the hand (1.19(b)2)."""
    dealer_first_confirm: bool = False
    """True if the floorperson must confirm that the dealer's first card was missed (C-25)."""
    cutcard_policy: Literal["placed", "virtual"] = "placed"
    """A cutting card in the stack, or a count in its place (C-33)."""
    cut_tolerance: Annotated[int, SwitchRange(0, 52)] = 10
    """Number of cards by which a quarter of the set may be missed (C-53)."""
    max_splits: Annotated[int, SwitchRange(0, 3)] = 3
    """Highest number of splits of one box (C-56)."""
    resplit_aces: bool = False
    """True if split aces may be split again (C-56)."""
    reader_up: tuple[str, ...] = ()
    """Up cards that call for the reader where our sources have no list (C-28); empty for those of the profile."""
    both_blackjacks: Literal["push", "paid"] = "push"
    """Result of a player's blackjack against the dealer's: a push, or paid 1 to 2 (2B.5(a)3, C-44)."""
    blackjack_against_21: Literal["push", "win"] = "push"
    """Result of a blackjack against the dealer's 21 in more than two cards: a push, or a win (2B.5(b), C-58)."""
    early_window: Literal["notice", "alert"] = "notice"
    """Verdict on a window of wagers that is closed before the cards that come before its offer (36.7(d), (e), C-59)."""
    draw: Annotated[Literal["", "S17", "H17"], SwitchKind.OPEN] = ""
    """Draw rule of the dealer as inscribed on the layout: stand or hit on a soft 17."""
    bettors: Annotated[int, SwitchKind.OPEN, SwitchRange(1, 3)] = 0
    """Number of persons who may wager on a box (36.12); 0 for that of the profile."""
    insurance_unit: Annotated[int, SwitchRange(1, 100_000)] = 500
    """Unit of chips, in cents, to which insurance may exceed half of the wagers (36.10(b), C-57)."""
    place_lose_on_comeout: bool = False
    """True if place bets to lose are active on a come out roll (C-52)."""
    two_persons: tuple[str, ...] = field(default=(), metadata=WHERE_GIVEN)
    """Acts that a second person confirms: they destroy evidence, void a round, or change the record."""
    shuffle_audit: bool = True
    """True if the cards that were dealt are tested for an order that no shuffle gives."""
    reader_timeout_ms: Annotated[int, SwitchKind.FIXED] = 30_000
    """Time within which the reader must answer."""
    shuffler_timeout_ms: Annotated[int, SwitchKind.FIXED] = 600_000
    """Time within which a shuffler must finish a cycle."""
    card_change_warn_ms: Annotated[int, SwitchKind.FIXED] = 1_800_000
    """Time before a change of cards at which the table is notified."""
    permit_ms: Annotated[int, SwitchKind.FIXED] = 30_000
    """Life of a deal permit that is not renewed."""


KeyedInputs: TypeAlias = frozenset[str] | Literal["all"]
"""Acts that are keyed at a table."""


@lru_cache(maxsize=1024)
def monitored_rules(profile: GameProfile, inputs: KeyedInputs) -> Mapping[str, ClauseRule]:
    """Return the rules of a game whose needed inputs are all keyed, by key."""
    return {rule.key: rule for rule in profile.rules if inputs == "all" or inputs.issuperset(rule.needs)}


@dataclass(frozen=True, slots=True)
class TableSetup:
    """All that the rules of one table depend on, except its log."""

    profile: GameProfile
    positions: int
    """Number of boxes, counted from 1 at the dealer's left."""
    devices: tuple[DeviceSetup, ...]
    decks: tuple[DeckSetup, ...]
    inputs: KeyedInputs = "all"
    """Acts that are keyed at this table. A clause that needs another act is not monitored here."""
    grace_ms: int = 1_000
    """Milliseconds of log time that an order alert waits, since a key and the shoe race."""
    gaming_day_start: int = 360
    """Start of the gaming day, as a minute of the UTC day, for rows that do not have their gaming day."""
    mode: Mode = "manual_shoe"
    """Way of dealing before any `kp.mode`."""
    assume_devices: bool = False
    """True if a device without any report of its health counts as online and identified (scenario files)."""
    policy: HousePolicy = HousePolicy()
    wagers: tuple[str, ...] = ()
    """Optional wagers of blackjack that are offered, by section."""
    attested: tuple[Attestation, ...] | None = None
    """Attestations of the house; None where none are required (scenario files)."""
    pay: tuple[PayChoice, ...] = ()
    """Pay tables and limits that are posted."""
    rack: Side | None = None
    """Side of the dealer on which the discard rack stands; None where that is not stated."""
    audit_key: bytes = field(default=b"", repr=False)
    """Key of the shuffle auditor's hashes: a secret of the judge, and not part of the profile's digest."""
    monitored: Mapping[str, ClauseRule] = field(init=False, repr=False, compare=False)
    """Rules of the game whose needed inputs are all keyed here, by key."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "monitored", monitored_rules(self.profile, self.inputs))

    def pay_table(self, wager: str) -> PayTable | None:
        """Return the pay table of `wager` in force here; None where the text has several and none is configured."""
        return _in_force(self.profile, self.pay, wager)

    def limits(self, wager: str) -> PayChoice | None:
        """Return the posted limits of `wager`, None when nothing is configured."""
        return next((one for one in self.pay if one.wager == wager), None)

    @property
    def burns(self) -> bool:
        """True where the first card of a full shoe, and one of each new dealer, is burned (36.7(c), 2B.7(c))."""
        return self.profile.burn and not self.policy.bart_carter

    @property
    def rounds_keyed(self) -> bool:
        """True where both the beginning and the end of a round are keyed."""
        return self.keyed(("kp.boxes", "kp.round_end")) and any(self.keyed((act,)) for act in self.profile.start)

    def device(self, kind: DeviceKind) -> DeviceSetup | None:
        """Return the first configured device of `kind`, None without one."""
        return next((device for device in self.devices if device.kind == kind), None)

    def kind_of(self, ident: str) -> DeviceKind | None:
        """Return the kind of the device named `ident`, None when it is not configured."""
        return next((device.kind for device in self.devices if device.ident == ident), None)

    def keyed(self, needs: Sequence[str]) -> bool:
        """Return whether all acts in `needs` are keyed at this table."""
        return self.inputs == "all" or all(act in self.inputs for act in needs)


@lru_cache(maxsize=1024)
def _in_force(profile: GameProfile, choices: tuple[PayChoice, ...], wager: str) -> PayTable | None:
    return pay_table_in_force(profile.pay, choices, wager)


@lru_cache(maxsize=4096)
def profile_digest(setup: TableSetup) -> str:
    """Return the SHA-256, in hexadecimal, of the effective profile: game data, devices, decks, inputs and switches."""
    # The digest is published: it must not depend on the auditor's secret.
    setup = dataclasses.replace(setup, audit_key=b"")
    return hashlib.sha256(json.dumps(_plain(setup), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


_ATOMS: Final = (str, int, bool, type(None))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value) if _is_digested(one, value)}
    if isinstance(value, frozenset):
        return sorted(str(item) for item in value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, _ATOMS) else str(value)


def _is_digested(one: "Field[object]", owner: object) -> bool:
    """Return whether the digest covers a field: no cache, none that judges no row, none of few games that is empty."""
    kept = one.metadata.get("digest", True)
    return one.init and kept is not False and (kept != "given" or bool(getattr(owner, one.name)))
