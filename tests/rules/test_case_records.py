"""Records of cases: a wrong line is refused, each case has a record, and each record is found by code."""

import ast
import inspect
from functools import cache
from pathlib import Path

import pytest

import pitwarden.rules
from pitwarden.rules import ProfileError, load_profile
from pitwarden.rules.checks.check_entry import CheckEntry
from pitwarden.rules.engine.check_catalogue import CHECKS
from pitwarden.rules.profile.case_records import NAMES, CaseRecord, load_cases, parse_cases
from pitwarden.rules.profile.facts import Fact
from pitwarden.rules.profile.library import NAMES as GAMES
from pitwarden.rules.profile.library import default_decks
from pitwarden.rules.profile.loading import parse_profile

RULES = Path(pitwarden.rules.__file__).parent
PROFILES = [load_profile(name, default_decks(name)) for name in GAMES]
RECORDS = [one for cases in load_cases().values() for one in cases]
OF_DUTIES = {"duty", "duty_of_dealer"}
SUFFIXES = ("_ruled", "_discards", "_counted")
"""Endings of a case that code puts behind the name of another, by what the game's clause or the round permits."""


@cache
def strings_in(folder: str) -> set[str]:
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in (RULES / folder).glob("*.py"))
    return {
        one.value
        for tree in trees
        for one in ast.walk(tree)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def base(case: str) -> str:
    """Return the name that stands in the code."""
    for suffix in SUFFIXES:
        case = case.removesuffix(suffix)
    return case


@cache
def tree_of(check: CheckEntry) -> ast.Module:
    module = inspect.getmodule(check.check)
    assert module is not None
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def given_in(check: CheckEntry) -> set[str | None]:
    """Return the fields that the module of a check gives for sentences."""
    calls = [one for one in ast.walk(tree_of(check)) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    finding = [one for one in calls if ast.unparse(one.func) in {"find_case", "_ending", "_again"}]
    names = {"deck", "device", "name"} if any(ast.unparse(one.func) == "_again" for one in finding) else set[str]()
    return {keyword.arg for one in finding for keyword in one.keywords} | names


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one.row}.{one.case}")
def test_a_record_is_of_a_row_and_a_case_that_a_game_has(record: CaseRecord) -> None:
    rules = [rule for profile in PROFILES for rule in profile.rules if rule.key == record.row]
    assert rules, "no game has such a row"
    notice = not (record.clears or record.given)
    assert notice or any(rule.verdicts(record.of) for rule in rules)
    for rule in rules:
        assert record.fields - NAMES <= {name for name, _ in rule.params} or not rule.verdicts(record.of)


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one.row}.{one.case}")
def test_a_record_is_found_by_code(record: CaseRecord) -> None:
    names = (
        strings_in("checks")
        | strings_in("engine")
        | strings_in("transitions")
        | strings_in("ledger")
        | {"order", "sorted", "repeat"}
    )
    assert base(record.case) in names


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_every_field_of_a_check_s_sentences_has_a_source(check: CheckEntry) -> None:
    words = {one.value for one in ast.walk(tree_of(check)) if isinstance(one, ast.Constant)}
    for record in (
        one for one in RECORDS if one.row in check.rules and base(one.case) in words and one.row != "ledger"
    ):
        assert record.fields & NAMES <= given_in(check), f"{record.row}.{record.case}"


def test_every_case_of_every_game_has_a_record() -> None:
    missing = [
        f"{profile.game}.{rule.key}.{case}"
        for profile in PROFILES
        for rule in profile.rules
        for case, _ in rule.cases
        if case not in {one.of for one in rule.records}
    ]
    assert missing == []


def test_no_check_holds_the_sentence_of_a_record() -> None:
    assert strings_in("checks") & {one.says for one in RECORDS} == set()


def test_a_record_is_worded_with_its_fields_and_cleared_about_its_subjects() -> None:
    text = (
        '[r.c]\nsays = "Deck {deck} has {count} of {every} cards."\nact_of = "floor"\n'
        'clears = ["noted or verified(deck)", "cut"]\n'
    )
    (record,) = parse_cases("x.toml", text)["r"]
    assert record.params == {"every"}
    assert record.sentence({"deck": "A", "count": 3, "every": 5}) == "Deck A has 3 of 5 cards."
    assert record.sentence({"deck": None, "count": 3, "every": 5}) == "Deck  has 3 of 5 cards."
    assert record.clearing({"deck": "A"}) == ((Fact("noted"), Fact("verified", "A")), (Fact("cut"),))
    assert record.clearing({}) == ((Fact("noted"), Fact("verified", "")), (Fact("cut"),))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[r.c\n", "Expected ']' at the end of a table declaration"),
        ("[r.c]\nclears = []\n", "r.c.says: a text is missing here"),
        ('[r.c]\nsays = "s"\n', "r.c.clears: say what clears the case, or in 'given' how the condition finds it"),
        ('[r.c]\nsays = "s"\nclears = []\ngiven = "g"\n', "r.c.clears: say what clears"),
        ('[r.c]\nsays = "s"\nclears = []\nclear = []\n', "r.c.clear: no such row is known here"),
        ('[r.c]\nsays = "{count:03d}"\nclears = []\n', "r.c.says: 'count': a field is a name in braces"),
        ('[r.c]\nsays = "{count!r}"\nclears = []\n', "r.c.says: 'count': a field is a name in braces"),
        ('[r.c]\nsays = "{a.b}"\nclears = []\n', "r.c.says: 'a.b': a field is a name in braces"),
        ('[r.c]\nsays = "s"\nclears = ["noted"]\n', "r.c.act_of: state whose act it is: none, dealer, floor"),
        ('[r.c]\nsays = "s"\nact_of = "cook"\nclears = ["noted"]\n', "r.c.act_of: state whose act it is"),
        ('[r.c]\nsays = "s"\nact_of = "none"\nclears = []\n', "r.c.act_of: no such row is known here"),
        ('[r.c]\nsays = "s"\nclears = ["ten_destroied"]\n', "r.c.clears: 'ten_destroied' is not a fact"),
        ('[r.c]\nsays = "s"\nclears = ["answered"]\n', "r.c.clears: 'answered' is not a fact"),
        ('[r.c]\nsays = "s"\nclears = ["shuffled"]\n', "r.c.clears: 'shuffled': shuffled is about deck"),
        ('[r.c]\nsays = "s"\nclears = ["removed(deck)"]\n', "r.c.clears: 'removed(deck)': removed is about device"),
        ('[r.c]\nsays = "s"\nclears = ["cut(deck)"]\n', "r.c.clears: 'cut(deck)': cut is about the table"),
        ('[r]\nlike = "q"\n', "r.like: 'q' is none of"),
        ('[q.c]\nsays = "s"\nclears = []\n[r]\nlike = "q"\nsays = "s"\n', "r.says: no such row is known here"),
        (
            '[r.a]\nof = "b"\nsays = "s"\nclears = []\n[r.b]\nof = "c"\nsays = "s"\nclears = []\n',
            "r.a.of: b shares the verdicts of another case itself",
        ),
    ],
)
def test_a_wrong_record_is_refused_by_file_row_case_and_field(text: str, reason: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_cases("x.toml", text)
    assert str(refused.value).startswith(f"x.toml: {reason}")


HEAD = (
    'name = "x"\ngame = "X"\ntitle = "X"\neffective = "now"\nsource = "s"\ncards = 52\ndecks = [1]\ntens = true\n'
    "positions = [1]\nstart = []\nburn = false\npasses = []\n[keys]\nwindows = []\ndecisions = []\nwagers = []\n"
    'acts = []\n[clauses.X-01]\nkind = "D"\ncite = "c"\nabout = "a"\n'
)


OWN = (
    '[cases.joker.drawn]\nsays = "A joker was drawn in this game."\nact_of = "none"\nclears = ["noted"]\n'
    '[rules.joker]\nclause = "X-01"\ncites = ["c"]\nbasis = "default"\nactor = "dealer"\ndrawn = ["HOLD"]\n'
)


def test_a_profile_words_a_row_of_its_own_beside_clause_and_verdicts() -> None:
    rule = parse_profile("x.toml", HEAD + OWN).rule("joker")
    assert rule is not None
    assert rule.sentence("drawn") == "A joker was drawn in this game."
    assert [one.case for one in rule.records] == ["drawn"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("cases.joker", "cases.jokers", "cases.jokers: the game has no such row"),
        ("clears", "clear", "cases.joker.drawn.clears: say what clears the case"),
        ("says", "words", "cases.joker.drawn.says: a text is missing here"),
        ("drawn in this", "drawn {in}", "rules.joker.drawn: nothing gives the field 'in' of its sentence"),
        ("cases.joker.drawn", "cases.joker.drwan", "rules.joker.drawn: no record words this case"),
    ],
)
def test_a_wrong_record_of_a_profile_is_refused_by_row(old: str, new: str, reason: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_profile("x.toml", HEAD + OWN.replace(old, new, 1))
    assert str(refused.value).startswith(f"x.toml: {reason}")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('cut_position]\nends = ["ALERT"]\n', "cut_position.ends: nothing gives the field 'least' of its sentence"),
        ('joker]\ndrwan = ["HOLD"]\n', "joker.drwan: no record words this case: the row has drawn"),
    ],
)
def test_a_profile_whose_case_cannot_be_worded_is_refused(row: str, reason: str) -> None:
    key, rest = row.split("]", maxsplit=1)
    text = f'{HEAD}[rules.{key}]\nclause = "X-01"\ncites = ["c"]\nbasis = "default"\nactor = "dealer"{rest}'
    with pytest.raises(ProfileError) as refused:
        parse_profile("x.toml", text)
    assert str(refused.value).startswith(f"x.toml: rules.{reason}")
