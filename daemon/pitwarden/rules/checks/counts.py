"""Whole decks: what a shuffler counted (TAB-01, CB-01, CB-17, CB-23) and what a shoe gave and kept (TAB-01)."""

from collections.abc import Iterator

from pitwarden_client.events.device import ShoeUnloaded, ShufflerDone

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding
from pitwarden.rules.transitions.shuffler import puts_back


def shuffler(seen: Seen) -> Iterator[Finding]:
    """The shuffler counted a wrong number of cards in the deck that it holds."""
    data = seen.entry.data
    mode = seen.after.table.mode
    rule = seen.rule(f"shuffler_count_{mode}") or seen.rule("shuffler_count")
    if rule is None or not isinstance(data, ShufflerDone) or data.count is None:
        return
    total = seen.after.setup.profile.total
    if seen.before.completes(data.deck) or puts_back(seen.before, data.deck):
        return
    if data.count != total:
        text = f"The shuffler counted {data.count} cards in deck {data.deck}; it must have {total}."
        others = (book for book in seen.after.books if book.deck != data.deck and book.own not in {None, total})
        text += "".join(f" Deck {book.deck} has {book.own}." for book in others)
        awaits = tuple(word.format(deck=data.deck) for word in rule.words("awaits"))
        evidence = (seen.entry.number,)
        yield found(rule, "wrong", text, deck=data.deck, awaits=awaits, evidence=evidence, sensor=True, blast=True)


def shoe(seen: Seen) -> Iterator[Finding]:
    """At the end of a shoe the cards drawn and those left are not the whole set; a 10 never was part of it."""
    rule = seen.rule("shoe_count")
    data, old = seen.entry.data, seen.before.shoe
    if rule is None or not isinstance(data, ShoeUnloaded) or data.count is None or old.partial or not old.deck:
        return
    if seen.before.completes(old.deck) and not old.empty:  # it ran out, and discards are in it
        return
    total, there = seen.after.setup.profile.total, old.drawn - old.strange + data.count
    if there != total:
        text = f"{old.drawn - old.strange} cards were drawn of deck {old.deck} and {data.count} are left: not {total}."
        awaits = tuple(word.format(deck=old.deck) for word in rule.words("awaits"))
        evidence = (seen.entry.number,)
        yield found(rule, "wrong", text, deck=old.deck, awaits=awaits, evidence=evidence, sensor=True, blast=True)
