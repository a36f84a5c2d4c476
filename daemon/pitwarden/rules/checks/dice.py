"""A wager at craps settled otherwise than the last roll decided it (19:47-1.2(a)). Alerts only."""

from collections.abc import Iterator

from pitwarden_client.events.dealer_wagers import KpDiceSettled

from pitwarden.rules.copying import replace
from pitwarden.rules.evaluation.craps import PLACED
from pitwarden.rules.finding import Seen, found
from pitwarden.rules.state.state import Finding


def settled_wrongly(seen: Seen) -> Iterator[Finding]:
    """A result was keyed that is not the last roll's, or a wager was settled that it did not decide."""
    rule, act = seen.rule("dice_settled"), seen.act
    if rule is None or not isinstance(act, KpDiceSettled):
        return
    decided = [
        one.result
        for one in seen.before.dice.decided
        if (one.bet.wager, one.bet.spot) == (act.wager, act.spot)
        and (one.bet.wager not in PLACED or one.bet.number == act.number)
    ]
    row = seen.after.setup.profile.rule(act.wager)
    if act.result in decided or row is None:
        return
    name, is_now = act.wager.replace("_", " "), decided[0] if decided else "not decided"
    text = f"Spot {act.spot}: {name} was settled as {act.result}; by the last roll it is {is_now}."
    made = found(rule, "settled", text, evidence=(seen.entry.number,), once=True, key=f"dice:{seen.entry.number}")
    yield replace(made, clause=row.clause, cites=row.cites)
