"""Postings of inputs: ends of rounds, counts by people, openings and removals, as transfers and trial balances."""

from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.ledger.entries import (
    add_imbalance,
    post_draw,
    replace_book,
    return_discards,
)
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import REST, deck_fact, fact
from pitwarden.rules.queries.decks import cards_found, decks_in_rotation, expected_stub, is_which_unknown, stub_agrees
from pitwarden.rules.state.card_book import (
    DeckBook,
    add_round,
    mark_unknown,
    move_to_layout,
    record_count,
    subtract_count,
)
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import RulesState, add_fact
from pitwarden_client.events.card_faces import JOKER, is_ten, parse_face
from pitwarden_client.events.dealer_cards import KpHands, KpIdleSpread, KpManualShuffle, KpStub
from pitwarden_client.events.dealer_irregularities import KpFaceUp, KpTen
from pitwarden_client.events.dealer_play import KpDeal, KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpCollected, KpNoMoreBets
from pitwarden_client.events.floor import (
    FtCardRemoved,
    FtDeckOpened,
    FtDeckReturned,
    FtDeckVerified,
    FtDeviceRemoved,
    FtOpening,
    FtTenDestroyed,
    FtTenRefuted,
    Refute,
)
from pitwarden_client.events.inputs import Act, InputLogged

ROWS: Final = declared(__name__, reads=("unshuffled_round",))


POSTED: Final[frozenset[type[Act]]] = frozenset({
    KpRoundEnd, KpCollected, KpNoMoreBets, KpDeal, KpTen, KpFaceUp, FtTenRefuted, Refute, KpManualShuffle, KpIdleSpread,
    KpStub, KpHands, FtDeckVerified, FtDeckOpened, FtOpening, FtDeckReturned, FtTenDestroyed, FtCardRemoved,
    FtDeviceRemoved,
})  # fmt: skip
"""Kinds of inputs that move or count cards. All others leave the books as they are."""


def post_input(before: RulesState, made: RulesState, entry: LogEntry, data: InputLogged) -> RulesState:  # noqa: C901, PLR0912  one line per key: a dispatch
    """Return `made` after an input that was accepted."""
    act = data.act
    if type(act) not in POSTED:
        return made
    match act:
        case KpRoundEnd() | KpCollected():
            return _racked(before, made, act)
        case KpNoMoreBets() | KpDeal():
            return _in_hand(made)
        case KpTen() | KpFaceUp() | FtTenRefuted() | Refute():
            return post_draw(before, _uncounted(made, act) if isinstance(act, Refute) else made)
        case KpManualShuffle() | KpIdleSpread():
            return _by_hand(made)
        case KpStub() | KpHands():
            return _from_hand(before, _counted(made, entry, data))
        case FtDeckVerified():
            return _counted(made, entry, data)
        case FtDeckOpened():
            return replace_book(made, DeckBook(act.deck, None, None, "", None, None))
        case FtOpening():
            return _opened(made, entry, data, act)
        case FtDeckReturned():
            return replace(made, books=tuple(book for book in made.books if book.deck != act.deck))
        case FtCardRemoved():
            return _taken(made, act)
        case FtDeviceRemoved():
            return _left(made, act.device, before.shoe.deck)
        case _:  # of `POSTED`, FtTenDestroyed alone is left
            return _destroyed(made)


def _racked(before: RulesState, made: RulesState, act: KpRoundEnd | KpCollected) -> RulesState:
    """Return `made` with the round's cards in the rack.

    Unknown is whether a stub that goes there after each round still waits.
    """
    deck = act.deck if isinstance(act, KpCollected) else before.round.deck or before.shoe.deck
    book = made.book(deck)
    # In such games the rest of the deck follows into the rack after each round. A manual shoe does not report when.
    if book.shoe and ROWS(made, "unshuffled_round") is not None and not before.shoe.automated:
        return replace_book(made, replace(book, shoe=None, rack=None))
    return replace_book(made, replace(book, rack=book.outside)) if deck else made


def _in_hand(made: RulesState) -> RulesState:
    """Return `made` with the deck that is dealt from the hand in no device."""
    if made.table.mode != "hand" or not made.round.open:
        return made
    # A round of which nobody knows the deck may be one of either: a wrong count of each concerns it.
    for deck in decks_in_rotation(made) if is_which_unknown(made) else ():
        made = replace_book(made, add_round(made.book(deck), made.round.number))
    if not made.round.deck:
        return made
    return replace_book(made, add_round(move_to_layout(made.book(made.round.deck)), made.round.number))


def _by_hand(made: RulesState) -> RulesState:
    for one in made.now.facts:
        if one.kind in {"shuffled", "spread"} and one.subject != REST:
            return replace_book(made, _gathered(made, made.book(one.subject or "")))
        if one == fact("put_back"):
            return replace_book(made, return_discards(made.book(made.shoe.deck)))
    return made


def _gathered(made: RulesState, book: DeckBook) -> DeckBook:
    """Return `book` with all its cards on the layout, except those in a device that left the table."""
    device = made.device(book.holder)
    if not book.kept or device is None or device.on_table:
        return move_to_layout(book)
    return replace(move_to_layout(book), shuffler=book.kept, holder=book.holder, kept=book.kept)


def _uncounted(made: RulesState, act: Refute) -> RulesState:
    """Return `made` after the floorperson refuted a count: the deck's accounts are unknown until the next."""
    case = next((one for one in made.cases if one.said.ref == act.irregularity), None)
    if case is None or not case.finding.blast or not case.finding.deck:
        return made
    return replace_book(made, replace(mark_unknown(made.book(case.finding.deck)), own=None))


def _counted(made: RulesState, entry: LogEntry, data: InputLogged) -> RulesState:
    act, total = data.act, made.setup.profile.total
    at, playing = (entry.epoch, entry.number), made.round.number if made.round.open else 0
    for one in made.now.facts:
        if one.kind in {"counted", "verified"}:
            book = replace(made.book(one.subject or ""), own=total, kept=0, away="")
            return replace_book(made, record_count(book, data.person, at, mid_round=playing))
    deck = made.round.deck or made.shoe.deck
    there = cards_found(made, act.counts) if isinstance(act, KpHands) else None
    if there is not None and deck:
        return replace_book(made, replace(made.book(deck), own=there))
    if isinstance(act, FtDeckVerified) and act.count is not None:
        made = replace_book(made, replace(made.book(act.deck), own=act.count))
        # The book takes the counted number, so that the same missing card is not reported at each later count.
        return add_imbalance(made, "verified", act.deck, count=act.count, right=total)
    return made


def _from_hand(before: RulesState, made: RulesState) -> RulesState:
    """Return `made` after a count of the stub or of the hands in a round that is dealt from the hand.

    51.8 has no count of the stub, and 51.7(e)2 is of the shoe: what a house counts is evidence of the ledger (C-10).
    """
    played, total = made.round, made.setup.profile.total
    if (
        made.table.mode != "hand"
        or played.settlement.stub is None
        or (before.round.void and not played.settlement.counts)
    ):
        return made
    there, deck = cards_found(made, played.settlement.counts), played.deck or made.shoe.deck
    if not played.settlement.counts:
        wanted = expected_stub(made)
        if wanted is None or stub_agrees(made, played.settlement.stub):
            return made
        return add_imbalance(made, "stub", deck, count=played.settlement.stub, right=wanted)
    if there == total:
        return add_fact(made, deck_fact("counted", deck)) if deck else made
    return add_imbalance(made, "hands" if deck else "hands_unnamed", deck, count=there or 0, right=total)


def _opened(made: RulesState, entry: LogEntry, data: InputLogged, act: FtOpening) -> RulesState:
    book = DeckBook(act.deck, destroyed=act.tens_removed)
    if deck_fact("opening", act.deck) not in made.now.facts:
        return replace_book(made, book)
    book = replace(book, own=made.setup.profile.total)
    return replace_book(made, record_count(book, data.person, (entry.epoch, entry.number)))


def _destroyed(made: RulesState) -> RulesState:
    """Return `made` after a 10 was destroyed.

    It was found in the shoe, or outside of it where one card too many was counted.
    """
    deck = made.shoe.counted or made.in_play
    deck = deck or next((book.deck for book in made.books), "")
    book, total = made.book(deck), made.setup.profile.total
    if book.foreign:
        return replace_book(made, replace(book, foreign=book.foreign - 1, destroyed=book.destroyed + 1))
    if book.own is not None and book.own > total:
        return replace_book(made, _less(replace(book, destroyed=book.destroyed + 1), 1))
    return made


def _taken(made: RulesState, act: FtCardRemoved) -> RulesState:
    book, total = made.book(act.deck), made.setup.profile.total
    strange = min(act.count, book.foreign)
    book = replace(book, foreign=book.foreign - strange, removed=book.removed + act.count)
    own = 0 if act.replaced_by is not None else act.count - strange
    made = _replacement(replace_book(made, _less(book, own)), act)
    left = subtract_count(book.own, own)
    if own == 0 or left == total:
        return made
    if left is None:
        return add_imbalance(made, "removed_unknown", act.deck, count=own)
    return add_imbalance(made, "removed", act.deck, count=own, left=left, right=total)


def _replacement(made: RulesState, act: FtCardRemoved) -> RulesState:
    """Return `made` after a card was put into the place of another: it is the same card, and one of the pack."""
    put_in, taken = act.replaced_by, act.face
    if put_in is None:
        return made
    face = parse_face(put_in)
    foreign = face == JOKER or (is_ten(face) and not made.setup.profile.tens)
    if not foreign and taken in {None, put_in}:
        return made
    if taken:
        return add_imbalance(made, "replaced", act.deck, name=put_in, other=taken)
    return add_imbalance(made, "replaced_foreign", act.deck, name=put_in)


def _less(book: DeckBook, count: int) -> DeckBook:
    """Return `book` with `count` of its own cards removed: from the layout, else the shuffler, else the shoe."""
    lies, own = book.layout, subtract_count(book.own, count)
    if lies is not None and lies >= count:
        return replace(book, own=own)
    if book.shuffler:
        return replace(book, own=own, shuffler=max(0, book.shuffler - count))
    return replace(book, own=own, shoe=max(0, book.shoe - count) if book.shoe else book.shoe)


def _left(made: RulesState, ident: str, loaded: str) -> RulesState:
    """Return `made` after a device left the table.

    Cards that it had reported to hold are still in it, which is an imbalance. Other cards booked in it are marked as
    away.
    """
    kind = made.setup.kind_of(ident)
    for book in made.books:
        if kind == "shuffler" and book.holder == ident and book.shuffler != 0:
            if book.kept:
                made = add_imbalance(made, "left", book.deck, count=book.kept, device=ident)
            else:
                made = replace_book(made, replace(book, shuffler=0, holder="", away=ident))
        if kind == "shoe" and book.deck == loaded and book.shoe != 0:
            made = replace_book(made, replace(book, shoe=0, away=ident))
    return made
