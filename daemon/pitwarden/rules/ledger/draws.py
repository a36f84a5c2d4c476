"""Cards that leave the shoe: onto the layout, into the rack, or aside when they are not the deck's own."""

from typing import Final

from pitwarden.rules.copying import replace
from pitwarden.rules.ledger.entries import disagree, put_book
from pitwarden.rules.state.card_book import Book, in_round, minus
from pitwarden.rules.state.round import Fate
from pitwarden.rules.state.state import State

_RACKED: Final[frozenset[Fate]] = frozenset({"burn", "up", "burned"})


def drawn(before: State, made: State) -> State:
    """`made` with what left the shoe, or was called another card than it seemed, in its account.

    A 10 where none belongs and a joker are not the deck's own: the books of the shoe do not hold them.
    """
    old, new, deck = before.shoe, made.shoe, made.shoe.deck or made.in_play
    out, strange = new.drawn - old.drawn, new.strange - old.strange
    if not deck or not (out or strange or made.now.draw):
        return made
    book = _loaded(made.book(deck), told=bool(made.shoe.deck))
    if out and made.round.open:
        book = in_round(book, made.round.number)
    rack = None if book.rack is None else max(0, book.rack + _into_rack(before, made, drew=out > 0))
    if made.shoe.deck and not new.partial and book.own is not None and new.drawn - new.strange > book.own and out:
        text = f"More cards were drawn from the shoe than the {book.own} of deck {deck}."
        made = disagree(made, "over", deck, text)
    left = minus(book.shoe, out - strange)
    shoe, foreign = None if left is None or left < 0 else left, max(0, book.foreign + strange)
    return put_book(made, replace(book, shoe=shoe, rack=rack, foreign=foreign, away=""))


def _into_rack(before: State, made: State, *, drew: bool) -> int:
    """How many cards the row put into the rack at once; -1 for one that comes out again as no face-up card."""
    was, now = before.shoe.last_fate in _RACKED and not drew, made.now.fate in _RACKED
    return int(now and made.now.draw is not None) - int(was)


def _loaded(book: Book, *, told: bool) -> Book:
    """`book`, its cards in the shoe where a shoe that does not tell its loads gives one of them."""
    if told or book.shoe or book.shoe is None:
        return book
    return replace(book, shoe=book.own, shuffler=0, holder="", rack=0, kept=0)
