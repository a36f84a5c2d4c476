"""Cards are changed after 24 hours, after four where they were dealt from the hand (13:69E-1.18(g), (g)2)."""

from collections.abc import Iterator

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.queries.decks import change_rule, too_old
from pitwarden.rules.state.state import Finding


def old_cards(seen: Seen) -> Iterator[Finding]:
    """A round begins with cards that had to be changed before."""
    after = seen.after
    if not seen.begins:
        return
    deck = after.deck(after.in_play or after.round.deck)
    rule = change_rule(after, deck)
    if rule is not None and too_old(after, deck):
        text = f"Deck {deck.ident} has been on the table for its whole time: change it before the next round."
        awaits = (f"opened:{deck.ident}|returned:{deck.ident}",)
        yield found(
            rule, "old", text, awaits=awaits, deck=deck.ident, evidence=(seen.entry.number,), key=f"old:{deck.ident}"
        )
