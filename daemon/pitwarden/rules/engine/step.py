"""`step`: the whole treatment of one row, guarded.

Runs the moves and the checks so that no fault of theirs stops a table: the one place that catches every exception.

A check that fails is said (`check.failed`) and holds the table; the others run. A row that the moves cannot follow
leaves the table unjudged.

One row: deadlines, moves, checks, precedence, the life of cases, duties, reveals. No clock, no chance, no I/O.
"""

from collections.abc import Callable

from pitwarden_client.events.floor import Retract
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import CheckFailed

from pitwarden.rules.checks.context import Seen, found
from pitwarden.rules.engine.check_catalogue import due, words_of
from pitwarden.rules.engine.duties import updated
from pitwarden.rules.engine.evolve import evolved
from pitwarden.rules.engine.irregularities import advanced, fired, opened, settled
from pitwarden.rules.engine.precedence import remaining_notices, resolved
from pitwarden.rules.engine.retraction import remembered, retracted
from pitwarden.rules.frozen import replace
from pitwarden.rules.outcomes.announce import told
from pitwarden.rules.setup.table_setup import TableSetup, profile_digest
from pitwarden.rules.state.entry import Entry, RuleOutput
from pitwarden.rules.state.equipment import Device, Table
from pitwarden.rules.state.state import Finding, Now, State

Judge = Callable[[State, Entry], tuple[State, tuple[RuleOutput, ...]]]


def followed(state: State, entry: Entry, out: list[RuleOutput]) -> tuple[State, tuple[Finding, ...]]:
    """`state` after the row; where the moves fail, the old state, unjudged, and a finding that says so."""
    try:
        return evolved(state, entry), ()
    except Exception as error:  # noqa: BLE001  total: a fault of ours may not stop the judge of other tables
        kept, name = _unjudged(state, entry, error), type(error).__name__
        return kept, _failed(kept, entry, "moves", name, out)


def total(state: State, entry: Entry, judge: Judge) -> tuple[State, tuple[RuleOutput, ...]]:
    """What `judge` makes of the row; where it fails, the old state, unjudged, and an output that says so."""
    try:
        return judge(state, entry)
    except Exception as error:  # noqa: BLE001  total: see `followed`
        kept, out = _unjudged(state, entry, error), list[RuleOutput]()
        _failed(kept, entry, "outputs", type(error).__name__, out)
        return kept, tuple(out)


def checked(before: State, after: State, entry: Entry, out: list[RuleOutput]) -> tuple[Finding, ...]:
    """What the checks find in the row, in the catalogue's order."""
    seen = Seen(before, after, entry)
    findings: list[Finding] = []
    for listed in due(after.setup.profile, words_of(seen)):
        try:
            findings += [*listed.check(seen)]
        except Exception as error:  # noqa: BLE001  total: the other checks run
            findings += _failed(after, entry, listed.id, type(error).__name__, out)
    return tuple(findings)


def _unjudged(state: State, entry: Entry, error: Exception) -> State:
    log_ms, name = max(state.log_ms, entry.log_ms), type(error).__name__
    state = replace(state, epoch=entry.epoch, number=entry.number, now=Now(), unjudged=name)
    return replace(state, log_ms=log_ms, utc_ms=entry.utc_ms)


def _failed(state: State, entry: Entry, name: str, error: str, out: list[RuleOutput]) -> tuple[Finding, ...]:
    out.append(CheckFailed(check=name, error=error[:64]))
    rule = state.setup.profile.rule("check_failed")
    if rule is None:
        return ()
    text = f"The check {name} failed on this row: the floor looks at the table."
    return (found(rule, "hold", text, key=f"failed:{name}", evidence=(entry.number,)),)


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
