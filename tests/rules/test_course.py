"""Course of a round: every transition that the scenarios make is in the table, and one function assigns it."""

import ast
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

import pitwarden.rules
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.state import phase
from pitwarden.rules.state.phase import CAUSES, COURSES, TRANSITIONS, moved
from pitwarden.rules.state.round import RoundState
from pitwarden_client.events.dealer_play import KpDecision
from testkit.tables.played_scenarios import Move, played_scenarios
from testkit.tables.rules_table import RulesTable, setup_of

pytestmark = pytest.mark.timeout(600)  # all scenarios are played once
TABLE: Final[set[Move]] = {
    (one, cause, after) for one, causes in TRANSITIONS.items() for cause, after in causes.items()
}


def test_each_transition_of_the_scenarios_is_in_the_table() -> None:
    assert set(played_scenarios().moves) == TABLE, "a transition that no scenario makes needs one, or cannot occur"


def test_the_phase_agrees_with_what_is_on_the_layout() -> None:
    for state in played_scenarios().states:
        now, counted = state.round, state.table.mode != "hand"
        missing = cards_missing(state.setup, now) if counted else None
        out = len(now.deal.dealt) > now.deal.carried
        match now.course:
            case "betting" | "closed":
                assert not out
                assert now.windows.bets_closed is (now.course == "closed")
            case "dealing":
                assert out
                assert missing != 0
            case "dealt" | "playing" | "dealer" | "settling":
                assert not missing
            case "between":
                assert not now.open


def test_a_round_that_is_no_longer_void_continues_in_its_phase() -> None:
    states = played_scenarios().states
    again = {
        after.round.course
        for before, after in pairwise(states)
        if before.round.void and after.round.live and after.setup is before.setup
        if after.round.number == before.round.number
    }
    assert len(again) > 1
    assert "between" not in again


def test_a_row_may_lead_through_several_phases_and_back() -> None:
    table = RulesTable(setup_of("TAB")).open().deal("5C 9H", "9S", "6D KC", "KD")
    first = table.state.round.course
    table.key(KpDecision(box=1, decision="stand"))
    table.key(KpDecision(box=2, decision="stand"))
    assert (first, table.state.round.course) == ("dealt", "dealer")


def test_a_cause_without_a_transition_changes_nothing() -> None:
    assert moved(RoundState(course="settling"), "begun") == RoundState(course="settling")


def test_each_phase_and_each_cause_is_explained_and_used() -> None:
    assert set(TRANSITIONS) == set(COURSES) == {after for *_, after in TABLE}
    assert {cause for _, cause, _ in TABLE} == set(CAUSES)
    assert all("ended" in causes for one, causes in TRANSITIONS.items() if one != "between")


def test_one_function_assigns_the_phase() -> None:
    folder = Path(pitwarden.rules.__file__).parent
    found = [
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "course"
    ]
    assert found == [Path(phase.__file__).relative_to(folder).as_posix()]
