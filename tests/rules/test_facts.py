"""Every kind of fact is established by a transition and of use to something, and a profile can state no other.

Both sides are read from the code: each constructor takes its kind as a literal.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import pitwarden.rules
from pitwarden.rules import RulesState, load_profile
from pitwarden.rules.profile import facts
from pitwarden.rules.profile.case_records import load_cases
from pitwarden.rules.profile.facts import SUBJECTS, WORDS, Fact, FactKind, bound, fact_words, parse_step
from pitwarden.rules.profile.library import NAMES, default_decks
from pitwarden.rules.profile.loading import parse_profile
from pitwarden.rules.profile.toml_rows import ProfileError
from pitwarden.rules.state.state import add_fact
from pitwarden.scenario import parse_scenario, play_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"
RULES = Path(pitwarden.rules.__file__).parent
NAMED = {"box_decided": "decided", "ten_refuted": "ten_refuted", "key_fact": "key", "mode_keyed": "mode"}
LITERAL = ("fact", "deck_fact", "device_fact", "case_fact")
KINDS = {kind for group in get_args(FactKind) for kind in (get_args(group) or (group,))}


def words_in(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


def kinds_in(node: ast.AST) -> Iterator[str]:
    """Kinds of the facts that are made below a node."""
    for call in ast.walk(node):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        if call.func.id in NAMED:
            yield NAMED[call.func.id]
        elif call.func.id in LITERAL:
            yield from words_in(call.args[0])


def compared_in(node: ast.AST) -> Iterator[str]:
    """Kinds that are compared with the kind of a fact: `one.kind == "shuffled"`, `one.kind in {...}`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Compare) and isinstance(one.left, ast.Attribute) and one.left.attr == "kind":
            yield from words_in(one)


def trees(*folders: str) -> Iterator[ast.Module]:
    for folder in folders:
        for file in sorted((RULES / folder).glob("*.py")):
            yield ast.parse(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def established() -> set[str]:
    of_inputs = ast.parse((RULES / "engine" / "evolve.py").read_text(encoding="utf-8"))
    return {kind for tree in (*trees("transitions"), of_inputs) for kind in kinds_in(tree)}


@pytest.fixture(scope="module")
def used() -> set[str]:
    of_cases = {"ack", "noted", "confirmed", "refute", "ten_refuted"}  # engine/irregularities.py moves one case by them
    in_code = {kind for tree in trees("checks", "ledger", "outcomes") for kind in kinds_in(tree)}
    compared = {kind for tree in trees("engine", "ledger") for kind in compared_in(tree)} & KINDS
    profiles = [load_profile(name, default_decks(name)) for name in NAMES]
    in_data = {one.kind for profile in profiles for rule in profile.rules for step in rule.clears for one in step}
    in_data |= {one.kind for cases in load_cases().values() for case in cases for step in case.clears for one in step}
    return of_cases | in_code | compared | in_data


def test_every_kind_is_established_by_a_transition(established: set[str]) -> None:
    assert established == KINDS


def test_every_kind_is_of_use_to_something(used: set[str]) -> None:
    assert used == KINDS


def test_every_kind_that_a_check_awaits_can_be_put_in_words(used: set[str]) -> None:
    only_asked_for = KINDS - set(WORDS)
    assert only_asked_for <= used
    assert only_asked_for == {
        "ack", "answered", "bad_opening", "bets_closed", "bonus_settled", "dealer", "dealer_first_missed", "decided",
        "explained", "failed", "gone", "hole_shown", "insurance_settled", "key", "put_back", "reader_bad",
        "reader_fault", "refute", "spread_request", "ten_refuted",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "scenario"),
    [
        ("opened", "g/G-17-changed-at-the-table"),
        ("started", "cb/CB-04-the-rack-is-emptied-into-the-shuffler"),
        ("put_back", "sh/SH-08-put-back-and-counted"),
        ("answered", "tab/TAB-20-the-reader-answers-in-time"),
        ("decided", "cb/CB-27-decided-in-time"),
    ],
)
def test_a_scenario_notices_when_a_fact_is_not_established(
    kind: str, scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these kinds was once absent in all scenarios without a difference."""
    file = SCENARIOS / f"{scenario}.scn"
    parsed = parse_scenario(file.read_text(encoding="utf-8"), file.name)
    assert play_scenario(parsed).agrees

    def dropped(state: RulesState, *facts: Fact) -> RulesState:
        return add_fact(state, *(one for one in facts if one.kind != kind))

    for name, module in sys.modules.items():
        if name.startswith("pitwarden.rules.") and getattr(module, "add_fact", None) is add_fact:
            monkeypatch.setattr(module, "add_fact", dropped)
    assert not play_scenario(parsed).agrees


def test_the_words_of_a_fact_name_its_subject() -> None:
    named = {kind for kind, words in WORDS.items() if "{}" in words}
    assert named == {kind for kind in WORDS if kind in SUBJECTS}


@pytest.mark.parametrize(
    ("kind", "subject", "words"),
    [
        ("verified", "A", "the floorperson verifies deck A"),
        ("verified", None, "the floorperson verifies the deck"),
        ("shuffled", "rest", "the discards are shuffled"),
        ("removed", "shoe", "the dealing shoe leaves the table"),
        ("removed", "shuffler2", "shuffler 2 leaves the table"),
        ("installed", None, "the device is at the table"),
        ("mode", "hand", "dealing from the hand is entered"),
        ("mode", "auto_shoe", "dealing from an automated shoe is entered"),
        ("mode", None, "the way of dealing is entered"),
        ("mode", "of a later version", "the way of dealing is entered"),
        ("noted", None, "the floorperson's ruling"),
        ("of_a_later_version", None, "of_a_later_version"),
    ],
)
def test_a_fact_is_put_in_words_with_its_subject(kind: str, subject: str | None, words: str) -> None:
    assert fact_words(kind, subject) == words


def test_each_constructor_makes_its_kind() -> None:
    assert facts.box_decided(3) == Fact("decided", "3")
    assert facts.ten_refuted("e:7") == Fact("ten_refuted", "e:7")
    assert facts.key_fact("kp.close insurance") == Fact("key", "kp.close insurance")
    assert (facts.fact("mode"), facts.mode_keyed("hand")) == (Fact("mode"), Fact("mode", "hand"))
    assert facts.case_fact("ack", "e-1-0") == Fact("ack", "e-1-0")


def test_a_parsed_step_is_bound_to_its_subjects() -> None:
    step = parse_step("noted or verified(deck) or removed(device)")
    assert step == (Fact("noted"), Fact("verified", "deck"), Fact("removed", "device"))
    assert bound((step,), {"deck": "A", "device": "shoe"}) == (
        (Fact("noted"), Fact("verified", "A"), Fact("removed", "shoe")),
    )


@pytest.mark.parametrize(
    ("awaits", "reason"),
    [
        ("verifid(deck)", "'verifid(deck)' is not a fact that a person can be told to bring about"),
        ("answered", "'answered' is not a fact that a person can be told to bring about"),
        ("verified", "'verified': verified is about deck or other_deck or known_deck or rest"),
        ("verified(device)", "'verified(device)': verified is about deck or other_deck or known_deck or rest"),
        ("noted(deck)", "'noted(deck)': noted is about the table"),
        ("verified(table)", "'verified(table)': verified is about deck or other_deck or known_deck or rest"),
    ],
)
def test_a_profile_cannot_state_a_fact_that_no_row_establishes(awaits: str, reason: str) -> None:
    row = '[rules.shoe_count]\nclause = "X-01"\ncites = ["c"]\nbasis = "default"\nactor = "dealer"\n'
    row += f'awaits = ["{awaits}"]\n'
    head = (
        'name = "x"\ngame = "X"\ntitle = "X"\neffective = "now"\nsource = "s"\ncards = 52\ndecks = [1]\ntens = true\n'
        "positions = [1]\nstart = []\nburn = false\npasses = []\n[keys]\nwindows = []\ndecisions = []\nwagers = []\n"
        "acts = []\n"
    )
    with pytest.raises(ProfileError) as refused:
        parse_profile("x.toml", head + row)
    assert str(refused.value) == f"x.toml: rules.shoe_count.awaits: {reason}"
