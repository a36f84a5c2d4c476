"""Refusals and notices are data: each record is found by code, which gives its fields, and code holds no sentence."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import pitwarden.rules
from pitwarden.rules import ProfileError
from pitwarden.rules.profile.case_records import NAMES, load_cases
from pitwarden.rules.profile.permit_reasons import load_permit_reasons, parse_permit_reasons
from pitwarden.rules.profile.refusals import load_refusals, parse_refusals, refusal

RULES = Path(pitwarden.rules.__file__).parent
FOLDERS = ("checks", "engine", "ledger", "outcomes", "queries", "shuffle", "state", "transitions")
TREES = {
    file.relative_to(RULES).as_posix(): ast.parse(file.read_text(encoding="utf-8"))
    for folder in FOLDERS
    for file in sorted((RULES / folder).glob("*.py"))
}
OTHER_TEXTS = {"engine/coverage.py", "state/phase.py"}
"""Texts of a command, and texts of a drawing."""
OWN_ACTS = ("act_of_dealer", "act_of_floor", "act_of_supervisor")
"""Refusals whose name ends with the role whose act it is."""


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a function, with the file."""
    for file, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield file, node


def names_of(node: ast.expr) -> list[str]:
    """Return the names that an argument may have: a literal, the literals of a choice, or one that ends with a role."""
    if isinstance(node, ast.JoinedStr):
        assert ast.unparse(node) == "f'act_of_{own}'"
        return [*OWN_ACTS]
    return [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def test_each_refusal_of_the_code_has_a_record_with_its_fields_and_each_record_is_used() -> None:
    used = set[str]()
    for file, call in calls("refusal"):
        names = names_of(call.args[0]) or ["at_the_table", "not_at_the_table"]
        given = {one.arg for one in call.keywords}
        for name in names:
            assert load_refusals()[name].fields == given, f"{file}:{call.lineno} {name}"
        used.update(names)
    assert used == set(load_refusals())


def test_each_reason_of_the_permit_has_a_record_with_its_fields_and_each_record_is_used() -> None:
    used = dict[str, set[str | None]]()
    for _, call in calls("permit_reason"):
        used |= {name: {one.arg for one in call.keywords} for name in names_of(call.args[0])}
    fields = {
        name: {field for _, field, _, _ in Formatter().parse(says) if field}
        for name, says in load_permit_reasons().items()
    }
    assert used == fields


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a\n", "x.toml: Expected ']'"),
        ("[a]\n", "reasons.a.says: a text is missing here"),
        ('[a]\nsays = "{person} holds"\n', "reasons.a.says: nothing gives the field 'person': clause, deck, device"),
        ('[a]\nsays = "s"\nunder = []\n', "reasons.a.under: no such row is known here"),
    ],
)
def test_a_wrong_reason_is_refused_by_file_name_and_field(text: str, reason: str) -> None:
    with pytest.raises(ProfileError, match=re.escape(reason)):
        parse_permit_reasons("x.toml", text)


def test_an_input_is_refused_under_the_rows_that_the_record_names() -> None:
    found = 0
    for file, call in calls("refuse_input"):
        reason = call.args[1]
        if not (isinstance(reason, ast.Call) and ast.unparse(reason.func) == "refusal"):
            continue
        row = ast.unparse(call.args[2]) if len(call.args) > 2 else ""
        literal = re.fullmatch(r"ROWS\(state, '(\w+)'\)", row)
        for name in names_of(reason.args[0]):
            under = load_refusals()[name].under
            if literal is not None:
                assert literal[1] in under, f"{file}:{call.lineno} {name}"
            elif not row and name != "no_round":
                assert under == (), f"{file}:{call.lineno} {name}"
        found += 1
    assert found > 40


def test_each_notice_and_imbalance_of_the_code_has_a_record_whose_fields_it_gives() -> None:
    cases = {(row, one.case): one for row, records in load_cases().items() for one in records}
    found = 0
    for name, at in (("add_notice", 2), ("add_imbalance", 1)):
        for file, call in calls(name):
            row = re.search(r"ROWS\(\w+, '(\w+)'\)", ast.unparse(call))
            literal = call.args[at]
            if not isinstance(literal, ast.Constant) or (row is None and name == "add_notice"):
                continue
            record = cases["ledger" if row is None else row[1], str(literal.value)]
            given = {one.arg for one in call.keywords} | {"box", "deck" if name == "add_imbalance" else "box"}
            assert record.fields & NAMES <= given, f"{file}:{call.lineno} {record.row}.{record.case}"
            found += 1
    assert found > 30


def _is_sentence(text: str) -> bool:
    return bool(re.search(r"[A-Za-z]+ [a-z0-9]+ [a-z0-9]+", text)) and (text.endswith((".", "?")) or ": " in text)


def test_code_holds_no_sentence() -> None:
    """Docstrings, and texts of errors that stop a program, are no sentences for the table."""
    found = [
        f"{file}:{node.lineno} {node.value}"
        for file, tree in TREES.items()
        if file not in OTHER_TEXTS
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_sentence(node.value)
        if node.lineno not in _documented(tree)
    ]
    assert found == []


def _documented(tree: ast.Module) -> set[int]:
    """Return the lines where docstrings and texts of errors begin."""
    docs = {
        one.value.lineno for one in ast.walk(tree) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
    }
    raised = {
        part.lineno
        for one in ast.walk(tree)
        if isinstance(one, ast.Raise)
        for part in ast.walk(one)
        if isinstance(part, ast.Constant)
    }
    return docs | raised


PRIVATE = re.compile(
    r"may not|the floor\b|\bkeyed?\b|has to|the floor has|(?<!there )is no [a-z]|nobody", re.IGNORECASE
)
TEMPLATES = [one.says for records in load_cases().values() for one in records]
SENTENCES = [*TEMPLATES, *(one.says for one in load_refusals().values())]


@pytest.mark.parametrize("says", sorted(set(SENTENCES)))
def test_a_sentence_can_be_read_aloud_at_a_table(says: str) -> None:
    """At most two sentences of at most 18 words and 120 characters, without words of this project (voice, 6)."""
    parts = re.split(r"[.?] (?=[A-Z{])", says.replace("kp.", "kp").replace("ft.", "ft"))
    assert len(parts) <= 2
    assert [part for part in parts if len(part.split()) > 18] == []
    assert len(says) <= 120
    assert not PRIVATE.search(says)


def test_a_reason_is_the_sentence_of_its_record_and_fits_into_an_output() -> None:
    assert refusal("no_hand", box=3) == load_refusals()["no_hand"].says.replace("{box}", "3")
    assert len(refusal("no_such_deck", deck="A", names="B" * 900)) == 500
    with pytest.raises(KeyError, match="box"):
        refusal("no_hand")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[a\n", "Expected ']' at the end of a table declaration"),
        ("[a]\n", "refusals.a.says: a text is missing here"),
        ('[a]\nsays = "{box:02}"\n', "refusals.a.says: 'box': a field is a name in braces"),
        ('[a]\nsays = "s"\nunder = "positions"\n', "refusals.a.under: a list of words is missing here"),
        ('[a]\nsays = "s"\nclears = []\n', "refusals.a.clears: no such row is known here"),
    ],
)
def test_a_wrong_refusal_is_refused_by_file_name_and_field(text: str, reason: str) -> None:
    with pytest.raises(ProfileError) as refused:
        parse_refusals("x.toml", text)
    assert str(refused.value).startswith(f"x.toml: {reason}")
