"""The state that macros share, and the two that all games have: `open` and `shuffle`."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pitwarden.scenario.args import Args
from pitwarden.scenario.errors import ScenarioError, unknown
from pitwarden.scenario.header import Header
from pitwarden.scenario.pack import FULL, Pack, is_face


@dataclass(slots=True)
class House:
    """What honest people at the table would know: the deck in play, and the cards that have left the shoe."""

    header: Header
    deck: str = ""
    pack: Pack = field(init=False)

    def __post_init__(self) -> None:
        self.deck = self.deck or self.header.decks[0][0]
        self.pack = Pack(self.header.game)
        self.pack.load()

    @property
    def full(self) -> int:
        """The cards of a whole deck or set."""
        return FULL[self.header.game]

    @property
    def other_deck(self) -> str | None:
        """The deck that is not in play, where there are two."""
        idents = [ident for ident, _ in self.header.decks]
        return next((ident for ident in idents if ident != self.deck), None) if self.deck in idents else None

    def saw(self, word: str, args: tuple[str, ...]) -> None:
        """A line was said; the pack is counted down with what left the shoe."""
        match word, args:
            case "sh.load", (deck, *_):
                self.deck = deck
                self.pack.load()
            case "sh.card", (name, *_) if is_face(name):
                self.pack.saw(name)
            case "sh.stack", (count, *names) if count.isdecimal() and all(map(is_face, names)):
                for name in names:
                    self.pack.saw(name)
                self.pack.drawn += int(count) - len(names)
            case _:
                pass

    def done_count(self) -> str:
        """What the shuffler shows after an honest cycle; `-` for one that does not count."""
        shuffler = self.header.device("shuffler")
        return str(self.full) if shuffler and shuffler.counts else "-"


def allow(args: Args, names: tuple[str, ...], plain: int = 0) -> None:
    """ScenarioError for an argument that the macro does not have."""
    if len(args.plain) > plain:
        raise ScenarioError(f"{args.plain[plain]!r} is one argument too many for this macro")
    for name in args.named:
        if name not in names:
            raise unknown(name, "argument of this macro", names)


def open_table(house: House, args: Args) -> Iterator[str]:
    """A whole honest opening: inspections, decks, shuffle, load, dealer, burn card."""
    allow(args, ("by", "burn", "tens"))
    by = args.named.get("by", "shuffler" if house.header.device("shuffler") else "hand")
    triple = house.header.game == "TAB"
    yield "ft.table_open"
    for device in house.header.devices:
        yield f"ft.inspect {device.ident} ok"
    for deck, colour in house.header.decks:
        yield f"ft.deck_opened {deck} {colour or ''}"
        yield f"ft.opening {deck} table {args.named.get('tens', '32' if triple else '0')}"
    first = house.header.decks[0][0]
    yield from _shuffled(house, first, by)
    if house.header.mode != "hand":
        yield f"sh.load {first} {house.full}"
    yield "kp.dealer d1"
    if triple:
        yield f"sh.card {house.pack.take(args.named.get('burn', '4'))}"
    if len(house.header.decks) > 1 and not triple:
        yield from _shuffled(house, house.header.decks[1][0], by)


def reshuffle(house: House, args: Args) -> Iterator[str]:
    """The deck is taken from shoe and rack, shuffled, loaded, and in triple attack blackjack a card is burned."""
    allow(args, ("by", "done"), plain=1)
    deck = args.plain[0] if args.plain else house.deck
    if house.header.game == "TAB":
        yield f"sh.unload {house.full - house.pack.drawn}"
    yield from _shuffled(house, deck, args.named.get("by", "shuffler"), args.named.get("done"))
    if house.header.mode != "hand":
        yield f"sh.load {deck} {house.full}"
    if house.header.game == "TAB":
        yield f"sh.card {house.pack.take('4')}"


def _shuffled(house: House, deck: str, by: str, done: str | None = None) -> Iterator[str]:
    if by == "shuffler":
        yield f"sf.start {deck}"
        yield f"sf.done {deck} {done or house.done_count()}"
    elif by == "hand":
        yield f"kp.manual_shuffle {deck}"
        yield "kp.cut dealer"
    else:
        raise unknown(by, "way to shuffle", ("shuffler", "hand"))
