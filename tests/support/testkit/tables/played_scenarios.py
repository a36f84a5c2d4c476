"""All scenarios, played once for the tests that watch the rules core meanwhile."""

import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from pitwarden.rules import LogEntry, RuleOutput, RulesState
from pitwarden.rules.checks.check_entry import DueCheck
from pitwarden.rules.checks.context import Rows
from pitwarden.rules.engine import step
from pitwarden.rules.engine.check_catalogue import due_checks
from pitwarden.rules.profile.declared_reads import DeclaredRows
from pitwarden.rules.profile.profile import ClauseRule, GameProfile
from pitwarden.rules.setup.table_setup import KeyedInputs
from pitwarden.rules.state.phase import Cause, moved
from pitwarden.rules.state.round import Course, RoundState
from pitwarden.rules.transitions import course, draws
from pitwarden.rules.transitions import round as rounds
from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden.scenario.report import files_in

SCENARIOS: Final = Path(__file__).parents[3] / "scenarios"
Move = tuple[Course, Cause, Course]


@dataclass(frozen=True, slots=True)
class PlayedScenarios:
    """Record of all scenarios: how often each transition is made, the states that change the round, the rows read.

    `reads`: keys that each check and module really reads, by its name.
    """

    moves: Counter[Move]
    states: list[RulesState]
    reads: dict[str, set[str]]


@cache
def played_scenarios() -> PlayedScenarios:
    """Play all scenarios, each accessor and each transition watched. It takes a minute on a busy machine."""
    made = PlayedScenarios(Counter[Move](), [], {})

    def keep(_entry: LogEntry, state: RulesState, _outputs: tuple[RuleOutput, ...]) -> None:
        if not made.states or made.states[-1].round is not state.round:
            made.states.append(state)

    def watched(before: RoundState, cause: Cause) -> RoundState:
        after = moved(before, cause)
        made.moves[before.course, cause, after.course] += 1
        return after

    _forget_what_was_read()
    with pytest.MonkeyPatch.context() as patch:
        for module in (course, draws, rounds):
            patch.setattr(module, "moved", watched)
        _watch_reads(patch, made.reads)
        for file in files_in(SCENARIOS):
            play_scenario(parse_scenario(file.read_text(encoding="utf-8"), file.name), keep)
    return made


def _forget_what_was_read() -> None:
    """Empty each cache of the rules: a row that is cached would not be read again."""
    for name in [name for name in sys.modules if name.startswith("pitwarden.rules.")]:
        for value in vars(sys.modules[name]).values():
            if callable(getattr(value, "cache_clear", None)):
                value.cache_clear()


def _watch_reads(patch: pytest.MonkeyPatch, found: dict[str, set[str]]) -> None:
    """Note in `found` each key that an accessor is asked for."""
    by_game, by_table = DeclaredRows.of, DeclaredRows.monitored

    def watched_of(rows: DeclaredRows, profile: GameProfile, key: str) -> ClauseRule | None:
        found.setdefault(rows.module, set()).add(key)
        return by_game(rows, profile, key)

    def watched_call(rows: DeclaredRows, state: RulesState, key: str) -> ClauseRule | None:
        return watched_of(rows, state.setup.profile, key)

    def watched_monitored(rows: DeclaredRows, state: RulesState, key: str) -> ClauseRule | None:
        found.setdefault(rows.module, set()).add(key)
        return by_table(rows, state, key)

    def watched_checks(profile: GameProfile, inputs: KeyedInputs, words: tuple[str, ...]) -> list[DueCheck]:
        return [
            one._replace(rule=_recording(found, one.id, one.rule), row=_recording(found, one.id, one.row))
            for one in due_checks(profile, inputs, words)
        ]

    patch.setattr(DeclaredRows, "of", watched_of)
    patch.setattr(DeclaredRows, "__call__", watched_call)
    patch.setattr(DeclaredRows, "monitored", watched_monitored)
    patch.setattr(step, "due_checks", watched_checks)


def _recording(found: dict[str, set[str]], check: str, rows: Rows) -> Rows:
    """Return the look-up `rows` of a check, which notes in `found` each key that it is asked for."""

    def read(key: str) -> ClauseRule | None:
        found.setdefault(check, set()).add(key)
        return rows(key)

    return read
