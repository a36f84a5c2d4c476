"""Consequences of an irregularity that falls: what was found because of it falls with it.

A floorperson who refutes a found card withdraws the void that it made. With the void each finding falls that rests on
it (`Finding.rests_on`), such as the hold for the shuffle that the void had ordered. Other found cards keep their
effect: of three, a refuted one leaves two. What a person did meanwhile stays: a card dealt without the permit was dealt
without it.
"""

from collections.abc import Iterable
from typing import Final

from pitwarden.rules.checks.dealing_order import window_key
from pitwarden.rules.engine.irregularities import change_status, open_irregularities
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.profile.facts import fact
from pitwarden.rules.queries.layout import deal_template
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import Finding, IrregularityRecord, RulesState

ROWS: Final = declared(__name__, decides=("face_up", "stray_ten"))

_FALLEN: Final = frozenset({"refuted", "withdrawn"})
_DESTROYED: Final = fact("ten_destroyed")


def supported(state: RulesState, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those of `findings` that do not rest on fallen irregularities alone."""
    return tuple([finding for finding in findings if not _falls(state.cases, finding)])


def withdraw_consequences(before: RulesState, state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """Return `state` without all that rests on fallen irregularities alone, over any number of steps.

    Args:
        before: State with the same irregularities, before the facts of the row changed their status.
        state: State after that.
        entry: The row.
        out: Outputs of the row, to which changes are added.
    """
    changed = [new for old, new in zip(before.cases, state.cases, strict=True) if new.said.status != old.said.status]
    refuted = [case for case in changed if case.said.status == "refuted"]
    state = _judged_anew(state, entry, refuted, out) if refuted else state
    # What rests on nothing is left out first: nearly all irregularities, on each row.
    while falling := [
        case for case in state.cases if case.finding.rests_on and case.live and _falls(state.cases, case.finding)
    ]:
        cases = [change_status(case, "withdrawn", entry, out) if case in falling else case for case in state.cases]
        state = replace(state, cases=tuple(cases))
    pending = tuple([one for one in state.pending if not _falls(state.cases, one.finding)])
    return state if len(pending) == len(state.pending) else replace(state, pending=pending)


def review_windows(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """Return `state` without the complaint about a window that turns out to have been closed in time.

    A player who got no card is not waited for (36.14(h)), and the window may be keyed once more in its time.
    """
    plan = deal_template(state.setup, state.round)
    passes = zip(state.setup.profile.passes, state.round.deal.marks, plan.ends if plan else (), strict=False)
    in_time = {window_key(one.name) for one, mark, end in passes if mark == end}
    if not any(case.live and case.finding.key in in_time for case in state.cases):
        return state
    cases = [
        change_status(case, "withdrawn", entry, out) if case.live and case.finding.key in in_time else case
        for case in state.cases
    ]
    return replace(state, cases=tuple(cases))


def _falls(cases: Iterable[IrregularityRecord], finding: Finding) -> bool:
    """Return whether each irregularity that `finding` rests on has fallen; one that is forgotten was right."""
    if not finding.rests_on:
        return False
    return {case.said.ref for case in cases if case.said.status in _FALLEN}.issuperset(finding.rests_on)


def _judged_anew(
    state: RulesState, entry: LogEntry, refuted: list[IrregularityRecord], out: list[RuleOutput]
) -> RulesState:
    """Return `state` without the void of found cards that are no longer too many, and with one that is still due."""
    again: list[Finding] = []
    for kind, key, count, awaits in (
        ("ten:", "stray_ten", state.shoe.tens, _DESTROYED),
        ("face_up:", "face_up", state.shoe.ups, fact("card")),
    ):
        rule = ROWS(state, key)
        if rule is None or not rule.verdicts("first"):
            continue
        standing = [case for case in state.cases if case.live and _orders(case, kind)]
        if count > rule.number("allowed"):
            ordered = [case.finding for case in refuted if _orders(case, kind)]
            again += [_of_the_others(state, kind, ordered[0])] if ordered and not standing else []
            continue
        cases = [change_status(case, "withdrawn", entry, out) if case in standing else case for case in state.cases]
        again += [replace(case.finding, verdicts=rule.verdicts("first"), awaits=((awaits,),)) for case in standing]
        state = replace(state, cases=tuple(cases))
    return open_irregularities(state, entry, tuple(again), out)


def _orders(case: IrregularityRecord, kind: str) -> bool:
    """Return whether `case` is about a found card of this kind that makes all cards be shuffled."""
    return case.finding.key.startswith(kind) and "SHUFFLE" in case.said.verdicts


def _of_the_others(state: RulesState, kind: str, found: Finding) -> Finding:
    """Return what the refuted card had ordered, for the other cards, which are too many without it."""
    words = tuple(word for word in found.verdicts if word != "DESTROY" and (word != "VOID" or state.round.open))
    # Each 10 has an irregularity of its own that awaits the floorperson.
    awaits = tuple(step for step in found.awaits if step != (_DESTROYED,))
    return replace(found, key=f"{kind}others:{found.key}", verdicts=words, awaits=awaits)
