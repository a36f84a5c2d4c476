"""Every scenario file agrees with the judge, and every clause that is checked at a table has one."""

from pathlib import Path

import pytest

from pitwarden.rules.clauses import clauses
from pitwarden.scenario import as_text, parse, play
from pitwarden.scenario.coverage import covered, files_in

HERE = Path(__file__).parent
FILES = files_in(HERE)
PLAYED = frozenset(clause for file in FILES for clause in covered(file))
BY_IDENT = {clause.ident: clause for clause in clauses()}

# Clauses without a scenario. Each has a reason in the table of clauses why nothing at a table checks it: a set-up that
# violates it is rejected at start, or the house attests it. The set may only shrink.
UNPLAYED = {
    "CB-12", "CB-19", "CB-25", "CB-34", "CB-40", "G-05", "G-08", "G-11", "G-16", "SH-13", "SH-22", "SH-25", "TAB-50",
    "TAB-51",
}  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_judge_says_what_the_file_says(file: Path) -> None:
    outcome = play(parse(file.read_text(encoding="utf-8"), file.name))
    assert outcome.agrees, "\n" + "\n".join(as_text(outcome, expanded=False))


def test_every_clause_has_a_scenario() -> None:
    assert BY_IDENT.keys() - PLAYED == UNPLAYED


def test_a_clause_without_a_scenario_says_why_it_is_not_checked() -> None:
    assert [ident for ident in sorted(UNPLAYED) if not BY_IDENT[ident].why_unchecked] == []


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
