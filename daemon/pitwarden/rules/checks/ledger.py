"""Rows that disagree with the card ledger where no clause of the game speaks to it: house policy, never a void."""

from collections.abc import Iterator

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def unbalanced(seen: Seen) -> Iterator[Finding]:
    """A device, a load or a person says another number of cards than is booked, or a device leaves with cards in it."""
    rule = seen.rule("ledger")
    if rule is None:
        return
    for one in seen.after.now.imbalances:
        yield found(
            rule,
            one.case,
            one.sentence,
            deck=one.deck,
            device=one.device or None,
            awaits=(one.awaits,),
            evidence=(seen.entry.number,),
            sensor=bool(one.device),
            grace=one.late,
            cancels=("card",),
            blast=True,
        )
