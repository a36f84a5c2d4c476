"""Rights to clear an irregularity: the role whose act it is about never acknowledges it or rules on it.

The dealer's act goes to the floorperson or a supervisor, the floorperson's to a supervisor, the supervisor's to another
supervisor: someone can always end a hold. What a clause demands to be done, such as a shuffle or the return of wagers,
is done by whoever has to do it; only statements about the irregularity itself are reserved.

Threat: a person who keys away the record of the person's own act.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from pitwarden.rules.frozen import replace
from pitwarden.rules.profile.case_records import ActOf
from pitwarden.rules.profile.facts import ClearingStep
from pitwarden.rules.profile.refusals import Reason, refusal
from pitwarden.rules.state.entry import LogEntry
from pitwarden.rules.state.state import Finding, IrregularityRecord, RulesState
from pitwarden_client.events.base import Role
from pitwarden_client.events.floor import Ack, FtConfirmed, FtSettleNote, Override, Refute
from pitwarden_client.events.inputs import Act, InputLogged, may_send
from pitwarden_client.events.outputs import Actor

MAY_CLEAR: Final[Mapping[ActOf, tuple[Role, ...]]] = {
    "none": ("dealer", "floor", "supervisor"),
    "dealer": ("floor", "supervisor"),
    "floor": ("supervisor",),
    "supervisor": ("supervisor",),
}
"""Roles that may state something about an irregularity, by the role whose act it is about."""

_MAY_ACT: Final[Mapping[Actor, tuple[Role, ...]]] = {
    "dealer": ("dealer",),
    "floorperson": ("floor", "supervisor"),
    "supervisor": ("supervisor",),
}
"""Roles whose login may send the acts of an actor: a supervisor may send every act of a floorperson."""

_STATEMENTS: Final = frozenset({"noted", "confirmed"})


def attributed(finding: Finding, state: RulesState, entry: LogEntry) -> Finding:
    """Return `finding` with the person whose act it is about, and that person's role, as far as the row shows them.

    A supervisor may key the acts of a floorperson; such an act is then the supervisor's.
    """
    keyed = entry.data if isinstance(entry.data, InputLogged) else None
    if finding.act_of == "dealer":
        by = keyed.person if keyed is not None and keyed.role == "dealer" else state.table.dealer
        return replace(finding, act_by=by or None)
    if keyed is None or keyed.role == "dealer":
        return finding
    return replace(finding, act_of=keyed.role, act_by=keyed.person)


def may_act(actor: Actor, act_of: ActOf, awaits: tuple[ClearingStep, ...]) -> tuple[Role, ...]:
    """Return the roles whose login may key what clears an irregularity.

    Args:
        actor: Person who acts by the clause.
        act_of: Role whose act it is about.
        awaits: Clearing conditions.
    """
    roles = _MAY_ACT[actor]
    ruling = tuple([role for role in MAY_CLEAR[act_of] if may_send(role, "ft.settle_note")])
    if not all(any(one.kind in _STATEMENTS for one in step) for step in awaits):
        return roles
    if all(one.kind in _STATEMENTS for step in awaits for one in step):
        return tuple([role for role in roles if role in ruling]) or ruling
    return tuple(dict.fromkeys((*roles, *ruling)))


def clearing_refusal(state: RulesState, data: InputLogged) -> Iterator[tuple[Reason, str]]:
    """Yield why a person may not state this about an irregularity, or not without a second person."""
    act = data.act
    for case in _about(state, act) if state.cases else ():
        own = case.finding.act_of
        if data.role not in MAY_CLEAR[own]:
            yield refusal(f"act_of_{own}"), ""
        if data.person == case.finding.act_by:
            yield refusal("own_act"), ""
        if data.witness is not None and data.witness == case.finding.act_by:
            yield refusal("act_of_the_witness", name=data.witness), ""
    if act.act in state.setup.policy.two_persons and data.witness in {None, data.person}:
        yield refusal("two_persons"), ""


def _about(state: RulesState, act: Act) -> Iterator[IrregularityRecord]:
    if isinstance(act, Ack | Refute | FtSettleNote | FtConfirmed):
        yield from (case for case in state.cases if case.said.ref == act.irregularity)
    if isinstance(act, Override):
        # An override makes warnings harmless that nobody has acknowledged.
        yield from (case for case in state.cases if case.said.status == "open" and "ALERT" in case.said.verdicts)
