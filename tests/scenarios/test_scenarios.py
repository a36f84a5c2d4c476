"""Every scenario file agrees with the judge, and every clause of this delivery has one."""

import re
from functools import cache
from pathlib import Path

import pytest

from pitwarden.events.outputs import Irregularity
from pitwarden.rules.awaited import CLEARS
from pitwarden.scenario import as_text, parse, play
from pitwarden.scenario.coverage import covered, files_in
from pitwarden.scenario.play import Outcome

HERE = Path(__file__).parent
EQUIPMENT = frozenset({"A", "B", "C", "set2", "shoe", "auto_shoe", "manual_shoe", "hand", "shuffler", "reader", "rest"})
"""Decks, devices and ways of dealing of all scenarios; `rest` is the discards of a round whose shoe ran short."""
FILES = files_in(HERE)
CLAUSES = frozenset(
    [f"G-{n:02}" for n in (1, 2, 10, 14, 15, 17, 18)]
    + [f"TAB-{n:02}" for n in (1, 2, 6, *range(9, 14), 18, *range(20, 38), 42, 45, 46, 47, 48, 49, 52)]
    + [f"DAB-{n:02}" for n in (*range(1, 28),)]
    + [f"CB-{n:02}" for n in (1, 2, 3, 4, 10, 14, 15, 16, 17, 22, 23, 26, *range(29, 34), *range(35, 40))]
    + [f"IB-{n:02}" for n in (*range(2, 11),)]
    + [f"CR-{n:02}" for n in range(1, 9)]
    + [f"SH-{n:02}" for n in (*range(1, 13), *range(14, 22), 23, 24, 26)]
)


@cache
def played(file: Path) -> Outcome:
    return play(parse(file.read_text(encoding="utf-8"), file.name))


def irregularities(file: Path) -> list[Irregularity]:
    """What a scenario publishes of irregularities, at each change of their status."""
    outputs = [said for line in played(file).judged for told in line.told for said in told.outputs]
    return [said for said in outputs if isinstance(said, Irregularity)]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_judge_says_what_the_file_says(file: Path) -> None:
    outcome = played(file)
    assert outcome.agrees, "\n" + "\n".join(as_text(outcome, expanded=False))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_what_clears_an_irregularity_is_the_same_as_facts_and_in_words(file: Path) -> None:
    opened: dict[str, Irregularity] = {}
    for case in irregularities(file):
        first = opened.setdefault(case.ref, case)
        assert (case.clears, case.clears_facts) == (first.clears, first.clears_facts)
        sentence = [re.split(r" or (?!a replacement)", step) for step in case.clears.split("; then ")]
        assert sentence == [
            [CLEARS[fact.kind].format(fact.subject or "the deck") for fact in step] for step in case.clears_facts
        ]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_fact_names_equipment_and_never_a_card(file: Path) -> None:
    facts = [fact for case in irregularities(file) for step in case.clears_facts for fact in step]
    assert {fact.subject for fact in facts} - {None} <= EQUIPMENT
    for fact in facts:
        any_mode = fact.kind == "mode" and fact.subject is None  # none of the ways of dealing is the one that was meant
        assert any_mode or (fact.subject is not None) == ("{}" in CLEARS[fact.kind])


@pytest.mark.parametrize("clause", sorted(CLAUSES))
def test_every_clause_has_a_scenario(clause: str) -> None:
    assert any(clause in covered(file) for file in FILES), f"{clause} has no scenario"


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_file_cites_its_text(file: Path) -> None:
    header = parse(file.read_text(encoding="utf-8"), file.name).header
    assert header.cites, f"{file.name} does not say which text it follows"
    assert len(header.title) > 10


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_no_file_only_asks(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    claims = parse(text, file.name).header.covers or "->" in text
    assert claims, f"{file.name} expects nothing and covers nothing: it agrees with anything"
