"""The table of clauses as a compliance officer meets it."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main

CONFIG = Path(__file__).parents[2] / "config" / "triple-attack-blackjack.toml"
SCENARIOS = Path(__file__).parents[1] / "scenarios"


def said(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(["clauses", *words]) == code
    return capsys.readouterr().out


def entry(clause: str, text: str) -> str:
    return text.split(f"\n{clause} ")[1].split("\nTAB-", maxsplit=1)[0]


def test_a_clause_stands_with_its_cite_its_check_and_its_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--game", "TAB", "--scenarios", str(SCENARIOS)], capsys)
    assert "13:69F-36.14(a)" in entry("TAB-36", text)
    assert "checked by found_cards.face_up, shuffles.ordered; basis text" in entry("TAB-36", text)
    assert "TAB-36-second-face-up-voids" in entry("TAB-36", text)
    assert "CB-35" not in text


def test_each_doubt_stands_with_its_reading(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--readings"], capsys)
    assert "C-22  " in text
    assert "[rules] face_up_scope; row TAB.face_up" in text


def test_a_table_says_what_it_does_not_watch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    whole = CONFIG.read_text()
    file.write_text(whole.replace('keyed = "all"', 'keyed = ["kp.deal", "kp.round_end"]'))
    assert "not monitored: kp.boxes, kp.close not keyed here" in entry("TAB-15", said(["--config", str(file)], capsys))
    file.write_text(whole.split("[devices.reader]")[0])
    assert "no reader at this table" in entry("TAB-20", said(["--config", str(file)], capsys))


def test_a_wrong_table_file_and_a_wrong_scenario_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wrong.scn").write_text("title: no game\n---\n")
    assert said(["--config", str(tmp_path / "none.toml")], capsys, 78) == ""
    assert said(["--scenarios", str(tmp_path)], capsys, 2) == ""
