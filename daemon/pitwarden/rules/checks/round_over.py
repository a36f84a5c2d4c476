"""Acts in a round that is void, or whose hands are all dead: cards drawn, wagers settled otherwise than returned.

36.14(a), (b), (d), (l), 26.15, 51.12: no hand is left to take a card, and the wagers are returned (C-31). What the
text's own order had settled before stays settled (C-32). Alerts only: no text has a remedy.
"""

from collections.abc import Iterator

from pitwarden.rules.checks.check_entry import IN_VOID, check
from pitwarden.rules.checks.context import CheckContext, find_case
from pitwarden.rules.checks.settled_order import may_be_settled
from pitwarden.rules.checks.settlement import SETTLED
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.facts import fact, key_fact
from pitwarden.rules.queries.layout import deal_template
from pitwarden.rules.state.state import LAST_COUNT, Finding, IrregularityRecord, RulesState
from pitwarden_client.events.dealer_wagers import KpSettled
from pitwarden_client.events.device import ShoeStack


@check("round_over.settled", place=830, rules=("round_over",), on=("kp.settled",))
def settled(seen: CheckContext) -> Iterator[Finding]:
    """Report that a wager of a void round is not returned, although no order of the text had settled it before."""
    rule, act, before = seen.rule("round_over"), seen.act, seen.before
    if rule is None or not isinstance(act, KpSettled) or act.result is None or act.result == "returned":
        return
    ending = ending_cases(before)
    if not ending or may_be_settled(before, act):
        return
    name, key = act.called.replace("_", " "), f"{rule.key}:{before.round.number}:{act.box}:{act.called}"
    made = find_case(
        rule, "settled", box=act.box, name=name, result=SETTLED[act.result], evidence=(seen.entry.number,),
        once=True, key=key,
    )  # fmt: skip
    yield _under(ending, made)


@check("round_over.drawn", place=840, rules=("round_over_drawn",), on=(IN_VOID,), reads=("attack",))
def drawn(seen: CheckContext) -> Iterator[Finding]:
    """Report that a card leaves the shoe in a void round, which is no found card and no new dealer's burn card.

    Where hands are dealt at once and no card follows, only as many as the deal has: the stub leaves an automated shoe.
    """
    rule, before, setup = seen.rule("round_over_drawn"), seen.before, seen.before.setup
    plain = seen.after.now.fate == "dead" or isinstance(seen.entry.data, ShoeStack)
    ending = ending_cases(before)
    if rule is None or not ending or not plain or before.shoe.burn_due:
        return
    if setup.burns and not setup.keyed(("kp.dealer",)):
        return
    plan = deal_template(setup, before.round)
    stub = plan is not None and seen.row("attack") is None and before.shoe.drawn >= len(plan.slots)
    # A card that was on its way when the verdict came is no act of a dealer who knew of it.
    if stub or seen.entry.log_ms - ending[0].opened.logms < setup.grace_ms:
        return
    cancels, key = (fact("round_end"), key_fact("kp.boxes")), f"{rule.key}:{before.round.number}"
    made = find_case(rule, "drawn", grace=True, cancels=cancels, evidence=(seen.entry.number,), once=True, key=key)
    yield _under(ending, made)


def ending_cases(state: RulesState) -> tuple[IrregularityRecord, ...]:
    """Return the irregularities that made the round in progress void, or its hands dead; none where nothing did."""
    if not state.round.void:
        return ()
    live = (case for case in state.cases if case.live and case.said.round == min(state.round.number, LAST_COUNT))
    return tuple([case for case in live if case.ends_round])


def _under(ending: tuple[IrregularityRecord, ...], made: Finding) -> Finding:
    """Return `made` under the clause that ended the round; it falls with what ended it."""
    first = ending[0].finding
    return replace(made, clause=first.clause, cites=first.cites, rests_on=tuple([case.said.ref for case in ending]))
