"""Postings that others share: replacement of a book, report of an imbalance, moves between accounts, and draws.

A drawn card moves from the shoe to the layout or to the rack; a card that is foreign to the deck is counted apart.
"""

from typing import Final

from typing_extensions import Unpack

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.case_records import CaseFields
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.grammar import device_words
from pitwarden.rules.queries.decks import in_mid_deal
from pitwarden.rules.state.card_book import DeckBook, Imbalance, add_round, move_to_layout, subtract_count
from pitwarden.rules.state.cards import DrawFate
from pitwarden.rules.state.state import RulesState
from pitwarden.rules.transitions.shuffler import returns_discards

ROWS: Final = declared(__name__, decides=("ledger",))


def replace_book(state: RulesState, book: DeckBook) -> RulesState:
    """Return `state` with `book` in place of the book of the same deck, or appended."""
    if book.deck not in [known.deck for known in state.books]:
        return replace(state, books=(*state.books, book))
    return replace(state, books=tuple([book if known.deck == book.deck else known for known in state.books]))


def add_imbalance(
    state: RulesState, case: str, deck: str, *, device: str = "", late: bool = False, **fields: Unpack[CaseFields]
) -> RulesState:
    """Return `state` with a disagreement added to the effects of this row.

    Args:
        state: State after the transition.
        case: Record of the ledger's clause.
        deck: Deck whose book disagrees.
        device: Device that reported the number; empty for a person.
        late: Whether a card that is under way to the log may explain the difference.
        fields: Values of the fields of its sentence: the reported number next to the booked number.
    """
    rule = ROWS(state, "ledger")
    if rule is None:
        return state
    record, values = rule.worded(case, {**fields, "deck": deck, "device": device})
    (clears,) = record.clearing(values)
    one = Imbalance(record.of, deck, record.sentence(values), clears, device, late)
    return replace(state, now=replace(state.now, imbalances=(*state.now.imbalances, one)))


def is_partial_load(state: RulesState, deck: str) -> bool:
    """Return whether a shuffle or load now is of the discards only (36.14(g), 2B.4(h)2); other cards stay in place."""
    return state.completes(deck) or returns_discards(state, deck)


def move_into_shuffler(state: RulesState, book: DeckBook, device: str) -> DeckBook:
    """Return `book` with all its cards in the shuffler named `device`; in a partial shuffle, those of the rack."""
    if is_partial_load(state, book.deck):
        return replace(book, shuffler=book.rack, holder=device, rack=0, kept=0, away="")
    return replace(move_to_layout(book), shuffler=book.own, holder=device)


def return_discards(book: DeckBook) -> DeckBook:
    """Return `book` with the shuffled discards back in the shoe, between rounds (2B.4(h)2)."""
    return replace(book, shoe=book.own, shuffler=0, holder="", rack=0)


def take_out_others(state: RulesState, device: str, deck: str) -> RulesState:
    """Return `state` with other decks taken out of the shuffler named `device`, which now works on `deck`."""
    for book in state.books:
        if book.holder == device and book.deck != deck:
            state = replace_book(state, replace(book, shuffler=0, holder="", kept=0))
    return state


_RACKED: Final[frozenset[DrawFate]] = frozenset({"burn", "up", "burned"})
"""Destinations of a drawn card that goes into the discard rack at once."""


def post_draw(before: RulesState, made: RulesState) -> RulesState:
    """Return `made` with a drawn card, or one whose classification changed, posted to its account.

    A joker, and a 10 in a pack without 10s, are foreign to the deck and are not booked in the shoe.
    """
    old, new, deck = before.shoe, made.shoe, made.shoe.deck or made.in_play
    out, strange = new.drawn - old.drawn, new.strange - old.strange
    if not deck or not (out or strange or made.now.draw):
        return made
    book = made.book(deck)
    if out and book.holder and not made.shoe.deck and deck == before.round.deck and in_mid_deal(before):
        made = add_imbalance(made, "elsewhere", deck, name=device_words(book.holder))
    book = _loaded(book, told=bool(made.shoe.deck))
    if out and made.round.open:
        book = add_round(book, made.round.number)
    rack = None if book.rack is None else max(0, book.rack + _into_rack(before, made, drew=out > 0))
    # After a partial shuffle the shoe deals cards a second time: more draws than cards are then no contradiction.
    if made.shoe.deck and not new.partial and book.own is not None and new.drawn - new.strange > book.own and out:
        made = add_imbalance(made, "over", deck, booked=book.own)
    left = subtract_count(book.shoe, out - strange)
    shoe, foreign = None if left is None or left < 0 else left, max(0, book.foreign + strange)
    return replace_book(made, replace(book, shoe=shoe, rack=rack, foreign=foreign, away=""))


def _into_rack(before: RulesState, made: RulesState, *, drew: bool) -> int:
    """Return how many cards the row put into the rack at once; -1 for a card that it took out again."""
    was, now = before.shoe.last_fate in _RACKED and not drew, made.now.fate in _RACKED
    return int(now and made.now.draw is not None) - int(was)


def _loaded(book: DeckBook, *, told: bool) -> DeckBook:
    """Return `book` with its cards in the shoe, where a shoe that does not report its loads deals one of them."""
    # A shoe that reports no loads is filled at its first draw: the deck can only have been loaded before that.
    if told or book.shoe or book.shoe is None:
        return book
    return replace(book, shoe=book.own, shuffler=0, holder="", rack=0, kept=0)
