"""How far back a wrong count reaches: to the last right one."""

from pathlib import Path

import pytest

from pitwarden.cli.journal_evidence import of_the_judge
from pitwarden.cli.main import main
from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import BlastRadius, Irregularity
from testkit.journals.sealed_rows import sealed_night
from testkit.journals.stored_night import file

__all__ = ["file"]


def test_the_blast_radius_reaches_back_to_the_last_right_count(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = sealed_night()
    last = rows[-1].event
    words = ["journal", "blast-radius", "--config", str(file)]
    assert main([*words, "--row", f"{last.epoch}/{last.tableseq}"]) == 0
    said = capsys.readouterr().out
    assert "the shuffler's count" in said.splitlines()[0]
    assert said.splitlines()[-1].split()[0] in {"1", "2", "3"}
    assert main([*words, "--row", f"{last.epoch}/{last.tableseq}", "--deck", "B"]) == 0
    assert "since the oldest row kept (no count" in capsys.readouterr().out  # deck A's counts say nothing of deck B
    assert main([*words, "--ref", "none-such"]) == 78
    with pytest.raises(SystemExit):
        main([*words, "--row", "nonsense"])


def test_the_blast_radius_of_a_wrong_count_is_the_judge_s_too() -> None:
    blast = BlastRadius(since=Position(epoch="e1", number=8), by="shuffler", rounds=(1, 3), more=2)
    wrong = Irregularity(
        ref="e1-40-0", catalogue="CB-17", clauses=("13:69F-51.7(f)",), verdicts=("DECK_OUT",), basis="text",
        status="open", actor="floorperson", clears="", sentence="", deck="A", blast=blast,
    )  # fmt: skip
    [line] = of_the_judge(wrong)
    assert (
        line == "the judge: deck A was dealt in rounds 1, 3, and 2 before them; shuffler counted it whole on row e1/8"
    )
    assert of_the_judge(wrong.model_copy(update={"blast": None})) == []
