"""Card book of one deck: its accounts, its right counts, and the rounds it was dealt in since (the blast radius).

Books hold numbers of cards only, never ranks or faces.
"""

from dataclasses import dataclass
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import ClearingStep
from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import BlastRadius

# Rounds remembered for each deck: as many as the contract lets one irregularity list. Older rounds are only counted.
KEPT_ROUNDS: Final = 256
# Highest round number and count that the contract of `BlastRadius` can express; larger ones are published as this.
_LAST_NUMBER: Final = 9_999


@dataclass(frozen=True)
class GoodCount:
    """Count that found a deck complete."""

    by: str
    """Device or person that counted."""
    epoch: str
    number: int
    """Row of the count, in `epoch`."""
    rounds: int
    """Number of completed rounds of this deck before the count; compare `DeckBook.dealt`."""


@dataclass(frozen=True)
class Imbalance:
    """Disagreement between one row and the card book of a deck."""

    case: str
    """Variant of the ledger clause in the game's profile, such as `count` or `load`."""
    deck: str
    sentence: str
    """Reported number next to the booked number, for people."""
    awaits: ClearingStep
    """Facts of which one clears it."""
    device: str = ""
    """Device that reported the number; empty for a person."""
    late: bool = False
    """True where a card that is still under way to the log may explain the difference."""


@dataclass(frozen=True)
class DeckBook:
    """Accounts of one deck, in cards. None means that this table does not sense the number.

    Cards in no other account are on the layout.
    """

    deck: str
    own: int | None = None
    """Cards of this deck at the table."""
    shuffler: int | None = 0
    """Cards of `own` in the shuffler named `holder`."""
    holder: str = ""
    shoe: int | None = 0
    """Cards of `own` in the dealing shoe."""
    rack: int | None = 0
    """Cards of `own` that are certainly in the discard rack."""
    foreign: int = 0
    """Cards that were found and are not part of the deck; they lie apart from it."""
    destroyed: int = 0
    """Number of 10s that the floorperson destroyed, those of the opening inspection included."""
    removed: int = 0
    """Cards that the floorperson took out of the deck."""
    kept: int = 0
    """Cards that the shuffler itself reported to hold since its fault; 0 without such a report."""
    away: str = ""
    """Device that left the table before the cards in it were seen again; empty for none."""
    counts: tuple[GoodCount, ...] = ()
    """Latest right counts, oldest first: at most 8, and one for each device or person."""
    rounds: tuple[int, ...] = ()
    """Latest rounds in which the deck was dealt, oldest first; at most `KEPT_ROUNDS`."""
    dealt: int = 0
    """Number of all rounds in which the deck was dealt."""

    @property
    def layout(self) -> int | None:
        """Cards on the layout; None when another account or the total is unknown."""
        return subtract_count(self.outside, self.rack)

    @property
    def outside(self) -> int | None:
        """Cards that are in no device: on the layout and in the discard rack."""
        return subtract_count(subtract_count(self.own, self.shuffler), self.shoe)


def subtract_count(one: int | None, other: int | None) -> int | None:
    """Return `one` minus `other`; None when either is unknown."""
    return None if one is None or other is None else one - other


def move_to_layout(book: DeckBook) -> DeckBook:
    """Return `book` with all its cards on the layout, in no device and not in the rack."""
    return replace(book, shuffler=0, holder="", shoe=0, rack=0, kept=0, away="")


def mark_unknown(book: DeckBook) -> DeckBook:
    """Return `book` after lost rows: the places of its cards are unknown until the deck is counted or gathered."""
    return replace(book, shuffler=None, shoe=None, rack=None)


def add_round(book: DeckBook, number: int) -> DeckBook:
    """Return `book` with round `number` added to the rounds in which it was dealt."""
    if book.rounds and book.rounds[-1] == number:
        return book
    return replace(book, rounds=(*book.rounds, number)[-KEPT_ROUNDS:], dealt=book.dealt + 1)


def record_count(book: DeckBook, by: str, at: tuple[str, int], *, mid_round: int = 0) -> DeckBook:
    """Return `book` after a count that found it complete.

    Args:
        book: Book of the counted deck.
        by: Device or person that counted.
        at: Row of the count, as epoch and number.
        mid_round: Number of the round in progress; 0 between rounds. If this round is dealt from the deck, it is not
            among
        the rounds that the count confirms.
    """
    over = book.dealt - bool(mid_round and book.rounds and book.rounds[-1] == mid_round)
    others = tuple(one for one in book.counts if one.by != by)
    # `blast_rounds` needs one count that is not by the doubted counter. The bound keeps snapshots small.
    return replace(book, counts=(*others, GoodCount(by, *at, over))[-8:])


def last_count(book: DeckBook) -> GoodCount | None:
    """Return the latest count that found the deck complete, None before the first."""
    return book.counts[-1] if book.counts else None


def blast_rounds(book: DeckBook, doubted: str = "") -> BlastRadius:
    """Return the rounds that a wrong count may have affected: all since the deck's last right count.

    Args:
        book: Book of the deck.
        doubted: Device or person whose counts are ignored, since the row contradicts them; empty for none.
    """
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
