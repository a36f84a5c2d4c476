"""Shared postings, draws.

Small steps that all postings share: a book put back, a disagreement said, what of a deck goes where.

Cards that leave the shoe: onto the layout, into the rack, or aside when they are not the deck's own.
"""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.state.card_book import DeckBook, Imbalance, add_round, move_to_layout, subtract_count
from pitwarden.rules.state.round import DrawFate
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.shuffler import returns_discards

SETTLED = "noted|verified:{0}|counted:{0}|opening:{0}|returned:{0}"
"""What settles a count that disagrees: the floor's ruling, or the deck found whole, or gone."""

MADE_WHOLE = "verified:{0}|opening:{0}|returned:{0}"
"""What settles cards that are known to be missing: a person counts the deck whole, or another takes its place."""


def replace_book(state: RulesState, book: DeckBook) -> RulesState:
    """`state` with `book` in place of the one of the same deck, or behind the others."""
    if book.deck not in [known.deck for known in state.books]:
        return replace(state, books=(*state.books, book))
    return replace(state, books=tuple([book if known.deck == book.deck else known for known in state.books]))


def add_imbalance(
    state: RulesState,
    case: str,
    deck: str,
    sentence: str,
    *,
    awaits: str = SETTLED,
    device: str = "",
    late: bool = False,
) -> RulesState:
    """`state` with the disagreement among what this row brought."""
    one = Imbalance(case, deck, sentence, awaits.format(deck), device, late)
    return replace(state, now=replace(state.now, imbalances=(*state.now.imbalances, one)))


def is_partial_load(state: RulesState, deck: str) -> bool:
    """Whether a shuffle or load now is of the discards alone (36.14(g), 2B.4(h)2), the rest staying where it is."""
    return state.completes(deck) or returns_discards(state, deck)


def move_into_shuffler(state: RulesState, book: DeckBook, device: str) -> DeckBook:
    """`book` with all its cards, or in a partial shuffle those of the rack, in the shuffler called `device`."""
    if is_partial_load(state, book.deck):
        return replace(book, shuffler=book.rack, holder=device, rack=0, kept=0, away="")
    return replace(move_to_layout(book), shuffler=book.own, holder=device)


def return_discards(book: DeckBook) -> DeckBook:
    """`book` with the shuffled discards back in the shoe, between rounds (2B.4(h)2)."""
    return replace(book, shoe=book.own, shuffler=0, holder="", rack=0)


def take_out_others(state: RulesState, device: str, deck: str) -> RulesState:
    """`state` with other decks taken out of the shuffler called `device`: it works on `deck` now."""
    for book in state.books:
        if book.holder == device and book.deck != deck:
            state = replace_book(state, replace(book, shuffler=0, holder="", kept=0))
    return state


_RACKED: Final[frozenset[DrawFate]] = frozenset({"burn", "up", "burned"})


def post_draw(before: RulesState, made: RulesState) -> RulesState:
    """`made` with what left the shoe, or was called another card than it seemed, in its account.

    A 10 where none belongs and a joker are not the deck's own: the books of the shoe do not hold them.
    """
    old, new, deck = before.shoe, made.shoe, made.shoe.deck or made.in_play
    out, strange = new.drawn - old.drawn, new.strange - old.strange
    if not deck or not (out or strange or made.now.draw):
        return made
    book = _loaded(made.book(deck), told=bool(made.shoe.deck))
    if out and made.round.open:
        book = add_round(book, made.round.number)
    rack = None if book.rack is None else max(0, book.rack + _into_rack(before, made, drew=out > 0))
    if made.shoe.deck and not new.partial and book.own is not None and new.drawn - new.strange > book.own and out:
        text = f"More cards were drawn from the shoe than the {book.own} of deck {deck}."
        made = add_imbalance(made, "over", deck, text)
    left = subtract_count(book.shoe, out - strange)
    shoe, foreign = None if left is None or left < 0 else left, max(0, book.foreign + strange)
    return replace_book(made, replace(book, shoe=shoe, rack=rack, foreign=foreign, away=""))


def _into_rack(before: RulesState, made: RulesState, *, drew: bool) -> int:
    """How many cards the row put into the rack at once; -1 for one that comes out again as no face-up card."""
    was, now = before.shoe.last_fate in _RACKED and not drew, made.now.fate in _RACKED
    return int(now and made.now.draw is not None) - int(was)


def _loaded(book: DeckBook, *, told: bool) -> DeckBook:
    """`book`, its cards in the shoe where a shoe that does not tell its loads gives one of them."""
    if told or book.shoe or book.shoe is None:
        return book
    return replace(book, shoe=book.own, shuffler=0, holder="", rack=0, kept=0)
