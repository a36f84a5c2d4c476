"""Between the deal and play: in-between wagers settled (IB-05), antes collected (SH-16), hands chosen (SH-17).

2.26(e), 2B.7(e) and (f) put them before any additional card and before the reader, and name no remedy: the floor rules.
"""

from collections.abc import Iterator

from pitwarden_client.events.dealer_play import KpChoice
from pitwarden_client.events.dealer_wagers import KpOpen, KpWager
from pitwarden_client.events.device import ReaderInserted

from pitwarden.rules.finding import Seen, found
from pitwarden.rules.queries.choices import choice_of, choosers, waiting
from pitwarden.rules.queries.layout import missing
from pitwarden.rules.queries.reader import up_allowed
from pitwarden.rules.state.state import Finding


def ib_unsettled(seen: Seen) -> Iterator[Finding]:
    """Play goes on while in-between wagers are not settled."""
    yield from _early(seen, "ib_settled", "ib_settled", "the in-between wagers were settled")


def antes_on_the_layout(seen: Seen) -> Iterator[Finding]:
    """Play goes on while the antes lie on the layout."""
    yield from _early(seen, "antes_collected", "antes_collected", "the antes were collected")


def choice_open(seen: Seen) -> Iterator[Finding]:
    """Play goes on, or insurance is offered, while a player has not chosen between the two hands."""
    act = seen.act
    offered = (isinstance(act, KpOpen) and act.window == "insurance") or (
        isinstance(act, KpWager) and act.wager == "insurance"
    )
    yield from _early(seen, "choices", "all_chosen", "each player had chosen a hand", offered=offered)


def choice_out_of_turn(seen: Seen) -> Iterator[Finding]:
    """A player chose before one who sits farther to the dealer's left."""
    rule, act, before = seen.rule("choice_order"), seen.act, seen.before
    if rule is None or not isinstance(act, KpChoice) or before.round.over:
        return
    asked = (box for box in choosers(before) if box not in (*before.round.options, *before.round.late))
    passed = next((box for box in asked if box < act.box and choice_of(before, box) is None), None)
    if passed is not None:
        text = f"Box {act.box} chose before box {passed}: the dealer asks from the left."
        evidence, key = (seen.entry.number,), f"{rule.key}:{before.round.number}"
        yield found(rule, "order", text, box=act.box, evidence=evidence, once=True, key=key)


def _plays_on(seen: Seen) -> bool:
    before = seen.before
    if not before.round.open or before.round.over:
        return False
    if isinstance(seen.entry.data, ReaderInserted):
        return up_allowed(seen.after) is not False
    return seen.drew and seen.after.now.fate in {"card", "extra"} and missing(before.setup, before.round) == 0


def _early(seen: Seen, key: str, token: str, what: str, *, offered: bool = False) -> Iterator[Finding]:
    rule = seen.rule(key)
    if rule is None or not (offered or _plays_on(seen)) or not waiting(seen.before, key):
        return
    text = f"Play went on before {what}: hold until it is done."
    evidence = (seen.entry.number,)
    yield found(
        rule, "early", text, awaits=(f"{token}|noted",), grace=True, cancels=(token,), evidence=evidence, once=True
    )
