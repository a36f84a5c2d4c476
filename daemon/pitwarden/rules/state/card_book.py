"""One deck's accounts, the counts that were right, and the rounds that it was dealt in since: the blast radius."""

from dataclasses import dataclass
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import BlastRadius

KEPT_ROUNDS: Final = 256  # as many as an irregularity lists
_LAST_NUMBER: Final = 9_999


@dataclass(frozen=True)
class GoodCount:
    """A count that found a deck whole: by which device or person, on which row, after how many of its rounds."""

    by: str
    epoch: str
    number: int
    rounds: int


@dataclass(frozen=True)
class Imbalance:
    """A row that disagrees with the books: its case in the rules, the deck, what was said and what was booked.

    `awaits` says what settles it; `device` is whose word it is; `late`: a card may cross it on the wire.
    """

    case: str
    deck: str
    sentence: str
    awaits: str
    device: str = ""
    late: bool = False


@dataclass(frozen=True)
class DeckBook:
    """The cards of one deck. None: this table does not sense how many.

    `own`: cards of the deck at the table; of these in the `shuffler` called `holder`, in the `shoe`, surely in the
    `rack`; the rest lies on the layout. `foreign`: found cards that are not its own and lie aside. `kept`: how many the
    shuffler itself said it holds since a fault; `away`: the device that left before the cards in it were seen again.
    `rounds`: the latest rounds it was dealt in, of `dealt` in all.
    """

    deck: str
    own: int | None = None
    shuffler: int | None = 0
    holder: str = ""
    shoe: int | None = 0
    rack: int | None = 0
    foreign: int = 0
    destroyed: int = 0
    removed: int = 0
    kept: int = 0
    away: str = ""
    counts: tuple[GoodCount, ...] = ()
    rounds: tuple[int, ...] = ()
    dealt: int = 0

    @property
    def layout(self) -> int | None:
        """How many lie on the layout, None when another account or the whole is unknown."""
        return subtract_count(self.outside, self.rack)

    @property
    def outside(self) -> int | None:
        """How many are in no device: on the layout and in the discard rack."""
        return subtract_count(subtract_count(self.own, self.shuffler), self.shoe)


def subtract_count(one: int | None, other: int | None) -> int | None:
    """`one` less `other`; None when either is unknown."""
    return None if one is None or other is None else one - other


def move_to_layout(book: DeckBook) -> DeckBook:
    """`book` with all its cards on the layout, in no device and not in the rack."""
    return replace(book, shuffler=0, holder="", shoe=0, rack=0, kept=0, away="")


def mark_unknown(book: DeckBook) -> DeckBook:
    """`book` after rows that nobody has: where its cards are is unknown until they are together again."""
    return replace(book, shuffler=None, shoe=None, rack=None)


def add_round(book: DeckBook, number: int) -> DeckBook:
    """`book` with round `number` among those it was dealt in."""
    if book.rounds and book.rounds[-1] == number:
        return book
    return replace(book, rounds=(*book.rounds, number)[-KEPT_ROUNDS:], dealt=book.dealt + 1)


def record_count(book: DeckBook, by: str, at: tuple[str, int], *, mid_round: int = 0) -> DeckBook:
    """`book` after `by` found it whole on row `at`; the round `mid_round`, if it is of this deck, is not over."""
    over = book.dealt - bool(mid_round and book.rounds and book.rounds[-1] == mid_round)
    others = tuple(one for one in book.counts if one.by != by)
    return replace(book, counts=(*others, GoodCount(by, *at, over))[-8:])


def last_count(book: DeckBook) -> GoodCount | None:
    """The latest count that found the deck whole."""
    return book.counts[-1] if book.counts else None


def blast_rounds(book: DeckBook, doubted: str = "") -> BlastRadius:
    """The rounds of the deck since its last right count by anybody but `doubted`, whose word the row contradicts."""
    last = next((one for one in reversed(book.counts) if one.by != doubted), None)
    since = book.dealt - (last.rounds if last else 0)
    rounds = tuple(min(number, _LAST_NUMBER) for number in book.rounds[len(book.rounds) - since :] if since > 0)
    rounds = rounds if since <= len(book.rounds) else tuple(min(number, _LAST_NUMBER) for number in book.rounds)
    return BlastRadius(
        since=Position(epoch=last.epoch, number=last.number) if last else None,
        by=last.by if last else None,
        rounds=rounds,
        more=min(max(0, since - len(rounds)), _LAST_NUMBER),
    )
