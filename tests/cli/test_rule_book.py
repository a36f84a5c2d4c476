"""The rule book of a game: every clause, case and condition, as Markdown and as HTML, with the digest of the page."""

import hashlib
import html
import re
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.rules import load_profile
from pitwarden.rules.profile.library import NAMES, default_decks

SCENARIOS = Path(__file__).parents[1] / "scenarios"
GAMES = {profile.game: profile for name in NAMES if (profile := load_profile(name, default_decks(name)))}


def printed(words: list[str], capsys: pytest.CaptureFixture[str], scenarios: Path = SCENARIOS / "nights") -> str:
    assert main(["clauses", "--scenarios", str(scenarios), *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("game", sorted(GAMES))
@pytest.mark.parametrize("form", ["md", "html"])
def test_a_rule_book_holds_every_clause_row_and_case_of_a_game(
    game: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = html.unescape(printed(["--game", game, "--format", form], capsys)).replace("\\|", "|").replace("&lt;", "<")
    profile = GAMES[game]
    for clause in profile.catalogue():
        assert f"{clause.ident}: {clause.about}" in text
        assert clause.cite in text
    for rule in profile.rules:
        if any(rule.clause == clause.ident for clause in profile.catalogue()):
            for one in rule.records:
                assert one.says in text or not rule.verdicts(one.of)


def test_a_sheet_shows_what_decides_a_clause(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(["--sheet", "TAB-37"], capsys, SCENARIOS)
    assert "## TAB-37: " in text
    assert "## TAB-36: " not in text
    assert "- cite: 13:69F-36.14(b)" in text
    assert "| more | VOID SHUFFLE DESTROY | More than one 10 was found in the shoe. The round is void:" in text
    assert (
        "the wagers are returned and the round ends; then the floorperson destroys the 10; then deck {deck} is" in text
    )
    assert re.search(r"- law, F-36.14\(b\): sha256 [0-9a-f]{64}; N.J.A.C. 13:69F-36 .*; compared on 20\d\d-", text)
    assert "| no_ten_waits | input refused | No 10 waits to be confirmed or refuted. |" in text
    assert "| found_cards.stray_ten | A 10 was found in a pack without 10s. | found card, kp.ten |" in text
    assert "transitions.floor_inputs" in text
    assert "TAB-37-" in text


@pytest.mark.parametrize(("form", "link"), [("md", r"\[(\S+?)\]\((\S+?)\)"), ("html", r'<a href="(\S+?)">(\S+?)</a>')])
def test_each_scenario_is_a_link_to_its_file(form: str, link: str, capsys: pytest.CaptureFixture[str]) -> None:
    links = re.findall(link, printed(["--sheet", "TAB-37", "--format", form], capsys, SCENARIOS))
    files = {Path(one if form == "html" else other) for one, other in links}
    assert files == {file for file in files if file.is_file() and file.is_relative_to(SCENARIOS)}
    assert {file.stem for file in files} >= {file.stem for file in SCENARIOS.rglob("TAB-37-*.scn")} != set()


def test_without_scenarios_a_clause_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "- scenarios: not installed here" in printed(["--sheet", "TAB-37"], capsys, tmp_path)
    assert "- scenarios: none" in printed(["--sheet", "TAB-37"], capsys, SCENARIOS / "cb")


def test_a_count_is_cleared_as_the_row_of_the_game_states(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(["--sheet", "CB-17"], capsys)
    assert "deck {deck} or a replacement has its full opening" in text
    assert "as the row states" not in text


def test_a_clause_of_all_games_is_shown_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(["--sheet", "G-10"], capsys).count("## G-10: ") == len(GAMES)
    assert printed(["--sheet", "G-10", "--game", "CB"], capsys).count("## G-10: ") == 1


def test_a_clause_that_no_game_has_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clauses", "--sheet", "TAB-99"]) == 2
    assert "TAB-99: no such clause in TAB" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["md", "html"])
def test_the_last_line_is_the_digest_of_what_stands_above_it(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, _, last = printed(["--sheet", "CB-14", "--format", form], capsys).rstrip("\n").rpartition("\n\n")
    found = re.search(r"[0-9a-f]{64}", last)
    assert found is not None
    assert found[0] == hashlib.sha256(page.encode()).hexdigest()
