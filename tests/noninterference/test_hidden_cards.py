"""Form (a) of docs/explanation/secrecy.md: cards that never become public may lie in any order, and nobody can tell."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import CB_AUTO, FURTHER_TABLES, TAB_SHIELDED, TABLES, SimulatedTableSetup
from testkit.secrecy.night_variants import changed_faces, permuted
from testkit.secrecy.observations import first_difference
from testkit.simulated_service.night import SimulatedNightPlan, play

CHOSEN_BY_FACE = frozenset({"misuse", "early insert", "no check", "reader fails"})
"""Rigs that look for a card in the shoe: what they find depends on hidden cards. `MISHAPS` stands for them."""

MISHAPS = {
    "tab-shielded": frozenset({"misuse", "early_insert", "no_check"}),
    "tab-visible": frozenset({"misuse", "early_insert"}),
}
LONG = frozenset({"short_shoe"})


def with_faults(setup: SimulatedTableSetup, *, long: bool = False) -> SimulatedNightPlan:
    faults = tuple(
        fault
        for fault in load_faults()
        if fault.table == setup.table and fault.rig not in CHOSEN_BY_FACE and (fault.name in LONG) == long
    )
    return SimulatedNightPlan(
        setup, "3", 1, faults, MISHAPS.get(setup.table, frozenset()), reader_fails=setup.reader == "shielded"
    )


played = cache(play)

SEEDS = ["1", pytest.param("2", marks=pytest.mark.full), pytest.param("3", marks=pytest.mark.full)]


def check_nobody_can_tell(programme: SimulatedNightPlan, seed: str) -> None:
    one = played(programme)
    other = play(programme, permuted(one.truth, seed))
    assert changed_faces(one.truth, other.truth) > 20
    assert first_difference(one.observed, other.observed) == ""


@pytest.mark.parametrize("setup", TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_honest_night(setup: SimulatedTableSetup, seed: str) -> None:
    check_nobody_can_tell(SimulatedNightPlan(setup, "1", 4), seed)


@pytest.mark.parametrize("setup", FURTHER_TABLES.values(), ids=lambda setup: setup.table)
def test_an_honest_night_of_the_further_games(setup: SimulatedTableSetup) -> None:
    check_nobody_can_tell(SimulatedNightPlan(setup, "1", 2), "1")


@pytest.mark.parametrize("setup", TABLES.values(), ids=lambda setup: setup.table)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_night_with_faults(setup: SimulatedTableSetup, seed: str) -> None:
    programme = with_faults(setup)
    check_nobody_can_tell(programme, seed)
    committed = Counter(played(programme).table.committed)
    assert committed == Counter(fault.name for fault in programme.faults)


@pytest.mark.parametrize(
    "setup", [TAB_SHIELDED, pytest.param(CB_AUTO, marks=pytest.mark.full)], ids=lambda setup: setup.table
)
def test_the_lamps_of_a_dealer_who_has_a_keypad_alone(setup: SimulatedTableSetup) -> None:
    programme = replace(with_faults(setup), keypad=True)
    check_nobody_can_tell(programme, "1")
    lit = {seen.text for seen in played(programme).observed.stream if seen.what == "lamps"}
    assert {text for text in lit if "'green'" in text}
    assert {text for text in lit if "'red'" in text and "key=None" not in text}


@pytest.mark.slow
def test_a_shoe_that_is_dealt_to_its_last_card() -> None:
    check_nobody_can_tell(with_faults(TAB_SHIELDED, long=True), "1")
