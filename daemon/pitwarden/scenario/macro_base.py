"""State that macros share, and the two macros that all games have: `open` and `shuffle`.

A pack is counted down, so that honest play never deals a card too many.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pitwarden.rules import GameProfile
from pitwarden.scenario.arguments import Arguments, parse_int
from pitwarden.scenario.errors import ScenarioError, unknown_word_error
from pitwarden.scenario.header import ScenarioHeader, profile_of
from pitwarden.scenario.header_values import Mode, parse_mode
from pitwarden.scenario.macro_round import RoundOnTable
from pitwarden_client.events.card_faces import UNREAD, face_name, is_ten, parse_face, rank_of

_STRIDE: Final = 17  # shares no divisor with 52, so that every card comes once, and neighbours are far apart


@dataclass(slots=True)
class CountedPack:
    """Cards left of a freshly loaded shoe; `drawn` is the number of cards that left it."""

    profile: GameProfile
    left: dict[int, int] = field(default_factory=dict, repr=False)
    drawn: int = 0

    def load(self) -> None:
        """Load a complete shuffled set."""
        faces = [face for face in range(52) if self.profile.tens or not is_ten(face)]
        self.left = dict.fromkeys(faces, self.profile.copies)
        self.drawn = 0

    def follow(self, name: str) -> None:
        """Count a card that left the shoe. A card that is foreign to the pack is not counted."""
        face = parse_face(name)
        if self.profile.tens or face in self.left or face == UNREAD:
            self.drawn += 1
        if self.left.get(face, 0):
            self.left[face] -= 1

    def take(self, *wishes: str) -> str:
        """Return a card of one of `wishes` (ranks or complete cards), chosen evenly from the cards that are left.

        Raises:
            ScenarioError: None of them is left.
        """
        wanted = [face for face in self.left if self.left[face] and {face_name(face), rank_of(face)} & set(wishes)]
        if not wanted:
            raise ScenarioError(f"no {' or '.join(wishes)} is left in the shoe for this macro")
        # Deterministic, so that a scenario deals the same cards each time it is played.
        return face_name(max(wanted, key=lambda face: (self.left[face], -face)))

    def next(self) -> str:
        """Return the next card in a fixed order in which neighbors differ.

        Raises:
            ScenarioError: No card is left.
        """
        for index in range(52):
            face = index * _STRIDE % 52
            if self.left.get(face, 0):
                return face_name(face)
        raise ScenarioError("no card is left in the shoe for this macro")


def rank_total(ranks: list[str]) -> tuple[int, bool]:
    """Return the point total of a hand, and whether it is soft (19:47-36.2(b))."""
    hard = sum(1 if rank == "A" else 10 if rank in {"10", "J", "Q", "K"} else int(rank) for rank in ranks)
    soft = "A" in ranks and hard + 10 <= 21  # noqa: PLR2004  the game is called 21
    return (hard + 10, True) if soft else (hard, False)


def is_face(text: str) -> bool:
    """Return whether `text` names a card."""
    try:
        parse_face(text)
    except ValueError:
        return False
    return True


_THREE_DIGITS: Final = re.compile(r"\A[0-9]{1,3}\Z")  # more cards are refused when the line is read


@dataclass(slots=True)
class MacroState:
    """State of the table at a line: the deck in play, its cards, the way of dealing, and the round.

    `loaded`: cards of the last load; `shuffler`: whether one is on the table.
    """

    header: ScenarioHeader
    deck: str = ""
    profile: GameProfile = field(init=False)
    pack: CountedPack = field(init=False)
    mode: Mode = field(init=False)
    shuffler: bool = field(init=False)
    loaded: int = field(init=False)
    round: RoundOnTable = field(default_factory=RoundOnTable)

    def __post_init__(self) -> None:
        self.mode = self.header.mode
        self.shuffler = self.header.device("shuffler") is not None
        self.deck = self.deck or self.header.decks[0][0]
        self.profile = profile_of(self.header)
        self.pack = CountedPack(self.profile)
        self.pack.load()
        self.loaded = self.full

    def boxes(self, args: Arguments) -> range:
        """Return the boxes of a macro's `boxes=` argument; those of the header without it."""
        count = args.named.get("boxes", str(self.header.boxes))
        return range(1, parse_int(count, "boxes", 1, self.header.positions) + 1)

    def boxes_in(self, args: Arguments, name: str) -> frozenset[int]:
        """Return the boxes that the argument `name` lists, as `1/3`; none without it."""
        text, most = args.named.get(name, ""), self.header.positions
        return frozenset(parse_int(part, name, 1, most) for part in text.split("/")) if text else frozenset()

    @property
    def full(self) -> int:
        """Number of cards of a complete deck or set."""
        return self.profile.total

    @property
    def burns(self) -> bool:
        """True if one card of a full shoe is burned (36.7(c), 2B.7(c)); not with the Bart Carter shuffle."""
        return self.profile.burn and ("bart_carter", "true") not in self.header.options

    @property
    def inside(self) -> int:
        """Number of cards in the shoe."""
        return self.loaded - self.pack.drawn

    @property
    def way_to_shuffle(self) -> str:
        """Way to shuffle at this table now: `shuffler`, or `hand` where none is on the table."""
        return "shuffler" if self.shuffler else "hand"

    def keys(self, act: str) -> bool:
        """Return whether the game has `act`, and this table keys it."""
        inputs = self.header.inputs
        return inputs is None or act in inputs

    @property
    def other_deck(self) -> str | None:
        """Deck that is not in play, at a table with two; otherwise None."""
        idents = [ident for ident, _ in self.header.decks]
        return next((ident for ident in idents if ident != self.deck), None) if self.deck in idents else None

    def follow(self, word: str, args: tuple[str, ...]) -> None:
        """Follow a line: the cards that leave the shoe, the devices, the way of dealing, and the round."""
        self.round.follow(word, args)
        match word, args:
            case "sh.load", (deck, *count):
                self.deck = deck
                self.pack.load()
                self.loaded = int(count[0]) if count and _THREE_DIGITS.match(count[0]) else self.full
            case "sf.start", (deck, *_) if self.mode == "hand" and deck == self.deck:
                self.deck = self.other_deck or deck
                self.pack.load()
            case "kp.mode", (mode,):
                self.mode = parse_mode(mode)
            case (("ft.device_removed" | "ft.device_installed"), (device, *_)) if device.startswith("shuffler"):
                self.shuffler = word == "ft.device_installed"
            case "sh.card", (name, *_) if is_face(name):
                self.pack.follow(name)
            case "sh.stack", (count, *names) if _THREE_DIGITS.match(count) and all(map(is_face, names)):
                for name in names:
                    self.pack.follow(name)
                self.pack.drawn += int(count) - len(names)
            case _:
                pass

    def done_count(self) -> str:
        """Return the count that the shuffler displays after an honest cycle; `-` for one that does not count."""
        shuffler = self.header.device("shuffler")
        return str(self.full) if shuffler and shuffler.counts else "-"


def check_arguments(args: Arguments, names: tuple[str, ...], plain: int = 0) -> None:
    """Check the arguments of a macro.

    Raises:
        ScenarioError: An argument is not one of this macro.
    """
    if len(args.plain) > plain:
        raise ScenarioError(f"{args.plain[plain]!r} is one argument too many for this macro")
    for name in args.named:
        if name not in names:
            raise unknown_word_error(name, "argument of this macro", names)


def open_table(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield a complete honest opening: inspections, decks, shuffle, load, dealer, burn card."""
    check_arguments(args, ("by", "burn", "tens"))
    by = args.named.get("by", house.way_to_shuffle)
    yield "ft.table_open"
    if not house.full:  # a game without cards, as craps (19:47-1.1)
        return
    for device in house.header.devices:
        yield f"ft.inspect {device.ident} ok"
    for deck, colour in house.header.decks:
        yield f"ft.deck_opened {deck} {colour or ''}"
        yield f"ft.opening {deck} table {args.named.get('tens', _tens(house.profile))}"
    first = house.header.decks[0][0]
    yield from _shuffled(house, first, by)
    if house.mode != "hand":
        yield f"sh.load {first} {house.full}"
    yield "kp.dealer d1"
    if house.burns:
        yield f"sh.card {house.pack.take(args.named.get('burn', '4'))}"
    if len(house.header.decks) > 1 and house.profile.in_stacks:
        yield from _shuffled(house, house.header.decks[1][0], by)


def reshuffle(house: MacroState, args: Arguments) -> Iterator[str]:
    """Yield a reshuffle: the deck is taken from shoe and rack, shuffled, and loaded.

    In triple attack blackjack a card is burned.
    """
    check_arguments(args, ("by", "done"), plain=1)
    deck = args.plain[0] if args.plain else house.deck
    if house.profile.burn:
        yield f"sh.unload {house.inside}"
    yield from _shuffled(house, deck, args.named.get("by", house.way_to_shuffle), args.named.get("done"))
    if house.mode != "hand":
        yield f"sh.load {deck} {house.full}"
    if house.burns:
        yield f"sh.card {house.pack.take('4')}"


def _tens(profile: GameProfile) -> str:
    """Return the number of 10s that leave a set of complete decks at the opening: four of each deck (1.17(a)2)."""
    return "0" if profile.tens else str(4 * profile.copies)


def _shuffled(house: MacroState, deck: str, by: str, done: str | None = None) -> Iterator[str]:
    if by == "shuffler":
        yield f"sf.start {deck}"
        yield f"sf.done {deck} {done or house.done_count()}"
    elif by == "hand":
        yield f"kp.manual_shuffle {deck}"
        yield "kp.cut dealer"
    else:
        raise unknown_word_error(by, "way to shuffle", ("shuffler", "hand"))
