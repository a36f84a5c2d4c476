"""Postings of device events: loads, shuffles and counts, as transfers between accounts and as trial balances."""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger.entries import (
    add_imbalance,
    is_partial_load,
    move_into_shuffler,
    replace_book,
    return_discards,
    take_out_others,
)
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.grammar import device_words
from pitwarden.rules.queries.decks import in_mid_deal
from pitwarden.rules.state.card_book import DeckBook, record_count, subtract_count
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState, add_notice
from pitwarden.rules.transitions.shoe import continues_shoe, stacks_go_in
from pitwarden.rules.transitions.shuffler import returns_discards
from pitwarden_client.events.device import (
    DeviceCount,
    ShoeEmpty,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)

ROWS: Final = declared(__name__, decides=("ledger",), reads=("shoe_count", "shuffler_count"))


def post_shuffle_started(before: RulesState, made: RulesState, entry: LogEntry, event: ShufflerStarted) -> RulesState:
    """Return `made` with the deck moved into the shuffler."""
    made = take_out_others(made, entry.source, event.deck)
    return replace_book(made, move_into_shuffler(before, made.book(event.deck), entry.source))


def post_shuffle_done(before: RulesState, made: RulesState, entry: LogEntry, event: ShufflerDone) -> RulesState:
    """Return `made` with the shuffler's count of its cards, if it counts."""
    book = made.book(event.deck)
    if book.holder != entry.source:
        made = take_out_others(made, entry.source, event.deck)
        book = move_into_shuffler(before, book, entry.source)
    if is_partial_load(before, event.deck):
        return _discards(before, made, book, event)
    if event.count is None:
        return replace_book(made, book)
    profile = made.setup.profile
    # Where the game has a clause on the shuffler's count, its check reports the wrong count; one report is enough.
    if event.count != profile.total and ROWS.of(profile, "shuffler_count") is None:
        made = add_imbalance(made, "count", event.deck, count=event.count, right=profile.total, device=entry.source)
    out = len(before.round.deal.dealt) if in_mid_deal(before) and before.round.deck == event.deck else 0
    if out and event.count + out > profile.total:
        made = add_imbalance(made, "count_over", event.deck, count=event.count, out=out, device=entry.source)
    book = replace(book, own=event.count, shuffler=event.count, kept=0)
    if event.count == profile.total and event.mode == "shuffle":
        book = record_count(book, entry.source, (entry.epoch, entry.number))
    return replace_book(made, book)


def post_shuffle_failed(before: RulesState, made: RulesState, entry: LogEntry, event: ShufflerFault) -> RulesState:
    """Return `made` with the cards that the jammed shuffler reports to hold; unknown without a report."""
    book = made.book(event.deck)
    if book.holder != entry.source:
        book = move_into_shuffler(before, book, entry.source)
    return replace_book(made, replace(book, shuffler=event.holding, kept=event.holding or 0))


def post_loaded(before: RulesState, made: RulesState, entry: LogEntry, event: ShoeLoaded) -> RulesState:
    """Return `made` with cards moved into the shoe: the complete deck, discards, or cards taken out in mid-shoe."""
    book, count = made.book(event.deck), event.count
    if stacks_go_in(before, event):
        return replace_book(made, replace(book, shoe=None, shuffler=0, holder=""))
    if before.completes(event.deck):
        return _reloaded(made, book, entry.source, count)
    if continues_shoe(before, event):
        left = made.setup.profile.total - before.shoe.drawn + before.shoe.strange
        return replace_book(made, replace(book, shoe=left if count is None else count))
    if in_mid_deal(before):
        made = _loaded_in_mid_deal(before, made, event, entry.source)
    # After a fault, cards may remain in the shuffler while the others are loaded: only its own report shows how many.
    stays = book.kept if book.own is not None and 0 < book.kept < book.own else 0
    whole = subtract_count(book.own, stays)
    if count is not None and book.own is not None and count != book.own:
        case = "load" if not stays else "load_apart" if book.holder else "load_apart_left"
        made = add_imbalance(
            made,
            case,
            event.deck,
            count=count,
            booked=book.own,
            left=stays,
            name=device_words(book.holder),
            device=entry.source,
        )
    shoe = whole if count is None else count
    own = None if shoe is None else shoe + stays
    holder = book.holder if stays else ""
    return replace_book(made, replace(book, own=own, shuffler=stays, holder=holder, shoe=shoe, rack=0, away=""))


def _loaded_in_mid_deal(before: RulesState, made: RulesState, event: ShoeLoaded, device: str) -> RulesState:
    """Return `made` where a round that is being dealt continues from another deck, or from a deck with cards out."""
    dealt, out = before.round.deck or before.shoe.counted, len(before.round.deal.dealt)
    if event.deck != dealt:
        case = "mid_deal" if dealt else "mid_deal_unknown"
        return add_imbalance(made, case, event.deck, other_deck=dealt, device=device)
    if (
        event.count is not None
        and not before.round.exceptions.shuffled
        and event.count + out > made.setup.profile.total
    ):
        return add_imbalance(made, "mid_deal_over", event.deck, count=event.count, out=out, device=device)
    return made


def post_unloaded(before: RulesState, made: RulesState, entry: LogEntry, event: ShoeUnloaded) -> RulesState:
    """Return `made` with the rest of the shoe taken out; a shoe that counts confirms or contradicts the book."""
    deck, count = before.shoe.deck, event.count
    if not deck:
        return _left_behind(before, made, entry, count or 0)
    book = made.book(deck)
    wrong = None if count is None else subtract_count(count, book.shoe)
    if wrong:
        # As with the shuffler, a clause on the shoe's count has a check of its own, except after a partial shuffle.
        if ROWS(made, "shoe_count") is None or before.shoe.partial:
            made = add_imbalance(made, "unload", deck, count=count or 0, booked=book.shoe or 0, device=entry.source)
        book = replace(book, own=None if book.own is None else book.own + wrong)
    return replace_book(made, replace(book, shoe=0))


def _left_behind(before: RulesState, made: RulesState, entry: LogEntry, count: int) -> RulesState:
    """Return `made` after cards came out of a shoe whose deck is booked in the shuffler: they were left behind."""
    book = made.book(before.shoe.counted)
    if not count or not before.shoe.counted or not book.holder:
        return made
    return add_imbalance(
        made, "unload_elsewhere", book.deck, count=count, name=device_words(book.holder), device=entry.source
    )


def post_emptied(made: RulesState, _event: ShoeEmpty) -> RulesState:
    """Return `made` with no cards left in the shoe; it may have dealt more than it reported."""
    deck = made.shoe.deck or made.in_play
    book = made.book(deck)
    if book.shoe and deck:
        made = add_notice(made, ROWS(made, "ledger"), "empty", booked=book.shoe, deck=deck)
    return replace_book(made, replace(book, shoe=0)) if deck else made


def post_count_answer(made: RulesState, entry: LogEntry, event: DeviceCount) -> RulesState:
    """Return `made` with a device's count of its cards.

    A card that it dealt meanwhile may still be under way to the log.
    """
    held = [book for book in made.books if book.holder == entry.source]
    kind = made.setup.kind_of(entry.source)
    if kind == "shuffler" and len(held) == 1:
        [book] = held
        booked = book.shuffler
        made = replace_book(made, replace(book, shuffler=event.count, kept=event.count))
    elif kind == "shoe" and made.shoe.deck:
        book = made.book(made.shoe.deck)
        booked = book.shoe
    else:
        return made
    if booked is None or booked == event.count:
        return made
    return add_imbalance(made, "device", book.deck, count=event.count, booked=booked, device=entry.source, late=True)


def _discards(before: RulesState, made: RulesState, book: DeckBook, event: ShufflerDone) -> RulesState:
    """Return `made` with the discards shuffled in mid-shoe; cards of hands that are over may be in the rack already."""
    low, spare, count = book.shuffler, book.layout, event.count
    if count is not None:
        book = replace(book, shuffler=count, kept=count)
    if count is not None and low is not None and spare is not None and not low <= count <= low + spare:
        made = add_imbalance(
            made, "count_discards", book.deck, count=count, first=low, last=low + spare, device=book.holder
        )
        out = count - low if count < low else count - low - spare
        book = replace(book, own=None if book.own is None else book.own + out)
    return replace_book(made, return_discards(book) if returns_discards(before, book.deck) else book)


def _reloaded(made: RulesState, book: DeckBook, device: str, count: int | None) -> RulesState:
    """Return `made` with shuffled discards moved into the shoe: as many as were counted, or as are outside of it."""
    low, spare = (book.shuffler, 0 if book.kept else book.layout) if book.holder else (book.rack, book.layout)
    shoe = low if count is None and spare == 0 else count
    if count is not None and low is not None and spare is not None and not low <= count <= low + spare:
        case = "load_discards_range" if spare else "load_discards"
        made = add_imbalance(made, case, book.deck, count=count, booked=low, first=low, last=low + spare, device=device)
        wrong = count - low if count < low else count - low - spare
        book = replace(book, own=None if book.own is None else book.own + wrong)
    return replace_book(made, replace(book, shoe=shoe, shuffler=0, holder="", rack=0, kept=0, away=""))
