"""Every scenario file agrees with the judge, and every clause of this delivery has one."""

from pathlib import Path

import pytest

from pitwarden.scenario import as_text, parse, play
from pitwarden.scenario.coverage import covered, files_in

HERE = Path(__file__).parent
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


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_judge_says_what_the_file_says(file: Path) -> None:
    outcome = play(parse(file.read_text(encoding="utf-8"), file.name))
    assert outcome.agrees, "\n" + "\n".join(as_text(outcome, expanded=False))


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
