"""Cards that were spread on an idle table are shuffled before they are dealt (TAB-10, CB-10, SH-09): HOLD."""

from collections.abc import Iterator

from pitwarden_client.events.device import ShoeLoaded

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def dealt_unshuffled(seen: Seen) -> Iterator[Finding]:
    """A card of a deck leaves the shoe that was spread and not shuffled since."""
    before = seen.before
    deck = before.deck(before.in_play)
    rule = seen.rule("idle_spread") if deck.spread else None
    if rule is not None and seen.drew:
        text = f"Deck {deck.ident} was spread on the idle table: wash, stack and shuffle it before it is dealt."
        evidence = (seen.entry.number,)
        yield found(rule, "dealt", text, deck=deck.ident, awaits=(f"shuffled:{deck.ident}",), evidence=evidence)


def other_batch(seen: Seen) -> Iterator[Finding]:
    """A batch that waited in the shuffler is loaded, and the conditions of dealing it unspread are not met."""
    rule, data, state = seen.rule("idle_spread"), seen.entry.data, seen.after
    if rule is None or not isinstance(data, ShoeLoaded) or not rule.verdicts("request"):
        return
    if state.deck(data.deck).waited and not state.setup.policy.batch_swap:
        text = f"Deck {data.deck} waited in the shuffler and was not spread: no approval to deal it so is on file."
        evidence = (seen.entry.number,)
        yield found(rule, "request", text, deck=data.deck, awaits=(f"shuffled:{data.deck}",), evidence=evidence)


def requested(seen: Seen) -> Iterator[Finding]:
    """A player asks that the batch be spread and shuffled again before it is dealt."""
    rule, ident = seen.rule("idle_spread"), seen.after.in_play
    if rule is not None and seen.said("spread_request"):
        text = "A player asks to see the cards: spread them, then shuffle again before they are dealt."
        awaits = (f"spread:{ident}", f"shuffled:{ident}")
        yield found(rule, "request", text, deck=ident or None, awaits=awaits, evidence=(seen.entry.number,))
