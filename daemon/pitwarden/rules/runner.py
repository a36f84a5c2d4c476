"""Runs the moves and the checks so that no fault of theirs stops a table: the one place that catches every exception.

A check that fails is said (`check.failed`) and holds the table; the others run. A row that the moves cannot follow
leaves the table unjudged.
"""

from collections.abc import Callable

from pitwarden_client.events.outputs import CheckFailed

from pitwarden.rules.checks.context import Seen, found
from pitwarden.rules.copying import replace
from pitwarden.rules.dispatch import due, words_of
from pitwarden.rules.evolve import evolved
from pitwarden.rules.state.entry import Entry, RuleOutput
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
