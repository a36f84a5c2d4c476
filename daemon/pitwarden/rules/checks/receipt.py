"""Cards that come to the table and leave it: sealed sets (G-04), returned cards (G-19), backs (G-03)."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_cards import KpForeignBack
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.floor import FtDeckOpened, FtDeckReturned

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def set_split(seen: Seen) -> Iterator[Finding]:
    """A sealed set is opened more often than this table has decks of it: a deck was separated from its set."""
    rule, act = seen.rule("sealed_set"), seen.act
    if rule is None or not isinstance(act, FtDeckOpened) or act.set_id is None:
        return
    setup = seen.after.setup
    if seen.before.table.sets.count(act.set_id) >= (len(setup.decks) if setup.profile.copies == 1 else 1):
        text = f"Set {act.set_id} was opened before: no deck is separated from its set."
        awaits = (f"noted|returned:{act.deck}",)
        yield found(rule, "split", text, deck=act.deck, awaits=awaits, evidence=(seen.entry.number,))


def returned_uninspected(seen: Seen) -> Iterator[Finding]:
    """Cards were returned and not all of them inspected."""
    rule, act = seen.rule("returned_cards"), seen.act
    if rule is not None and isinstance(act, FtDeckReturned) and not act.all_inspected:
        text = f"Deck {act.deck} was returned by sample: all of its cards are inspected."
        yield found(rule, "sampled", text, deck=act.deck, evidence=(seen.entry.number,))


def other_back(seen: Seen) -> Iterator[Finding]:
    """A card's back is not that of its deck: seen by the shoe, or keyed."""
    data, shoe = seen.entry.data, seen.after.shoe
    back, keyed = data.back if isinstance(data, ShoeCard) else None, isinstance(seen.act, KpForeignBack)
    rule = seen.rule("backs") if back or keyed else None
    if rule is None or shoe.last is None:
        return
    colour = seen.after.deck(shoe.deck or shoe.counted).colour or seen.before.shoe.back
    sensed = bool(back and colour) and back != colour
    if sensed or keyed:
        deck, number = shoe.deck or shoe.counted, shoe.last.number
        text = f"A card with another back came out of deck {deck}: hold until the floor has ruled."
        awaits = (f"noted|card_removed|verified:{deck}|opening:{deck}",)
        evidence, key = (number,), f"back:{shoe.last.epoch}:{number}"
        yield found(rule, "other", text, deck=deck or None, awaits=awaits, evidence=evidence, key=key, sensor=sensed)
