"""What shoes and shufflers say, as transfers and trial balances."""

from pitwarden_client.events.device import (
    DeviceCount,
    ShoeEmpty,
    ShoeLoaded,
    ShoeUnloaded,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger.entries import disagree, into_shuffler, partial, put_back, put_book, taken_out
from pitwarden.rules.state.card_book import Book, counted, minus
from pitwarden.rules.state.entry import Entry
from pitwarden.rules.state.state import State, tell
from pitwarden.rules.transitions.shoe import continues, stacks_go_in
from pitwarden.rules.transitions.shuffler import puts_back


def started(before: State, made: State, entry: Entry, event: ShufflerStarted) -> State:
    """The deck goes into the shuffler."""
    made = taken_out(made, entry.source, event.deck)
    return put_book(made, into_shuffler(before, made.book(event.deck), entry.source))


def done(before: State, made: State, entry: Entry, event: ShufflerDone) -> State:
    """The shuffler counted what it holds, if it counts."""
    book = made.book(event.deck)
    if book.holder != entry.source:
        made = taken_out(made, entry.source, event.deck)
        book = into_shuffler(before, book, entry.source)
    if partial(before, event.deck):
        return _discards(before, made, book, event)
    if event.count is None:
        return put_book(made, book)
    profile = made.setup.profile
    if event.count != profile.total and profile.rule("shuffler_count") is None:
        text = f"The shuffler counted {event.count} cards in deck {event.deck}; it must have {profile.total}."
        made = disagree(made, "count", event.deck, text, device=entry.source)
    book = replace(book, own=event.count, shuffler=event.count, kept=0)
    if event.count == profile.total and event.mode == "shuffle":
        book = counted(book, entry.source, (entry.epoch, entry.number))
    return put_book(made, book)


def failed(before: State, made: State, entry: Entry, event: ShufflerFault) -> State:
    """The shuffler jammed, and says how many cards it holds or leaves that unknown."""
    book = made.book(event.deck)
    if book.holder != entry.source:
        book = into_shuffler(before, book, entry.source)
    return put_book(made, replace(book, shuffler=event.holding, kept=event.holding or 0))


def loaded(before: State, made: State, entry: Entry, event: ShoeLoaded) -> State:
    """Cards go into the shoe: the whole deck, the shuffled discards, or what was taken out in mid-shoe."""
    book, count = made.book(event.deck), event.count
    if stacks_go_in(before, event):
        return put_book(made, replace(book, shoe=None, shuffler=0, holder=""))
    if before.completes(event.deck):
        return _reloaded(made, book, entry.source, count)
    if continues(before, event):
        left = made.setup.profile.total - before.shoe.drawn + before.shoe.strange
        return put_book(made, replace(book, shoe=left if count is None else count))
    stays = book.kept if book.own is not None and 0 < book.kept < book.own else 0
    whole = minus(book.own, stays)
    if count is not None and book.own is not None and count != book.own:
        where = f", {stays} of them in {book.holder or 'the shuffler that left'}" if stays else ""
        text = f"{count} cards of deck {event.deck} went into the shoe; {book.own} are booked{where}."
        made = disagree(made, "load", event.deck, text, device=entry.source)
    shoe = whole if count is None else count
    own = None if shoe is None else shoe + stays
    holder = book.holder if stays else ""
    return put_book(made, replace(book, own=own, shuffler=stays, holder=holder, shoe=shoe, rack=0, away=""))


def unloaded(before: State, made: State, entry: Entry, event: ShoeUnloaded) -> State:
    """What was left in the shoe is taken out, and counted by a shoe that counts."""
    deck = before.shoe.deck
    if not deck:
        return made
    book, count = made.book(deck), event.count
    wrong = None if count is None else minus(count, book.shoe)
    if wrong:
        if made.setup.profile.rule("shoe_count") is None or before.shoe.partial:
            text = f"{count} cards of deck {deck} were taken out of the shoe; {book.shoe} are booked in it."
            made = disagree(made, "unload", deck, text, device=entry.source)
        book = replace(book, own=None if book.own is None else book.own + wrong)
    return put_book(made, replace(book, shoe=0))


def emptied(made: State, _event: ShoeEmpty) -> State:
    """The shoe has no cards left; it may have given more than it said."""
    deck = made.shoe.deck or made.in_play
    book = made.book(deck)
    if book.shoe and deck:
        text = f"The shoe is empty; {book.shoe} cards of deck {deck} are booked in it."
        made = tell(made, "ledger", "empty", text)
    return put_book(made, replace(book, shoe=0)) if deck else made


def answered(made: State, entry: Entry, event: DeviceCount) -> State:
    """A device says how many cards it holds; a card that it gave meanwhile may still be on its way."""
    held = [book for book in made.books if book.holder == entry.source]
    kind = made.setup.kind_of(entry.source)
    if kind == "shuffler" and len(held) == 1:
        [book] = held
        booked = book.shuffler
        made = put_book(made, replace(book, shuffler=event.count, kept=event.count))
    elif kind == "shoe" and made.shoe.deck:
        book = made.book(made.shoe.deck)
        booked = book.shoe
    else:
        return made
    if booked is None or booked == event.count:
        return made
    text = f"{entry.source} says that it holds {event.count} cards of deck {book.deck}; {booked} are booked in it."
    return disagree(made, "device", book.deck, text, device=entry.source, late=True)


def _discards(before: State, made: State, book: Book, event: ShufflerDone) -> State:
    """The discards, shuffled in mid-shoe: hands that are over may lie in the rack already."""
    low, spare, count = book.shuffler, book.layout, event.count
    if count is not None:
        book = replace(book, shuffler=count, kept=count)
    if count is not None and low is not None and spare is not None and not low <= count <= low + spare:
        text = f"The shuffler counted {count} discards of deck {book.deck}; {low} to {low + spare} are booked."
        made = disagree(made, "count", book.deck, text, device=book.holder)
        out = count - low if count < low else count - low - spare
        book = replace(book, own=None if book.own is None else book.own + out)
    return put_book(made, put_back(book) if puts_back(before, book.deck) else book)


def _reloaded(made: State, book: Book, device: str, count: int | None) -> State:
    """The shuffled discards go into the shoe: as many as the shuffler counted, or as lie outside of it."""
    low, spare = (book.shuffler, 0 if book.kept else book.layout) if book.holder else (book.rack, book.layout)
    shoe = low if count is None and spare == 0 else count
    if count is not None and low is not None and spare is not None and not low <= count <= low + spare:
        booked = f"{low} to {low + spare}" if spare else str(low)
        text = f"{count} discards of deck {book.deck} went into the shoe; {booked} are booked."
        made = disagree(made, "load", book.deck, text, device=device)
        wrong = count - low if count < low else count - low - spare
        book = replace(book, own=None if book.own is None else book.own + wrong)
    return put_book(made, replace(book, shoe=shoe, shuffler=0, holder="", rack=0, kept=0, away=""))
