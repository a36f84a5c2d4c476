"""Course of a round: every transition that the scenarios make is in the table, and one function assigns it."""

import ast
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

import pitwarden.rules
from pitwarden.rules import LogEntry, RuleOutput, RulesState
from pitwarden.rules.queries.layout import cards_missing
from pitwarden.rules.state import phase
from pitwarden.rules.state.phase import CAUSES, COURSES, TRANSITIONS, Cause, moved
from pitwarden.rules.state.round import Course, RoundState
from pitwarden.rules.transitions import course, draws
from pitwarden.rules.transitions import round as rounds
from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden.scenario.report import files_in
from pitwarden_client.events.dealer_play import KpDecision
from testkit.tables.rules_table import RulesTable, setup_of

pytestmark = pytest.mark.timeout(600)  # all scenarios are played once
SCENARIOS: Final = Path(__file__).parents[1] / "scenarios"
Move = tuple[Course, Cause, Course]
TABLE: Final = {(one, cause, after) for one, causes in TRANSITIONS.items() for cause, after in causes.items()}


@cache
def played() -> tuple[Counter[Move], list[RulesState]]:
    """Return how often each transition is made while all scenarios play, and the states that change the round."""
    moves, states = Counter[Move](), list[RulesState]()

    def keep(_entry: LogEntry, state: RulesState, _outputs: tuple[RuleOutput, ...]) -> None:
        if not states or states[-1].round is not state.round:
            states.append(state)

    def watched(before: RoundState, cause: Cause) -> RoundState:
        after = moved(before, cause)
        moves[before.course, cause, after.course] += 1
        return after

    with pytest.MonkeyPatch.context() as patch:
        for module in (course, draws, rounds):
            patch.setattr(module, "moved", watched)
        for file in files_in(SCENARIOS):
            scenario = parse_scenario(file.read_text(encoding="utf-8"), file.name)
            play_scenario(scenario, keep)
    return moves, states


def test_each_transition_of_the_scenarios_is_in_the_table() -> None:
    moves, _ = played()
    assert set(moves) == TABLE, "a transition that no scenario makes needs one, or cannot occur"


def test_the_phase_agrees_with_what_is_on_the_layout() -> None:
    for state in played()[1]:
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
    states = played()[1]
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
