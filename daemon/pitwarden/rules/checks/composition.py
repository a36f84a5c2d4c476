"""What a pack may hold: no card more often than the pack has it (G-01), no joker (G-02). Hidden cards wait."""

from collections.abc import Iterator
from typing import Final

from pitwarden_client.events.card_faces import JOKER, name_of
from pitwarden_client.events.dealer_cards import KpManualShuffle
from pitwarden_client.events.device import ShufflerStarted
from pitwarden_client.events.floor import FtDeckReturned

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding

_LEAVES: Final = (KpManualShuffle, FtDeckReturned)


def copies(seen: Seen) -> Iterator[Finding]:
    """One copy too many: named once public; of hidden cards only the deck is named, when it leaves play."""
    rule = seen.rule("composition")
    limit = seen.after.setup.profile.copies
    shoe = seen.after.shoe
    if rule is None or shoe.partial:
        return
    evidence = (seen.entry.number,)
    for face, count in enumerate(shoe.shown[:JOKER] if max(shoe.shown) > limit else ()):
        if count > limit and seen.before.shoe.shown[face] <= limit:
            text = f"{name_of(face)} came {count} times; deck {shoe.counted} has it {limit} times."
            yield found(
                rule,
                "copy",
                text,
                key=f"copy:{face}",
                deck=shoe.counted,
                awaits=_floor(shoe.counted),
                evidence=evidence,
            )
    old = seen.before.shoe
    if _leaves(seen, old.counted) and not old.partial and any(n > limit for n in old.seen[:JOKER]):
        hidden = any(n > limit >= old.shown[face] for face, n in enumerate(old.seen[:JOKER]))
        if hidden:
            yield found(
                rule,
                "copy",
                f"The composition of deck {old.counted} is wrong: verify it.",
                deck=old.counted,
                awaits=_floor(old.counted),
            )


def joker(seen: Seen) -> Iterator[Finding]:
    """A joker was drawn in a game without jokers."""
    rule = seen.rule("joker")
    faces = seen.entry.faces if seen.drew else ()
    if rule is not None and JOKER in faces:
        text = "A joker was drawn: rack it, and hold until the floor has ruled on the deck."
        awaits = ("noted|card_removed",)
        key = f"joker:{seen.entry.epoch}:{seen.entry.number}"
        deck = seen.after.shoe.deck or None
        yield found(rule, "drawn", text, awaits=awaits, deck=deck, key=key, evidence=(seen.entry.number,), sensor=True)


def _floor(deck: str) -> tuple[str, ...]:
    return (f"noted|verified:{deck}|opening:{deck}",)


def _leaves(seen: Seen, deck: str) -> bool:
    data = seen.entry.data
    if isinstance(data, ShufflerStarted):
        return data.deck == deck
    return isinstance(seen.act, _LEAVES)
