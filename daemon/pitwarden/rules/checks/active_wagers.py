"""Wagers of games whose players play or fold a complete hand (13:69F-51.1, 51.10).

A hand with an active wager is turned (51.10(e)1). A bonus takes part with the required wagers (51.10(a)). A folded
hand wins nothing that it gave up (51.1). Alerts only: no text has a remedy.
"""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import BEGINS, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.queries.hands import has_bonus
from pitwarden.rules.state.round import RoundState
from pitwarden.rules.state.state import Finding
from pitwarden_client.events.dealer_play import KpRoundEnd
from pitwarden_client.events.dealer_wagers import KpSettled

_DEALER = "dealer"


@check("active_wagers.never_turned", place=850, rules=("turned",), on=("kp.round_end",))
def never_turned(seen: CheckContext) -> Iterator[Finding]:
    """Report that the round ends, and a hand with an active wager, or the dealer's, was never turned."""
    rule, played = seen.rule("turned"), seen.before.round
    if rule is None or not isinstance(seen.act, KpRoundEnd) or played.void:
        return
    # Where a box has not decided, the round may have been called off.
    decided = bool(played.deal.active) and set(played.play.decided) >= set(played.deal.active)
    folded = played.play.folded
    active = [box for box in played.deal.active if decided and (box not in folded or has_bonus(seen.before, box))]
    evidence = (seen.entry.number,)
    if active and _DEALER not in played.play.shown:
        yield find_case(rule, "dealer", evidence=evidence, once=True)
        return
    for box in active:
        if f"box{box}" not in played.play.shown:
            yield find_case(rule, "never", box=box, evidence=evidence, once=True)


@check("active_wagers.bonus_alone", place=860, rules=("participation",), on=(BEGINS,))
def bonus_alone(seen: CheckContext) -> Iterator[Finding]:
    """Bets are closed, and a box has a bonus wager without the required ones.

    The order of placing is free until then. Where no box has them keyed, this table does not key them.
    """
    rule, played = seen.rule("participation"), seen.after.round
    if rule is None or not seen.begins or played.void:
        return
    placed = {(one.wager, one.box) for one in played.windows.bets.stakes}
    boxes = {box for _, box in placed}
    whole = {box for box in boxes if all((wager, box) in placed for wager in rule.words("required"))}
    alone = {box for wager, box in placed if wager in rule.words("wagers")} - whole
    for box in sorted(alone) if whole else ():
        names = " and ".join(rule.words("required"))
        yield find_case(rule, "alone", box=box, names=names, evidence=(seen.entry.number,), once=True)


@check("active_wagers.folded_paid", place=870, rules=("folded_paid",), on=("kp.settled",))
def folded_paid(seen: CheckContext) -> Iterator[Finding]:
    """Report that a wager that a folded hand does not have is settled as won."""
    rule, act, played = seen.rule("folded_paid"), seen.act, seen.before.round
    if rule is None or not isinstance(act, KpSettled) or act.result != "win" or played.void:
        return
    final = rule.words("forfeited") if _DEALER in played.play.shown else ()
    if act.box in played.play.folded and act.called in {*rule.words("wagers"), *final} and not _is_told(played, act):
        name, key = act.called.replace("_", " "), f"{rule.key}:{played.number}:{act.box}:{act.called}"
        yield find_case(rule, "paid", box=act.box, name=name, evidence=(seen.entry.number,), once=True, key=key)


def _is_told(played: RoundState, act: KpSettled) -> bool:
    """Return whether an announced outcome decides the wager: a contradiction to it has an alert of its own."""
    return any((one.hand, one.wager) == (f"box{act.box}", act.called) for one in played.windows.bets.told)
