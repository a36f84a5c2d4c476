"""Retraction of an input of this round: the rows since the last irrevocable one are applied again without it.

Irrevocable are a published card, a shuffle, a destroyed card and the end of a round. No input before one is retracted.
"""

from collections.abc import Callable
from typing import Final

from pitwarden.rules.engine.irregularities import change_status, irregularity_ref
from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.announce import changed_outcomes
from pitwarden.rules.profile.refusals import Reason, refusal
from pitwarden.rules.state.entry import AnswerDue, LogEntry, RevealDue, RuleOutput
from pitwarden.rules.state.state import HOUSE_INPUT, IrregularityRecord, RowEffects, RulesState
from pitwarden.rules.transitions.corrections import changed_slots
from pitwarden_client.events.device import ShufflerDone, ShufflerStarted
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Duty, Refused

# Rows kept for a retraction, of those after the latest irrevocable row. A table that idles longer retracts nothing;
# without a bound, its state would grow by a row a tick.
MAX_ROWS: Final = 256
_FINAL_ACTS: Final = frozenset({"kp.manual_shuffle", "ft.ten_destroyed", "kp.round_end", "ft.deck_returned"})
_PUBLIC: Final = RevealDue, AnswerDue

Apply = Callable[[RulesState, LogEntry], tuple[RulesState, tuple[RuleOutput, ...]]]


def remember_row(old: RulesState, made: RulesState, entry: LogEntry, outputs: tuple[RuleOutput, ...]) -> RulesState:
    """Return `made` with the state after the last irrevocable row and the rows since, as a retraction needs them.

    Args:
        old: State before the row.
        made: State after it, which holds no earlier state, and at most the rows before it.
        entry: The row.
        outputs: Its outputs.
    """
    rows = (*old.undo_rows, entry)
    final = (made.now.refused is None and _final(entry)) or [one for one in outputs if isinstance(one, _PUBLIC)]
    if final or old.undo_base is None or len(rows) > MAX_ROWS or entry.epoch != old.epoch:
        base = replace(made, undo_rows=()) if made.undo_rows else made
        return replace(base, undo_base=base)
    return replace(made, undo_base=old.undo_base, undo_rows=rows)


def retract_input(
    state: RulesState, entry: LogEntry, data: InputLogged, act: Retract, apply: Apply
) -> tuple[RulesState, tuple[RuleOutput, ...]]:
    """Return `state` as if the retracted input had not been made.

    Only differences are published, under the number of the retraction. A retraction that is not permitted is refused.
    """
    row = next((one for one in state.undo_rows if one.number == act.number), None)
    reason = _reason(row, data, entry)
    if reason or row is None or state.undo_base is None:
        made, outputs = apply(state, entry)
        sentence = reason or refusal("too_late_to_retract")
        refused = Refused(catalogue=HOUSE_INPUT, clauses=(), sentence=sentence)
        return remember_row(state, made, entry, outputs), (*outputs, refused)
    # No row since the base published a card, else the base would be later. Without the input a row may publish one,
    # now.
    made, said = state.undo_base, list[RuleOutput]()
    rows = tuple(one for one in state.undo_rows if one is not row)
    for one in rows:
        made, outputs = apply(made, one)
        said += [output for output in outputs if isinstance(output, _PUBLIC)]
    made, outputs = apply(made, entry)
    out = [*said, *(output for output in outputs if isinstance(output, _PUBLIC))]
    made = _compared(state, made, entry, out)
    return remember_row(replace(state, undo_rows=rows), made, entry, tuple(out)), tuple(out)


def _compared(old: RulesState, new: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    before, after = _by_identity(old), _by_identity(new)
    named: dict[str, str] = {}
    cases: list[IrregularityRecord] = []
    for key, case in before.items():
        if key not in after:
            cases.append(change_status(case, "withdrawn", entry, out) if case.live else case)
    for key, made in after.items():
        case, known = _named_anew(made, named), before.get(key)
        ref = named[made.said.ref] = known.said.ref if known is not None else irregularity_ref(entry, len(out))
        if known is not None and known.said.status == case.said.status:
            cases.append(replace(case, said=known.said))
            continue
        said = case.said.model_copy(update={"ref": ref})
        out.append(said)
        cases.append(replace(case, said=said))
    out += changed_slots(old.round, new.round)
    out += changed_outcomes(old, new)
    return replace(new, cases=tuple(cases), duties=_duties(old, new, entry, out), now=RowEffects())


def _by_identity(state: RulesState) -> dict[tuple[str, int | None, int], IrregularityRecord]:
    """Return the irregularities by key, round, and place among those: a breach of each round has the same key."""
    made: dict[tuple[str, int | None, int], IrregularityRecord] = {}
    for case in state.cases:
        key, number = case.finding.key, case.said.round
        place = sum((key, number) == known[:2] for known in made)
        made[key, number, place] = case
    return made


def _named_anew(case: IrregularityRecord, named: dict[str, str]) -> IrregularityRecord:
    """Return `case` with the references of what it rests on as they were published."""
    if not case.finding.rests_on:
        return case
    rests_on = tuple([named.get(ref, ref) for ref in case.finding.rests_on])
    return replace(case, finding=replace(case.finding, rests_on=rests_on))


def _duties(old: RulesState, new: RulesState, entry: LogEntry, out: list[RuleOutput]) -> tuple[Duty, ...]:
    before = {(duty.duty, duty.subject): duty for duty in old.duties}
    after = {(duty.duty, duty.subject): duty for duty in new.duties}
    out += [duty.model_copy(update={"status": "done"}) for key, duty in before.items() if key not in after]
    kept: list[Duty] = []
    for key, duty in after.items():
        known = before.get(key)
        said = duty.model_copy(update={"ref": known.ref if known else irregularity_ref(entry, len(out))})
        if said != known:
            out.append(said)
        kept.append(said)
    return tuple(kept)


def _reason(row: LogEntry | None, data: InputLogged, entry: LogEntry) -> Reason | None:
    if row is None or row.epoch != entry.epoch or not isinstance(row.data, InputLogged):
        return refusal("not_retractable")
    if (row.data.person, row.data.terminal) != (data.person, data.terminal):
        return refusal("of_another_person")
    return None


def _final(entry: LogEntry) -> bool:
    data = entry.data
    if type(data) is InputLogged:
        return data.act.act in _FINAL_ACTS
    return type(data) is ShufflerStarted or type(data) is ShufflerDone
