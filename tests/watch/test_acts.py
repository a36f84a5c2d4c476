"""What watch offers to key is what the rules' own words ask for, and an act that the table knows."""

import pytest

from pitwarden.cli.acts import parse_act
from pitwarden.rules.profile.facts import WORDS, FactKind
from pitwarden.watch.app import split_input_line
from pitwarden.watch.session import clearing_act, refuting_act
from pitwarden_client.events.outputs import ClearingFact, Irregularity

PLAYED = frozenset({
    "round_end", "card", "burned", "cut", "hands", "stub", "boxes_agree", "in_the_deal", "unloaded", "shuffled",
    "started", "loaded", "put_back", "spread", "mixed", "ib_settled", "antes_collected", "all_chosen",
    "mode", "installed",
})  # fmt: skip
"""What play itself clears."""


def case(*steps: tuple[ClearingFact, ...]) -> Irregularity:
    return Irregularity(
        ref="e-1-0", catalogue="TAB-37", clauses=("c",), verdicts=("HOLD",), basis="text", status="open",
        actor="floorperson", clears="", clears_facts=steps, sentence="s", deck="A",
    )  # fmt: skip


@pytest.mark.parametrize("token", sorted(WORDS))
def test_each_condition_of_the_rules_has_its_act_or_is_cleared_by_play(token: FactKind) -> None:
    fact = ClearingFact(kind=token, subject="shoe" if "{}" in WORDS[token] else None)
    act = clearing_act(case((fact,)))
    if token in PLAYED:
        assert act == ""
        return
    name, *arguments = split_input_line(act + "52" if act.endswith("count=") else act)
    assert parse_act(name, arguments), f"{fact} offers {act!r}"


def test_an_inspection_between_rounds_names_its_device() -> None:
    fact = ClearingFact(kind="inspected_idle", subject="shoe")
    assert clearing_act(case((fact,))) == "ft.inspect device=shoe ok=true"


def test_the_first_fact_that_the_floor_can_establish_is_offered() -> None:
    shuffled, verified = ClearingFact(kind="shuffled", subject="A"), ClearingFact(kind="verified", subject="A")
    noted = ClearingFact(kind="noted")
    assert clearing_act(case((shuffled,), (verified, noted))) == "ft.deck_verified deck=A"
    assert clearing_act(case((noted,), (verified,))) == 'ft.settle_note irregularity=e-1-0 ruling=""'


def test_a_fact_that_is_unknown_or_lacks_its_subject_offers_nothing() -> None:
    assert clearing_act(case((ClearingFact(kind="blessed"), ClearingFact(kind="verified")))) == ""
    assert clearing_act(case()) == "", "a judge before rules 0.3.17 publishes no facts"


def test_words_in_quotes_stay_whole() -> None:
    assert split_input_line('refute irregularity=e-1-0 reason="a 9, seen"') == [
        "refute",
        "irregularity=e-1-0",
        "reason=a 9, seen",
    ]
    assert split_input_line(refuting_act(case()))[-1] == "reason="
    assert split_input_line("") == [""]
