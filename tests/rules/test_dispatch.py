"""A check is left out on rows that it is not listed for: on those it never finds anything, whatever stands before."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings

from pitwarden.rules import LogEntry, RulesState, initial_state, step
from pitwarden.rules.checks import check_entry
from pitwarden.rules.checks.check_entry import CheckEntry
from pitwarden.rules.checks.context import CheckContext, observe_row
from pitwarden.rules.engine.check_catalogue import CHECKS, due_checks, row_keys
from pitwarden.rules.engine.evolve import evolve
from pitwarden.rules.engine.irregularities import expire_graces
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.table import TableEvent
from testkit.nights.arbitrary_rows import SETUPS, disturbed, night

SIGNS = {value for name, value in vars(check_entry).items() if name.isupper() and isinstance(value, str)}
KINDS = {kind.model_fields["kind"].default for kind in (*get_args(DeviceEvent), *get_args(TableEvent))}
ACTS = {act.model_fields["act"].default for act in (*get_args(DealerAct), *get_args(FloorAct))}


def test_checks_are_listed_for_rows_that_there_are() -> None:
    assert {word for one in CHECKS for word in one.on} <= SIGNS | KINDS | ACTS
    assert all(one.on for one in CHECKS)


def finds(check: CheckEntry, seen: CheckContext) -> bool:
    """Return whether a check finds something on a row, listed for it or not."""
    setup = seen.after.setup
    due = check.with_rows(setup.profile, setup.inputs)
    return bool(list(due.check(seen._replace(rule=due.rule, row=due.row))))


def overlooked(name: str, rows: tuple[LogEntry, ...]) -> list[str]:
    """Return the checks that report on a row that they are not listed for."""
    state, found = initial_state(SETUPS[name]), list[str]()
    for row in rows:
        before = expire_graces(state, row, [])
        after = evolve(before, row)
        seen = observe_row(before, after, row)
        run = {one.id for one in due_checks(SETUPS[name].profile, SETUPS[name].inputs, row_keys(seen))}
        found += [one.id for one in CHECKS if one.id not in run and finds(one, seen)]
        state, _ = step(state, row)
    return found


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(disturbed())
def test_a_check_finds_nothing_on_rows_that_it_is_not_listed_for(case: tuple[str, tuple[LogEntry, ...]]) -> None:
    assert overlooked(*case) == []


def without_rows(state: RulesState) -> RulesState:
    return replace(state, setup=replace(state.setup, profile=replace(state.setup.profile, rules=())))


@pytest.mark.parametrize("name", ["tab-visible", "cb-auto"])
def test_a_check_finds_nothing_where_its_game_has_no_row_for_it(name: str) -> None:
    """Every check is asked on every row of a night, so that none leans on being left out."""
    state = initial_state(SETUPS[name])
    for row in night(name, 3, faults=True):
        before = expire_graces(state, row, [])
        after = without_rows(evolve(before, row))
        seen = observe_row(without_rows(before), after, row)
        assert [one.id for one in CHECKS if finds(one, seen)] == []
        state, _ = step(state, row)


@pytest.mark.parametrize("name", ["tab-visible", "cb-auto"])
def test_nor_on_a_night_with_every_fault(name: str) -> None:
    assert overlooked(name, night(name, 3, faults=True)) == []
