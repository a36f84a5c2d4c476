"""A part's quick copy is what the standard library's `replace` makes, and what is no field is refused."""

import dataclasses
from pathlib import Path

import pytest

import pitwarden.rules
from pitwarden.rules.frozen import replace
from pitwarden.rules.state.cards import DrawnCard
from pitwarden.rules.state.round import RoundDeal, RoundState

OLD = RoundState(number=4, deal=RoundDeal(boxes=(1, 3), dealt=(DrawnCard("e", 7, 0, 1_000, 12),)))


def test_a_copy_is_what_the_standard_library_makes() -> None:
    made = replace(OLD, void=True, deal=replace(OLD.deal, boxes=(1,)))
    assert made == dataclasses.replace(OLD, void=True, deal=dataclasses.replace(OLD.deal, boxes=(1,)))
    assert (OLD.void, OLD.deal.boxes) == (False, (1, 3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.number = 5  # type: ignore[misc]


def test_what_is_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="RoundState has no field colour"):
        replace(OLD, colour="red")  # type: ignore[call-arg]


def test_no_rule_copies_the_slow_way() -> None:
    folder = Path(pitwarden.rules.__file__).parent
    slow = "from dataclasses import"
    lines = [(file.name, line) for file in folder.rglob("*.py") for line in file.read_text().splitlines()]
    assert [name for name, line in lines if line.startswith(slow) and "replace" in line] == []
