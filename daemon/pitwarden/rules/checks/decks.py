"""Composition, counts, age and receipt of decks.

What a pack may hold: no card more often than the pack has it (G-01), no joker (G-02). Hidden cards wait.

Whole decks: what a shuffler counted (TAB-01, CB-01, CB-17, CB-23) and what a shoe gave and kept (TAB-01).

Cards are changed after 24 hours, after four where they were dealt from the hand (13:69E-1.18(g), (g)2).

Cards that come to the table and leave it: sealed sets (G-04), returned cards (G-19), backs (G-03).
"""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.checks.check_entry import BEGINS, BY_HAND, FIRST, FOUND, ODD, REVEAL, check
from pitwarden.rules.checks.context import CheckContext, find_case, is_dealt_by_hand
from pitwarden.rules.queries.decks import card_change_rule, is_too_old, removal_of
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shuffler import returns_discards
from pitwarden_client.events.card_faces import JOKER, face_name
from pitwarden_client.events.dealer_cards import KpForeignBack, KpManualShuffle
from pitwarden_client.events.device import ShoeCard, ShoeUnloaded, ShufflerDone, ShufflerStarted
from pitwarden_client.events.floor import FtDeckOpened, FtDeckReturned

_LEAVES: Final = (KpManualShuffle, FtDeckReturned)


@check(
    "composition.copies",
    place=40,
    rules=("composition",),
    on=(REVEAL, "shuffler.started", "kp.manual_shuffle", "ft.deck_returned"),
)
def copies(seen: CheckContext) -> Iterator[Finding]:
    """Report one copy too many, named once it is public; of hidden cards only the deck is named, out of play."""
    rule = seen.rule("composition")
    limit = seen.after.setup.profile.copies
    shoe = seen.after.shoe
    if rule is None or shoe.partial:
        return
    evidence = (seen.entry.number,)
    for face, count in enumerate(shoe.shown[:JOKER] if max(shoe.shown) > limit else ()):
        if count > limit and seen.before.shoe.shown[face] <= limit:
            yield find_case(
                rule, "copy", key=f"copy:{face}", deck=shoe.counted, name=face_name(face), count=count, right=limit,
                evidence=evidence,
            )  # fmt: skip
    old = seen.before.shoe
    if _leaves(seen, old.counted) and not old.partial and any(n > limit for n in old.seen[:JOKER]):
        hidden = any(n > limit >= old.shown[face] for face, n in enumerate(old.seen[:JOKER]))
        if hidden:
            yield find_case(rule, "copy_hidden", deck=old.counted)


@check("composition.joker", place=30, rules=("joker",), on=(FOUND, "shoe.stack"))
def joker(seen: CheckContext) -> Iterator[Finding]:
    """Report that a joker was drawn in a game without jokers."""
    rule = seen.rule("joker")
    faces = seen.entry.faces if seen.drew else ()
    if rule is not None and JOKER in faces:
        key, deck = f"joker:{seen.entry.epoch}:{seen.entry.number}", seen.after.shoe.deck or None
        yield find_case(rule, "drawn", deck=deck, key=key, evidence=(seen.entry.number,), sensor=True)


def _leaves(seen: CheckContext, deck: str) -> bool:
    data = seen.entry.data
    if isinstance(data, ShufflerStarted):
        return data.deck == deck
    return isinstance(seen.act, _LEAVES)


@check("counts.shuffler", place=320, rules=("shuffler_count", "shuffler_count_auto_shoe"), on=("shuffler.done",))
def shuffler(seen: CheckContext) -> Iterator[Finding]:
    """Report that the shuffler counted a wrong number of cards in the deck that it holds."""
    data = seen.entry.data
    automatic = seen.after.table.mode == "auto_shoe"
    rule = (seen.rule("shuffler_count_auto_shoe") if automatic else None) or seen.rule("shuffler_count")
    if rule is None or not isinstance(data, ShufflerDone) or data.count is None:
        return
    total = seen.after.setup.profile.total
    if seen.before.completes(data.deck) or returns_discards(seen.before, data.deck):
        return
    if data.count != total:
        others = (book for book in seen.after.books if book.deck != data.deck and book.own not in {None, total})
        names = ", ".join(f"deck {book.deck} ({book.own})" for book in others)
        yield find_case(
            rule, "wrong_others" if names else "wrong", deck=data.deck, count=data.count, right=total, names=names,
            awaits=rule.clearing(deck=data.deck), evidence=(seen.entry.number,), sensor=True, blast=True,
        )  # fmt: skip


@check("counts.shoe", place=330, rules=("shoe_count",), on=("shoe.unloaded",))
def shoe(seen: CheckContext) -> Iterator[Finding]:
    """Report that at the end of a shoe the cards drawn and those left are not the whole set, without any 10."""
    rule = seen.rule("shoe_count")
    data, old = seen.entry.data, seen.before.shoe
    if rule is None or not isinstance(data, ShoeUnloaded) or data.count is None or old.partial or not old.deck:
        return
    if seen.before.completes(old.deck) and not old.empty:  # it ran out, and discards are in it
        return
    total, there = seen.after.setup.profile.total, old.drawn - old.strange + data.count
    if there != total:
        yield find_case(
            rule, "wrong", deck=old.deck, count=old.drawn - old.strange, left=data.count, right=total,
            awaits=rule.clearing(deck=old.deck), evidence=(seen.entry.number,), sensor=True, blast=True,
        )  # fmt: skip


@check("card_change.old_cards", place=880, rules=("card_change", "card_change_hand"), on=(BEGINS,))
def old_cards(seen: CheckContext) -> Iterator[Finding]:
    """Report that a round begins with cards that had to be changed before."""
    after = seen.after
    if not seen.begins:
        return
    deck = after.deck(after.in_play or after.round.deck)
    rule = card_change_rule(after, deck)
    if rule is not None and is_too_old(after, deck):
        yield find_case(rule, "old", deck=deck.ident, evidence=(seen.entry.number,), key=f"old:{deck.ident}")


@check(
    "counts.must_leave",
    place=60,
    rules=("shuffler_count", "shuffler_count_auto_shoe", "stub_wrong"),
    on=(FIRST, "kp.decision", *BY_HAND),
)
def must_leave(seen: CheckContext) -> Iterator[Finding]:
    """Report that a round begins with a deck that must leave the table: a count was wrong (51.7(e)2, (f))."""
    if not (seen.first or is_dealt_by_hand(seen)):
        return
    deck = seen.after.in_play or seen.after.round.deck
    case = removal_of(seen.before, deck)
    keys = ("shuffler_count", "shuffler_count_auto_shoe", "stub_wrong")
    for rule in filter(None, map(seen.rule, keys)):
        if case is not None and rule.clause == case.finding.clause and rule.verdicts("dealt"):
            yield find_case(
                rule, "dealt", deck=deck, evidence=(seen.entry.number,), basis="default", key=f"out:{deck}",
                rests_on=(case.said.ref,),
            )  # fmt: skip
            return


@check("receipt.set_split", place=70, rules=("sealed_set",), on=("ft.deck_opened",))
def set_split(seen: CheckContext) -> Iterator[Finding]:
    """Report that a sealed set is opened more often than this table has decks of it: a deck left its set."""
    rule, act = seen.rule("sealed_set"), seen.act
    if rule is None or not isinstance(act, FtDeckOpened) or act.set_id is None:
        return
    setup = seen.after.setup
    if seen.before.table.sets.count(act.set_id) >= (len(setup.decks) if setup.profile.copies == 1 else 1):
        yield find_case(rule, "split", deck=act.deck, name=act.set_id, evidence=(seen.entry.number,))


@check("receipt.returned_uninspected", place=80, rules=("returned_cards",), on=("ft.deck_returned",))
def returned_uninspected(seen: CheckContext) -> Iterator[Finding]:
    """Report that cards were returned and not all of them inspected."""
    rule, act = seen.rule("returned_cards"), seen.act
    if rule is not None and isinstance(act, FtDeckReturned) and not act.all_inspected:
        yield find_case(rule, "sampled", deck=act.deck, evidence=(seen.entry.number,))


@check("receipt.other_back", place=50, rules=("backs",), on=(ODD, "kp.foreign_back"))
def other_back(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card's back is not that of its deck: seen by the shoe, or keyed."""
    data, shoe = seen.entry.data, seen.after.shoe
    back, keyed = data.back if isinstance(data, ShoeCard) else None, isinstance(seen.act, KpForeignBack)
    rule = seen.rule("backs") if back or keyed else None
    if rule is None or shoe.last is None:
        return
    colour = seen.after.deck(shoe.deck or shoe.counted).colour or seen.before.shoe.back
    sensed = bool(back and colour) and back != colour
    if sensed or keyed:
        deck, number = shoe.deck or shoe.counted, shoe.last.number
        yield find_case(
            rule, "other", deck=deck or None, known_deck=deck, evidence=(number,),
            key=f"back:{shoe.last.epoch}:{number}", sensor=sensed,
        )  # fmt: skip
