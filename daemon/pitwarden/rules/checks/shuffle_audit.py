"""Cards that were dealt in an order which an honest shuffle does not give (36.4(a), 51.4(a), 2B.4(a)). Alerts only."""

from collections.abc import Iterator
from typing import Final

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding

_SEEN: Final = {
    "order": "lie as in a new deck, or in one that was riffled once",
    "sorted": "lie sorted by rank",
    "repeat": "lie together as in an earlier shoe of this table",
}


def looks_unshuffled(seen: Seen) -> Iterator[Finding]:
    """The shuffle auditor was alarmed by the public cards up to this round's end; it names the deck and no card."""
    rule, deck = seen.rule("shuffle_audit"), seen.before.round.deck or seen.before.shoe.deck
    if rule is None:
        return
    for name in seen.after.audit.found if seen.said("round_end") else ():
        text = f"Cards dealt from deck {deck} {_SEEN[name]}: a shuffle gives that in fewer than one shoe in a million."
        yield found(rule, name, text, deck=deck, evidence=(seen.entry.number,), verdicts=rule.verdicts("unshuffled"))
