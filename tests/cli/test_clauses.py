"""The table of clauses as a compliance officer meets it."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from testkit.tables.shipped_examples import attested_text

PROFILES = Path(__file__).parents[2] / "daemon" / "pitwarden" / "rules" / "profile" / "data" / "profiles"
STUD = PROFILES / "mississippi-stud.toml"
SCENARIOS = Path(__file__).parents[1] / "scenarios"


def said(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> str:
    assert main(["clauses", *words]) == code
    return capsys.readouterr().out


def entry(clause: str, text: str) -> str:
    return text.split(f"\n{clause} ")[1].split("\nTAB-", maxsplit=1)[0]


def test_a_clause_stands_with_its_cite_its_check_and_its_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--game", "TAB", "--scenarios", str(SCENARIOS)], capsys)
    assert "13:69F-36.14(a)" in entry("TAB-36", text)
    assert (
        "checked by engine.consequences, found_cards.face_up, shuffles.ordered; also read by transitions.draws;"
        in entry("TAB-36", text)
    )
    assert "TAB-36-second-face-up-voids" in entry("TAB-36", text)
    assert "CB-35" not in text


def test_where_no_scenarios_are_installed_no_clause_is_stated_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pitwarden.cli.clauses.SHIPPED", tmp_path / "shipped")
    assert (
        said(["--game", "TAB"], capsys)
        .splitlines()[-1]
        .endswith("clauses in all games; no scenario files are installed here: name them with --scenarios.")
    )
    assert "not installed here" in said(["--sheet", "TAB-36"], capsys)
    (tmp_path / "shipped").symlink_to(SCENARIOS)
    shipped = said(["--game", "TAB"], capsys)
    assert "TAB-36-second-face-up-voids" in entry("TAB-36", shipped)
    assert "of them have a scenario" in shipped
    assert said(["--scenarios", str(tmp_path / "none")], capsys, 2) == ""


def test_each_doubt_stands_with_its_reading(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--readings"], capsys)
    assert "C-22  " in text
    assert "[rules] face_up_scope; row TAB.face_up" in text


def test_a_table_says_what_it_does_not_watch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    whole = attested_text("triple-attack-blackjack")
    file.write_text(whole.replace('keyed = "all"', 'keyed = ["kp.deal", "kp.round_end"]'))
    assert "not monitored: kp.boxes, kp.close not keyed here" in entry("TAB-15", said(["--config", str(file)], capsys))
    file.write_text(whole.split("[devices.reader]")[0])
    assert "no reader at this table" in entry("TAB-20", said(["--config", str(file)], capsys))


def test_a_wrong_table_file_and_a_wrong_scenario_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wrong.scn").write_text("title: no game\n---\n")
    assert said(["--config", str(tmp_path / "none.toml")], capsys, 78) == ""
    assert said(["--scenarios", str(tmp_path)], capsys, 2) == ""


def own_profiles(folder: Path) -> Path:
    """Write a house's own game, Mississippi stud by other names, and one that is wrong."""
    text = (
        STUD.read_text().replace("mississippi-stud", "house-stud").replace("MS", "HS").replace("Mississippi", "House")
    )
    folder.mkdir()
    (folder / "house-stud.toml").write_text(text)
    (folder / "wrong.toml").write_text(text.replace('game = "HS"', "game = 4"))
    return folder


def test_a_game_that_is_data_alone_has_its_clauses_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(["--game", "MS", "--scenarios", str(SCENARIOS)], capsys)
    assert "MS-04   N   13:69F-35.9(e): the stub counted once in five rounds" in text
    assert "scenarios: MS-04-never-counted, MS-04-stub-counted" in text
    assert "basis default" in text


def test_a_house_s_wrong_profile_is_named_and_breaks_no_other_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = own_profiles(tmp_path / "profiles")
    assert main(["clauses", "--profiles", str(folder), "--scenarios", str(tmp_path)]) == 78
    whole = capsys.readouterr()
    assert whole.err == f"not listed: {folder / 'wrong.toml'}: game: a text is missing here\n"
    assert "House stud (HS)" in whole.out
    assert "3 Card Blitz (CB)" in whole.out
    assert "HS-05   N" in said(["--game", "HS", "--profiles", str(folder)], capsys)
    assert "TAB-01" in said(["--game", "TAB", "--profiles", str(folder)], capsys)
    assert main(["clauses", "--game", "W", "--profiles", str(folder)]) == 2
    assert f"not loaded: {folder / 'wrong.toml'}: game: a text is missing here" in capsys.readouterr().err
    assert main(["clauses", "--profiles", str(tmp_path / "none")]) == 2
    assert "none: the folder of game profiles cannot be read" in capsys.readouterr().err
    assert main(["clauses", "--game", "HS", "--profiles", str(tmp_path / "none")]) == 2
    assert "none: the folder of game profiles cannot be read" in capsys.readouterr().err


def test_a_scenario_of_a_refused_game_claims_no_clause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own_profiles(tmp_path / "profiles")
    (tmp_path / "HS-01-good.scn").write_text("title: x\nprofiles: profiles\ngame: HS\n---\nopen\nround\n")
    (tmp_path / "HS-02-wrong.scn").write_text("title: x\nprofiles: profiles\ngame: WR\n---\nopen\n")
    text = said(["--game", "HS", "--profiles", str(tmp_path / "profiles"), "--scenarios", str(tmp_path)], capsys)
    assert "scenarios: HS-01-good" in text
    assert "HS-02-wrong" not in text
    assert main(["scenario", str(tmp_path / "HS-02-wrong.scn")]) == 2
    assert "HS-02-wrong.scn:3: 'WR' is no game" in capsys.readouterr().err
    assert main(["scenario", str(tmp_path / "HS-01-good.scn")]) == 0


def test_a_table_plays_a_game_of_the_house_s_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, example = own_profiles(tmp_path / "profiles"), attested_text("mississippi-stud")
    text = (folder / "house-stud.toml").read_text()
    (folder / "house-stud.toml").write_text(
        text.replace("[keys]", '[listed]\nfour_hours = "amendment"\nshuffler = "amendment"\n\n[keys]')
    )
    (tmp_path / "table.toml").write_text(
        example.replace('game = "mississippi-stud"', 'game = "house-stud"\nprofiles = "profiles"')
    )
    assert main(["check-config", "--quiet", str(tmp_path / "table.toml")]) == 0
    assert "HS-05   N" in said(["--config", str(tmp_path / "table.toml")], capsys)
    other = tmp_path / "other"  # a profile is read once in the life of a process
    other.mkdir()
    (other / "house-stud.toml").write_text(text.replace("cards = 52", "cards = 50"))
    (tmp_path / "table.toml").write_text((tmp_path / "table.toml").read_text().replace('"profiles"', '"other"'))
    assert main(["check-config", str(tmp_path / "table.toml")]) == 78
    assert "table.game: a deck of House stud has 52 cards" in capsys.readouterr().err
