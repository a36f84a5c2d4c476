"""The section of the house's switches is made of the policy's declaration: same names, defaults and bounds."""

from dataclasses import asdict, fields
from typing import get_args

import pytest
from pydantic import ValidationError

from pitwarden.config.models import RulesSection
from pitwarden.rules.profile.profile import OpenSwitch
from pitwarden.rules.setup.table_setup import HousePolicy

FIXED = {"reader_timeout_ms", "shuffler_timeout_ms", "card_change_warn_ms", "permit_ms"}


def test_each_switch_is_a_key_but_for_what_no_house_decides() -> None:
    switches = {one.name for one in fields(HousePolicy)}
    assert set(RulesSection.model_fields) == (switches - FIXED) | {"hole_card", "wagers"}
    for name in (*FIXED, "cut_tolerence"):
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            RulesSection.model_validate({name: 1})


def test_a_file_without_switches_has_the_policy_s_defaults_and_decides_nothing() -> None:
    empty = RulesSection()
    assert empty.policy() == HousePolicy()
    left_open = {name for name in RulesSection.model_fields if empty.leaves_open(name)}
    assert left_open == {"manual_deal", "draw", "bettors"} == set(get_args(OpenSwitch))


@pytest.mark.parametrize(
    ("key", "given", "meant"),
    [
        ("manual_deal", "hands", "hands"),
        ("draw", "H17", "H17"),
        ("bettors", 3, 3),
        ("cutting_card", 2, 2),
        ("bart_carter_rack", 104, 104),
        ("cut_tolerance", 0, 0),
        ("reader_up", ["A", "K"], ("A", "K")),
        ("mid_shoe_entry", False, False),
    ],
)
def test_what_the_file_says_is_the_policy(key: str, given: object, meant: object) -> None:
    rules = RulesSection.model_validate({key: given})
    usual, said = asdict(HousePolicy()), asdict(rules.policy())
    assert said == usual | {key: meant}
    assert not rules.leaves_open(key)


@pytest.mark.parametrize(
    ("key", "given", "why"),
    [
        ("manual_deal", "", "'rounds' or 'hands'"),
        ("draw", "", "'S17' or 'H17'"),
        ("bettors", 0, "greater than or equal to 1"),
        ("bettors", 4, "less than or equal to 3"),
        ("cutting_card", "1", "valid integer"),
        ("bart_carter_rack", 51, "greater than or equal to 52"),
        ("max_splits", 4, "less than or equal to 3"),
        ("resplit_aces", 1, "valid boolean"),
        ("reader_up", ["A", 1], "valid string"),
        ("both_blackjacks", "PUSH", "'push' or 'paid'"),
    ],
)
def test_a_key_is_as_strict_as_any_other(key: str, given: object, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        RulesSection.model_validate({key: given})
