"""A card exposed while the cards are mixed or stacked: all are mixed again (36.3(c), also after 36.4(h))."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_cards import KpExposedInMix

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def exposed(seen: Seen) -> Iterator[Finding]:
    """A card was turned over and exposed to the players."""
    rule = seen.rule("remix")
    if rule is not None and isinstance(seen.act, KpExposedInMix):
        keyed = "mixed" if seen.after.setup.keyed(("kp.mixed",)) else "mixed|noted"
        text = "A card was exposed in the mixing: mix all cards again before they are shuffled."
        yield found(rule, "exposed", text, awaits=(keyed,), evidence=(seen.entry.number,), key="remix")
