"""Step of the rules core: one log row, from deadlines to published outputs, guarded against faults of its own code.

This is the only module that catches every exception. A check that fails is reported (`check.failed`) and withholds the
deal; the other checks run. A row that the transitions cannot process leaves the table unjudged.
"""

from collections.abc import Callable
from typing import Final

from pitwarden.rules.checks.context import find_case, make_context, observe_row
from pitwarden.rules.engine.check_catalogue import due_checks, row_keys
from pitwarden.rules.engine.consequences import review_windows, supported, withdraw_consequences
from pitwarden.rules.engine.duties import update_duties
from pitwarden.rules.engine.evolve import evolve
from pitwarden.rules.engine.irregularities import apply_facts, expire_graces, open_irregularities, settle_consequences
from pitwarden.rules.engine.precedence import remaining_notices, resolve_precedence
from pitwarden.rules.engine.retraction import remember_row, retract_input
from pitwarden.rules.engine.settlement_review import withdraw_settlements
from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.announce import announce_outcomes
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.setup.table_setup import TableSetup, profile_digest
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.equipment import DeviceState, TableConditions
from pitwarden.rules.state.state import Finding, RowEffects, RulesState
from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed

ROWS: Final = declared(__name__, decides=("check_failed",))

Judge = Callable[[RulesState, LogEntry], tuple[RulesState, tuple[RuleOutput, ...]]]


def evolve_guarded(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> tuple[RulesState, tuple[Finding, ...]]:
    """Return `state` after the row; if the transitions fail, the old state marked unjudged, and a finding."""
    try:
        # One process judges many tables: an exception that escapes here would stop them all.
        return evolve(state, entry), ()
    except Exception as error:  # noqa: BLE001  total: our own fault must not stop other tables
        kept, name = replace(_unjudged(state, entry, error), undo_base=None), type(error).__name__
        return kept, _failed(kept, entry, "moves", name, out)


def run_guarded(state: RulesState, entry: LogEntry, judge: Judge) -> tuple[RulesState, tuple[RuleOutput, ...]]:
    """Return what `judge` makes of the row; if it fails, the old state marked unjudged, and `check.failed`."""
    try:
        return judge(state, entry)
    except Exception as error:  # noqa: BLE001  total: see `evolve_guarded`
        kept, out = _unjudged(state, entry, error), list[RuleOutput]()
        _failed(kept, entry, "outputs", type(error).__name__, out)
        return kept, tuple(out)


def run_checks(before: RulesState, after: RulesState, entry: LogEntry, out: list[RuleOutput]) -> tuple[Finding, ...]:
    """Return the findings of the row, in the order of the check catalog."""
    findings: list[Finding] = []
    seen = observe_row(before, after, entry)
    of_row = seen[:-2]
    for due in due_checks(after.setup.profile, after.setup.inputs, row_keys(seen)):
        try:
            findings += [*due.check(make_context((*of_row, due.rule, due.row)))]
        except Exception as error:  # noqa: BLE001  total: the other checks run
            findings += _failed(after, entry, due.id, type(error).__name__, out)
    return tuple(findings)


def _unjudged(state: RulesState, entry: LogEntry, error: Exception) -> RulesState:
    log_ms, name = max(state.log_ms, entry.log_ms), type(error).__name__
    state = replace(state, epoch=entry.epoch, number=entry.number, now=RowEffects(), unjudged=name)
    return replace(state, log_ms=log_ms, utc_ms=entry.utc_ms)


def _failed(state: RulesState, entry: LogEntry, name: str, error: str, out: list[RuleOutput]) -> tuple[Finding, ...]:
    # Only the class name is published: the text of an exception may contain a hidden face.
    out.append(CheckFailed(check=name, error=error[:64]))
    rule = ROWS(state, "check_failed")
    if rule is None:
        return ()
    return (find_case(rule, "hold", name=name, key=f"failed:{name}", evidence=(entry.number,)),)


_Result = tuple[RulesState, tuple[RuleOutput, ...]]


def initial_state(setup: TableSetup) -> RulesState:
    """Return the state of a table before its first log row."""
    devices = tuple(
        DeviceState(device.ident, device.kind, visible=device.player_visible, automated=device.automated)
        for device in setup.devices
    )
    return RulesState(setup, profile_digest(setup), devices=devices, table=TableConditions(mode=setup.mode))


def step(state: RulesState, entry: LogEntry) -> _Result:
    """Return the state after `entry`, and the outputs of the rules core for it. Never raises.

    A row that was processed already changes nothing, so that a log may be sent again.
    """
    if entry.epoch == state.epoch and entry.number <= state.number:
        return state, ()
    return run_guarded(state, entry, _judged)


def _judged(state: RulesState, entry: LogEntry) -> _Result:
    data = entry.data
    if type(data) is InputLogged and type(data.act) is Retract:
        return retract_input(state, entry, data, data.act, apply_row)
    made, outputs = apply_row(state, entry)
    return remember_row(state, made, entry, outputs), outputs


def apply_row(state: RulesState, entry: LogEntry) -> _Result:
    """Return the state after a row that is not a retraction, and its outputs, without recording it for a retraction."""
    out: list[RuleOutput] = []
    before = expire_graces(state, entry, out) if state.pending else state
    after, failures = evolve_guarded(before, entry, out)
    now = after.now
    if now.refused is not None:
        out.append(now.refused)
    found = failures or run_checks(before, after, entry, out)
    told = apply_facts(after, entry, out)
    if told is not after:
        told = withdraw_consequences(after, told, entry, out)
        found = supported(told, found)
    findings = failures or resolve_precedence(told, found)
    out += remaining_notices(now.notices, findings)
    told = review_windows(told, entry, out) if told.cases and told.round.deal.marks else told
    after = settle_consequences(open_irregularities(told, entry, findings, out))
    duties = update_duties(after, entry, out)
    if duties != after.duties:
        after = replace(after, duties=duties)
    out += now.reveals
    out += now.corrections
    after = announce_outcomes(after, entry, out)
    if after.cases and after.round.windows.bets.paid:
        after = withdraw_settlements(after, entry, out)
    return after, tuple(out)
