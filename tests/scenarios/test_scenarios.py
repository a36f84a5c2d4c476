"""Every scenario file agrees with the judge, and every clause that is checked at a table has one."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from pitwarden.rules.profile.clauses import load_clauses
from pitwarden.rules.profile.facts import WORDS, fact_words
from pitwarden.scenario import as_text, parse_scenario, play_scenario
from pitwarden.scenario.player import ScenarioResult
from pitwarden.scenario.report import covered_clauses, files_in
from pitwarden_client.events.outputs import Irregularity

HERE = Path(__file__).parent
EQUIPMENT = frozenset({"A", "B", "C", "set2", "shoe", "auto_shoe", "manual_shoe", "hand", "shuffler", "reader", "rest"})
"""Decks, devices and ways of dealing of all scenarios; `rest` is the discards of a round whose shoe ran short."""
FILES = files_in(HERE)
PLAYED = frozenset(clause for file in FILES for clause in covered_clauses(file))
PHRASES: Mapping[str, str] = {str(kind): words for kind, words in WORDS.items()}
BY_IDENT = {clause.ident: clause for clause in load_clauses()}

# Clauses without a scenario. Each has a reason in the table of clauses why nothing at a table checks it: a set-up that
# violates it is rejected at start, or the house attests it. The set may only shrink.
UNPLAYED = {
    "CB-12", "CB-19", "CB-25", "CB-34", "CB-40", "G-05", "G-08", "G-11", "G-16", "SH-13", "SH-22", "SH-25", "TAB-50",
    "TAB-51",
}  # fmt: skip


@cache
def played(file: Path) -> ScenarioResult:
    return play_scenario(parse_scenario(file.read_text(encoding="utf-8"), file.name))


def irregularities(file: Path) -> list[Irregularity]:
    """Return what a scenario publishes of irregularities, at each change of their status."""
    outputs = [said for line in played(file).judged for step in line.steps for said in step.outputs]
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
        assert sentence == [[fact_words(fact.kind, fact.subject) for fact in step] for step in case.clears_facts]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_a_fact_names_equipment_and_never_a_card(file: Path) -> None:
    facts = [fact for case in irregularities(file) for step in case.clears_facts for fact in step]
    assert {fact.subject for fact in facts} - {None} <= EQUIPMENT
    for fact in facts:
        # A way of dealing that was meant may be known; else any is.
        assert fact.kind == "mode" or (fact.subject is not None) == ("{}" in PHRASES[fact.kind])


def test_every_clause_has_a_scenario() -> None:
    assert BY_IDENT.keys() - PLAYED == UNPLAYED


def test_a_clause_without_a_scenario_says_why_it_is_not_checked() -> None:
    assert [ident for ident in sorted(UNPLAYED) if not BY_IDENT[ident].why_unchecked] == []


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_file_cites_its_text(file: Path) -> None:
    header = parse_scenario(file.read_text(encoding="utf-8"), file.name).header
    assert header.cites, f"{file.name} does not say which text it follows"
    assert len(header.title) > 10


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_no_file_only_asks(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    claims = parse_scenario(text, file.name).header.covers or "->" in text
    assert claims, f"{file.name} expects nothing and covers nothing: it agrees with anything"
