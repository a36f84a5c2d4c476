"""The table of clauses is whole: each has a check or says why not, each check has a scenario, each game its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pitwarden.rules import GameProfile, load_profile
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.engine.coverage import deciding_rules, rule_deciders
from pitwarden.rules.profile.clauses import COMMON, Clause, load_clauses
from pitwarden.rules.profile.library import EXAMPLES, load_library
from pitwarden.scenario.report import scenarios_by_clause

SCENARIOS = Path(__file__).parents[1] / "scenarios"
PROFILES = {game: load_profile(one.name, one.decks) for game, one in load_library().games.items()}
EXAMPLE = load_profile("three-card-poker", 1, (), EXAMPLES)
IN_EXCERPTS = "MS"  # Mississippi Stud: its text is known in excerpts only, so its clauses are not in the table
PRECEDENCE = "A9-"  # items of the catalogue about clauses that act together
HOUSE = ("PW-", "C-")
"""What is the house's own, and clauses that no text has: tests/rules/test_log_and_device_faults.py plays the first."""


@pytest.fixture(scope="module")
def played() -> dict[str, tuple[Path, ...]]:
    return scenarios_by_clause(SCENARIOS)


def profiles_of(clause: Clause) -> tuple[GameProfile, ...]:
    return tuple(PROFILES.values()) if clause.game == COMMON else (PROFILES[clause.game],)


def checks_of(clause: Clause) -> set[str]:
    return {
        name
        for profile in profiles_of(clause)
        for rule in deciding_rules(profile, clause)
        for name in rule_deciders(rule)
    }


def played_checks() -> Iterator[tuple[str, set[str]]]:
    for one in CHECKS:
        rules = [rule for profile in PROFILES.values() for rule in profile.rules if rule.key in one.rules]
        yield one.id, {rule.clause for rule in rules if not rule.clause.startswith(HOUSE)}


def test_the_clauses_of_a_game_are_numbered_without_a_gap() -> None:
    numbers: dict[str, list[str]] = {}
    for clause in load_clauses():
        numbers.setdefault(clause.game, []).append(clause.ident)
    for game, idents in numbers.items():
        assert idents == [f"{game}-{number:02}" for number in range(1, len(idents) + 1)]
    assert {*numbers, IN_EXCERPTS} == {COMMON, *PROFILES}


def test_every_clause_that_a_profile_or_a_scenario_cites_is_in_the_table(played: dict[str, tuple[str, ...]]) -> None:
    cited = {rule.clause for profile in PROFILES.values() for rule in profile.rules} | set(played)
    own = {clause.ident for profile in (*PROFILES.values(), EXAMPLE) for clause in profile.clauses}
    known = {clause.ident for clause in load_clauses()} | own
    assert {ident for ident in cited - known if not ident.startswith((*HOUSE, PRECEDENCE))} == set()


@pytest.mark.parametrize("clause", load_clauses(), ids=lambda clause: clause.ident)
def test_a_clause_has_a_check_or_says_why_not(clause: Clause) -> None:
    assert checks_of(clause) or clause.why_unchecked, f"{clause.ident} has neither a check nor a reason"


@pytest.mark.parametrize("clause", load_clauses(), ids=lambda clause: clause.ident)
def test_a_clause_that_is_checked_is_played(clause: Clause, played: dict[str, tuple[str, ...]]) -> None:
    assert not checks_of(clause) or played.get(clause.ident), f"no scenario plays {clause.ident}"


def test_every_row_of_a_game_that_bears_a_number_is_read_by_something() -> None:
    rows = [(profile.game, rule) for profile in PROFILES.values() for rule in profile.rules]
    unread = [f"{game}.{rule.key}" for game, rule in rows if not rule_deciders(rule) and rule.cases]
    assert unread == []


@pytest.mark.parametrize(("check", "numbers"), tuple(played_checks()), ids=[name for name, _ in played_checks()])
def test_every_check_is_played_by_a_scenario(check: str, numbers: set[str], played: dict[str, tuple[str, ...]]) -> None:
    assert not numbers or numbers & set(played), f"no scenario plays {check}: {', '.join(sorted(numbers))}"
