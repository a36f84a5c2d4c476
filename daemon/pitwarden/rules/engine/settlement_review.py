"""Review of settlement alerts: an alert is withdrawn with the outcome that it rests on.

An alert about a wrong settlement rests on an announced outcome. Where a later input moves the cards of that outcome,
the settlement may have been right.
"""

from typing import Final

from pitwarden.rules.checks.settlement import contradiction, settlement_key
from pitwarden.rules.engine.irregularities import change_status
from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.declared_reads import declared
from pitwarden.rules.state.entry import LogEntry, RuleOutput
from pitwarden.rules.state.state import RulesState

ROWS: Final = declared(__name__, decides=("settled_wrongly",), reads=("attack",))


def withdraw_settlements(state: RulesState, entry: LogEntry, out: list[RuleOutput]) -> RulesState:
    """Return `state` with each settlement alert withdrawn that no announced outcome supports any more."""
    played = state.round
    rule = ROWS(state, "settled_wrongly")
    if rule is None:
        return state
    attack = ROWS(state, "attack")
    right = {
        settlement_key(rule.key, played.number, paid)
        for paid in played.windows.bets.paid
        if contradiction(played.windows.bets, paid, attack) is None
    }
    void = [case for case in state.cases if case.live and case.finding.key in right]
    if not void:
        return state
    cases = [change_status(case, "withdrawn", entry, out) if case in void else case for case in state.cases]
    return replace(state, cases=tuple(cases))
