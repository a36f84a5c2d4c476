"""A card that the shoe reads twice moves every later card by one place: no slot is certain, and nothing may be told."""

import json

import pytest

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.setup import CB_MANUAL, TAB_SHIELDED
from testkit.secrecy.night_variants import changed_faces, permuted, swapped
from testkit.secrecy.observations import Observations, first_difference
from testkit.simulated_service.night import SimulatedNightPlan, play


def row_of(observed: Observations, act: str) -> int:
    """Return the first log row with an act."""
    return next(
        seen.row
        for seen in observed.stream
        if seen.row and json.loads(seen.text)["data"].get("act", {}).get("act") == act
    )


def boxes_of(observed: Observations) -> int:
    """How many boxes were played in the first round."""
    row = row_of(observed, "kp.boxes")
    text = next(seen.text for seen in observed.stream if seen.row == row)
    return len(json.loads(text)["data"]["act"]["boxes"])


@pytest.mark.parametrize("place", ["first", "up", "second"])
@pytest.mark.parametrize("seed", ["2", pytest.param("6", marks=pytest.mark.slow)])
def test_the_hole_card_stays_hidden_until_it_is_turned(seed: str, place: str) -> None:
    programme = SimulatedNightPlan(TAB_SHIELDED, seed, 1, read_twice=place)  # type: ignore[arg-type]  # a literal above
    night = play(programme)
    hole = 2 * boxes_of(night.observed) + 2  # behind the burned card, two cards for each box and the dealer's first
    order = night.truth.orders["A", 1]
    undealt = next(at for at in range(200, 384) if order[at].face != order[hole].face)
    other = play(programme, swapped(("A", 1), hole, undealt))
    turned = row_of(night.observed, "kp.hole_up")
    assert first_difference(night.observed.before(turned), other.observed.before(turned)) == ""


def test_a_burned_card_stays_hidden() -> None:
    programme = SimulatedNightPlan(TAB_SHIELDED, "1", 1, read_twice="burn")
    night = play(programme)
    assert 0 in night.truth.hidden(("A", 1)), "the burned card was asked for"
    other = play(programme, permuted(night.truth, "1"))
    assert changed_faces(night.truth, other.truth) > 20
    assert first_difference(night.observed, other.observed) == ""


def test_hands_of_three_card_blitz_stay_hidden() -> None:
    [double_read] = [fault for fault in load_faults() if fault.name == "double_read"]
    programme = SimulatedNightPlan(CB_MANUAL, "1", 1, (double_read,))
    night = play(programme)
    other = play(programme, permuted(night.truth, "1"))
    assert changed_faces(night.truth, other.truth) > 20
    assert first_difference(night.observed, other.observed) == ""
