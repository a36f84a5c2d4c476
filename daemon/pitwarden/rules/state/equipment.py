"""State of the dealing shoe, the decks, the devices and the table. Hidden faces have no repr."""

from dataclasses import dataclass, field
from typing import Literal

from pitwarden.rules.profile.profile import Mode
from pitwarden.rules.setup.table_setup import DeviceKind
from pitwarden.rules.state.cards import DrawFate, DrawnCard


@dataclass(frozen=True)
class ShoeState:
    """Cards in the shoe, and the cards found among them since their last full shuffle."""

    deck: str = ""
    """Deck that is loaded; empty while the shoe is."""
    counted: str = ""
    """Deck that the counters below are about; it stays when the shoe is emptied."""
    automated: bool = False
    """True where the loaded shoe dispenses by itself."""
    back: str = ""
    """Color of the last back that the shoe sensed; empty for none."""
    drawn: int = 0
    """Cards that left the shoe, found ones included."""
    strange: int = 0
    """Cards of `drawn` that are not part of the deck: stray 10s and jokers."""
    burn_due: bool = False
    """True while the next card is to be burned (36.7(c))."""
    burn: DrawnCard | None = None
    """Last burn card."""
    burn_doubt: bool = False
    """True when another card than `burn` may be the one that was burned; then `burn` is never shown."""
    burn_asked: int = -1
    """Number of the round in which a player asked to see the burn card; -1 for none."""
    found_early: bool = False
    """True when a found card was keyed between rounds, in a game whose hands are dealt face down."""
    carried: tuple[DrawnCard, ...] = ()
    """Cards that were drawn in error in the last round and are the first of the next."""
    cut_round: int | None = None
    """Round after which the shuffle is due: the cutting card came in it, or it ran short. None for none."""
    cuts: int = 0
    """Cutting cards that came out."""
    cut_box: int = 0
    """Box for which the cutting card that counts was drawn; 0 for the dealer's hand."""
    put_back: int = 0
    """Value of `drawn` when the discards last went back into the shoe in play."""
    racked: int = 0
    """Cards in the discard rack at the end of the last round."""
    sat_out: tuple[int, ...] = ()
    """Boxes that sat out a round since the last shuffle, ascending."""
    empty: bool = False
    """True after the shoe ran out of cards."""
    partial: bool = False
    """True after only the discards were shuffled and put back."""
    ups: int = 0
    """Cards found face up, in the shoe or in the round (C-22)."""
    up_round: int = -1
    """Round of the last card found face up; -1 for none."""
    up_card: DrawnCard | None = None
    """Last card that the shoe reported face up; None for none."""
    tens: int = 0
    """Stray 10s found, without the refuted ones."""
    tens_waiting: tuple[DrawnCard, ...] = ()
    """Stray 10s that the floorperson has not yet destroyed or refuted, oldest first."""
    last: DrawnCard | None = None
    """Last card that left the shoe."""
    last_fate: DrawFate = ""
    """Destination of `last`; a later key may change it."""
    seen: tuple[int, ...] = field(default=(0,) * 54, repr=False)
    """Number of drawn cards by face, hidden ones included: entries 0 to 52 as in `card_faces`, 53 unused."""
    shown: tuple[int, ...] = (0,) * 54
    """Number of published cards by face, as `seen`."""


@dataclass(frozen=True)
class DeckState:
    """A deck, or a set of decks, by the name that devices and people use."""

    ident: str
    colour: str | None = None
    opened_ms: int | None = None
    """UTC milliseconds of the opening; None when it was not keyed."""
    opening: Literal["", "bad", "table", "preshuffled"] = ""
    """Way of the opening inspection; `bad` when it failed, empty before it."""
    shuffled: bool = False
    """True from a full shuffle until the end of the first round that is dealt from it."""
    by_hand: bool = False
    """True when a person shuffled the deck, or it came preshuffled: then it must be cut."""
    cut: bool = False
    """True after the cut that follows the shuffle."""
    verified: int = 0
    """Last round that the deck's latest right count covers."""
    hand_dealt: bool = False
    """True once a round was dealt from the hand with it (13:69E-1.18(g)2)."""
    removed: bool = False
    """True from the verdict DECK_OUT until the deck or its replacement is opened."""
    warned: bool = False
    """True after the notice that a change of cards comes near."""
    spread: bool = False
    """True from the moment it is spread on the idle table (36.4(h)) until it is shuffled."""
    waited: bool = False
    """True when it was in the shuffler while another deck was spread."""
    cut_refused: tuple[int, ...] = ()
    """Boxes that refused the cut, in the order of the offer."""


@dataclass(frozen=True)
class DeviceState:
    """A configured device, as the log reports it."""

    ident: str
    kind: DeviceKind
    on_table: bool = True
    inspected: int = -1
    """Number of the gaming day of the last passed inspection; -1 before the first."""
    failed: bool = False
    """True after an inspection that it did not pass."""
    health: Literal["", "online", "stale", "lost"] = ""
    """Last reported health; empty before any report in this epoch."""
    identified: bool = False
    """True while its identity was confirmed since it was last lost."""
    deck: str = ""
    """Deck that is in the device; empty for none or unknown."""
    busy: bool = False
    """True while a shuffler's cycle runs."""
    since_ms: int = 0
    """Log time of its last event about cards."""
    visible: bool | None = None
    """True if the reader lets a player determine the hole card; None until the floorperson has answered."""
    automated: bool = False
    """True for a shoe that dispenses by itself."""


@dataclass(frozen=True)
class TableConditions:
    """Conditions of the table that outlast a round."""

    open: bool = False
    dealer: str = ""
    """Dealer who was keyed last; empty where dealers are not keyed."""
    mode: Mode = "manual_shoe"
    day: int = -1
    """Number of the gaming day; -1 before the first row."""
    rack: str = ""
    """Deck in the discard rack; empty for none."""
    last_deck: str = ""
    """Deck of the last round."""
    ended: tuple[str, int] = ("", 0)
    """Epoch and number of the row at which the last round ended; its cards were picked up then."""
    shuffled: str = ""
    """Deck that was shuffled last."""
    unnamed: int = 0
    """Rounds dealt from the hand with one of two decks, and nothing has shown yet with which."""
    permit_shown: Literal["", "granted", "withheld", "expired"] = ""
    """Permit that the table's display shows, as the field half last applied it."""
    unpermitted: int = 0
    """Rounds that were dealt while the permit was not displayed as granted."""
    overrides: int = 0
    """Permits that a supervisor granted regardless of the reasons against them."""
    overridden: bool = False
    """True from such an override until the next round begins."""
    announced: str = ""
    """Rules version and profile digest that the judge announced last."""
    sets: tuple[str, ...] = ()
    """Identifiers of the sealed sets that were opened here, oldest first; see `floor_inputs.MOST_SETS`."""
