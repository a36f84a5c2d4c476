"""One row: deadlines, moves, checks, precedence, the life of cases, duties, reveals. No clock, no chance, no I/O."""

from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged

from pitwarden.rules.cases import advanced, fired, opened, settled
from pitwarden.rules.copying import replace
from pitwarden.rules.duties import updated
from pitwarden.rules.outcomes.announce import told
from pitwarden.rules.precedence import remaining_notices, resolved
from pitwarden.rules.runner import checked, followed, total
from pitwarden.rules.setup.table_setup import TableSetup, profile_digest
from pitwarden.rules.state.entry import Entry, RuleOutput
from pitwarden.rules.state.equipment import Device, Table
from pitwarden.rules.state.state import State
from pitwarden.rules.undo import remembered, retracted

_Result = tuple[State, tuple[RuleOutput, ...]]


def initial(setup: TableSetup) -> State:
    """The state of a table before its first log row."""
    devices = tuple(
        Device(device.ident, device.kind, visible=device.player_visible, automated=device.automated)
        for device in setup.devices
    )
    return State(setup, profile_digest(setup), devices=devices, table=Table(mode=setup.mode))


def step(state: State, entry: Entry) -> _Result:
    """The state after `entry`, and what the rules say to it. Total: never raises; a repeated row changes nothing."""
    if entry.epoch == state.epoch and entry.number <= state.number:
        return state, ()
    return total(state, entry, _judged)


def _judged(state: State, entry: Entry) -> _Result:
    data = entry.data
    if isinstance(data, InputLogged) and isinstance(data.act, Retract):
        return retracted(state, entry, data, data.act, applied)
    made, outputs = applied(state, entry)
    return remembered(state, made, entry, outputs), outputs


def applied(state: State, entry: Entry) -> _Result:
    """`step` for a row that is no retraction, without remembering it for one."""
    out: list[RuleOutput] = []
    before = fired(state, entry, out)
    after, failures = followed(before, entry, out)
    now = after.now
    if now.refused is not None:
        out.append(now.refused)
    findings = failures or resolved(after, checked(before, after, entry, out))
    after = advanced(after, entry, out)
    out += remaining_notices(now.notices, findings)
    after = settled(opened(after, entry, findings, out))
    duties = updated(after, entry, out)
    if duties != after.duties:
        after = replace(after, duties=duties)
    out += now.reveals
    return told(after, entry, out), tuple(out)
