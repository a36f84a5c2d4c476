"""What is published while a card is hidden has no information about its face: twenty fields, and planted leaks."""

from functools import cache

import pytest

from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED, SimulatedTableSetup
from testkit.secrecy.mutual_information import (
    FIELDS,
    HiddenSample,
    chance,
    classes,
    information,
    leaking_fields,
    samples,
)
from testkit.secrecy.planted_leaks import LEAKS
from testkit.simulated_service.night import SimulatedNightPlan, play

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NIGHTS, ROUNDS = ("71", "72", "73", "74"), 8
TABLES = {"TAB": TAB_SHIELDED, "CB": CB_AUTO}


def sampled(setup: SimulatedTableSetup) -> list[HiddenSample]:
    return [one for seed in NIGHTS for one in samples(play(SimulatedNightPlan(setup, seed, ROUNDS)))]


@cache
def of_table(name: str) -> list[HiddenSample]:
    return sampled(TABLES[name])


@pytest.mark.parametrize("name", TABLES)
def test_no_field_tells_the_face_of_a_hidden_card(name: str) -> None:
    found = of_table(name)
    assert len(FIELDS) == 20
    assert len(found) > 120
    assert len({one.rank for one in found}) > 8
    varying = [field for field, measure in FIELDS.items() if len({measure(one.window) for one in found}) > 1]
    assert len(varying) > 5, "fields that never change measure nothing"
    assert leaking_fields(found, name) == {}


PLANTED = {
    "a notice": {"outputs", "length of the outputs", "length of all"},
    "a log line": {"length of the log lines", "length of all"},
    "a length": {"length of the outputs", "length of all"},
    "a delay": {"time to the state", "time to the first output"},
}
"""Leaks, and the fields of which at least one has to show each."""


@pytest.mark.parametrize(
    "leak", ["a notice", *(pytest.param(name, marks=pytest.mark.full) for name in PLANTED if name != "a notice")]
)
def test_a_planted_leak_is_found(leak: str) -> None:
    with LEAKS[leak]():
        found = sampled(TAB_SHIELDED)
    assert PLANTED[leak] & leaking_fields(found, leak).keys()


def test_information_is_that_of_the_textbook() -> None:
    assert information("abab", "xyxy") == pytest.approx(1.0)
    assert information("aabb", "xyxy") == pytest.approx(0.0)
    assert classes([5.0, 7.0, 5.0]) == [0, 1, 0]
    assert set(classes([float(one) for one in range(100)])) == {0, 1, 2, 3}
    assert chance("ab" * 50, "xy" * 50, "s", 999) == pytest.approx(0.001)
    assert chance("aabb" * 25, "xyxy" * 25, "s", 999) > 0.5
