"""The short form of the tool `outcomes`: random rounds of each game agree with a second reading of the texts."""

from argparse import ArgumentParser

import pytest

from pitwarden_tools.outcomes import texts
from pitwarden_tools.outcomes.command import COMMAND, GAMES, comparisons
from pitwarden_tools.outcomes.rounds import PlayedRound, compare_table

ROUNDS = 60
WAGERS = {
    "TAB": {"first_attack", "attack2", "attack3", "double", "split", "insurance", "suited_royals", "triple_match"},
    "DAB": {"first_attack", "insurance"},
    "CB": {"ante", "play", "blind", "flush_bonus", "progressive"},
    "IB": {"ib"},
    "SH": {"blackjack", "double", "split", "insurance"},
    "CR": {"pass", "dont_pass", "come", "dont_come", "four_hard", "place_win_6", "place_lose_8"},
}
"""Wagers that a short form reaches; the surrender of double attack blackjack is its `first_attack`."""


@pytest.mark.parametrize("game", GAMES.values())
def test_each_wager_of_random_rounds_has_the_outcome_of_the_text(game: str) -> None:
    made = list(comparisons(game, 7, ROUNDS))
    assert [str(one) for table in made for one in table.differences] == []
    assert {wager for table in made for wager, _, _ in table.results} >= WAGERS[game]
    assert sum(table.rounds for table in made) >= ROUNDS


def test_odds_that_differ_from_the_text_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(texts.FLUSH_BONUS["1"], 4, "3 to 1")
    monkeypatch.setitem(texts.FLUSH_BONUS["2"], 4, "3 to 1")
    found = [one for table in comparisons("CB", 7, ROUNDS) for one in table.differences]
    assert {one.wager for one in found} == {"flush_bonus"}
    assert {one.text for one in found} == {"win 3 to 1"}
    assert {one.core for one in found} == {"win 2 to 1", "win 1 to 1"}


def test_a_void_round_and_an_outcome_that_no_text_gives_are_differences() -> None:
    made = PlayedRound(["kp.boxes 1", "kp.no_more_bets", "sh.stack 8", "kp.round_end"])
    made.wagered("box1", "ante", "win", "1 to 1", 500)
    found = compare_table(["title: x", "game: CB"], [made]).differences
    assert [(one.hand, one.wager, one.text) for one in found] == [
        ("round", "void", "played"), ("box1", "ante", "win 1 to 1 500 500"),
    ]  # fmt: skip
    assert found[1].core == "none"
    craps = PlayedRound(["kp.dice_wager pass spot=1", "kp.dice 7 3 4"])
    [unknown] = compare_table(["title: x", "game: CR"], [craps]).differences
    assert (unknown.wager, unknown.text, unknown.core) == ("pass", "none", "win")
    assert str(unknown) == "spot1 pass: text none, core win\n    kp.dice_wager pass spot=1\n    kp.dice 7 3 4"


def run_tool(*words: str) -> int:
    parser = ArgumentParser()
    COMMAND.add(parser)
    return COMMAND.run(parser.parse_args(words))


def test_the_tool_says_what_it_compared(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("--game", "craps", "--rounds", "40") == 0
    assert capsys.readouterr().out.startswith("craps: 40 rounds, ")
    monkeypatch.setitem(texts._SPREADS, "A", ("9 to 1",) * 5)  # noqa: SLF001  a wrong table, on purpose
    for table in "BCD":
        monkeypatch.setitem(texts._SPREADS, table, ("9 to 1",) * 5)  # noqa: SLF001  the same
    assert run_tool("--game", "blackjack-in-between", "--rounds", "40") == 1
    said = capsys.readouterr().out
    assert "x ib: text win 9 to 1" in said
    assert "    kp.no_more_bets" in said
