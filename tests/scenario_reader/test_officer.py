"""Scenarios as a compliance officer writes them: the list of words, suggestions, refused tables, macros that follow."""

import argparse
import json
from pathlib import Path

import pytest

from pitwarden.cli.judge import COMMAND, judge_files, print_words
from pitwarden.rules.profile.library import load_library
from pitwarden.scenario import ScenarioError, parse_scenario, play_scenario
from pitwarden.scenario.macros import MACROS, expand
from pitwarden.scenario.vocabulary import WORDS
from pitwarden.scenario.words import DEVICE_ARGUMENTS, TABLE_ARGUMENTS, game_words
from pitwarden_client.events.outputs import Irregularity


def play(head: str, *rows: str) -> list[str]:
    """Return the catalog numbers of the irregularities of a scenario."""
    outcome = play_scenario(parse_scenario(f"title: t\n{head}\n---\n" + "\n".join(rows), "o.scn"))
    assert not any(one.problem for one in outcome.judged)
    steps = [step for one in outcome.judged for step in one.steps]
    return [output.catalogue for step in steps for output in step.outputs if isinstance(output, Irregularity)]


def refusal(head: str, *rows: str) -> str:
    """Return the sentence by which a scenario is refused."""
    with pytest.raises(ScenarioError) as refused:
        play_scenario(parse_scenario(f"title: t\n{head}\n---\n" + "\n".join(rows), "o.scn"))
    return str(refused.value)


@pytest.mark.parametrize("game", sorted(load_library(None).games))
def test_the_words_of_each_game_are_listed(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_words(game) == 0
    listed = {row.split()[0] for row in capsys.readouterr().out.splitlines() if row.startswith("  ")}
    assert listed >= {*DEVICE_ARGUMENTS, *TABLE_ARGUMENTS, *MACROS}
    assert listed <= {*WORDS, *MACROS}
    assert ("kp.dice" in listed) is (game == "CR")


def test_every_word_for_a_device_or_the_table_has_its_arguments() -> None:
    assert {word for word in WORDS if word.split(".")[0] in {"sh", "sf", "rd", "dev"}} == set(DEVICE_ARGUMENTS)
    assert {word for word in WORDS if word.split(".")[0] in {"clk", "log"}} == set(TABLE_ARGUMENTS)


def test_the_words_of_a_game_name_its_own_wagers() -> None:
    rows = list(game_words(load_library(None).games["CB"]))
    assert any("kp.wager" in row and "flush_bonus" in row and "first_attack" not in row for row in rows)


def test_the_words_of_no_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert print_words("tripple-attack-blackjack") == 2
    assert "did you mean triple-attack-blackjack?" in capsys.readouterr().err


def test_no_file_and_no_game(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    COMMAND.add(parser)
    assert COMMAND.run(parser.parse_args([])) == 2
    assert "--words GAME" in capsys.readouterr().err


def test_a_game_by_its_name_in_a_table_file() -> None:
    assert play("game: switch-hands", "open", "round") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("kp.boxes 1-9", "no table has more than 7 boxes (did you mean 1-7?)"),
        ("kp.boxes 9", "did you mean 7?"),
        ("kp.boxes 3-1", "counts backwards (did you mean 1-3?)"),
        ("hit 2", "did you mean kp.hit?"),
        ("sh.hit 2", "did you mean kp.hit?"),
        ("kp.boxs 1", "did you mean kp.boxes?"),
        ("rd.insert", "did you mean rd.ins?"),
        ("kp.attack2 1", "did you mean kp.wager attack2 or kp.close attack2?"),
        ("rd.ins", "the table of this file has no reader; write in the header: `devices: shoe, shuffler, reader`"),
    ],
)
def test_the_right_suggestion(line: str, said: str) -> None:
    assert said in refusal("game: TAB", "open", line)


def test_a_table_that_would_be_refused_at_start() -> None:
    assert "would be refused at start: table.mode: " in refusal("game: TAB\nmode: hand", "open")
    assert play("game: TAB\nmode: hand", "ft.table_open -> unfit G-07") == []
    assert "G-07" in refusal("game: TAB\nmode: hand", "ft.table_open -> unfit G-08")


def test_what_was_not_found_is_never_as_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.scn"
    file.write_text("title: t\ngame: TAB\n---\nopen\nack TAB-36\n")
    assert judge_files([file]) == 1
    said = capsys.readouterr().out
    assert "no TAB-36 was found" in said
    assert "1 of 2 lines are not as expected" in said
    assert judge_files([file], as_lines=True) == 1
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["agrees"] is False
    assert [one["line"] for one in last["lines"]] == [5]


def test_a_question_has_no_wrong_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.scn"
    file.write_text("title: t\ngame: TAB\n---\nopen\ndeal\nsh.card 9H up\nkp.wager suited_royals 1 500\n")
    assert judge_files([file]) == 0
    said = capsys.readouterr().out
    assert "nothing was expected" in said
    assert "!!" not in said
    refused = next(row for row in said.splitlines() if "refused TAB-" in row)
    assert len(refused.split("]")[1].split()) > 3, "the reason stands next to the refusal"


@pytest.mark.parametrize("game", ["TAB", "DAB", "SH", "IB", "CB"])
def test_all_stand(game: str) -> None:
    made = parse_scenario(f"title: t\ngame: {game}\nboxes: 3\n---\nopen\ndeal\nstand 2\nstand\n", "s.scn")
    steps = [one.text for one in expand(made) if one.line.word == "stand"]
    word = "kp.play" if game == "CB" else "kp.stand"
    assert [one for one in steps if one.startswith(word)] == [f"{word} 2", f"{word} 1", f"{word} 3"]
    assert ("kp.bonus_settled 2" in steps) is (game == "TAB")


def test_a_blackjack_does_not_stand_and_a_box_stands_once() -> None:
    assert play("game: TAB\nboxes: 3", "open", "deal bj=1", "kp.bonus_settled 1", "kp.bonus_settled 2", "kp.stand 2",
                "stand", "kp.hole_up", "kp.round_end") == []  # fmt: skip


def test_who_does_not_play_cannot_stand() -> None:
    assert "no round is in play here" in refusal("game: TAB", "open", "stand")
    assert "box 3 is not in this round (its boxes: 1, 2)" in refusal("game: TAB\nboxes: 2", "open", "deal", "stand 3")


@pytest.mark.parametrize("game", ["TAB", "DAB", "SH", "IB"])
def test_a_small_shoe_is_dealt_honestly(game: str) -> None:
    head = f"game: {game}\nboxes: 1"
    assert play(head, "open", "shoe left=25", "round") == []
    made = parse_scenario(f"title: t\n{head}\n---\nopen\nshoe left=25\n", "s.scn")
    drawn = sum(one.word == "sh.card" for one in expand(made))
    assert drawn == {"TAB": 384, "DAB": 384, "SH": 312, "IB": 416}[game] - 25


def test_a_small_shoe_that_cannot_be() -> None:
    assert "only 383 cards are in the shoe" in refusal("game: TAB", "open", "shoe left=400")
    assert "no dealer burns a card" in refusal("game: CB", "open", "shoe left=9")
    assert "no dealer burns a card" in refusal("game: SH\noptions: bart_carter=true", "open", "shoe left=9")


def test_macros_follow_the_table() -> None:
    by_hand = "game: CB\ndevices: shuffler counts=yes\nmode: hand\ndecks: A red, B blue"
    assert play(by_hand, "open", "round times=4") == []
    assert play("game: CB\ndevices: shoe\nmode: manual_shoe", "open", "round times=2") == []
    removed = parse_scenario("title: t\ngame: TAB\n---\nopen\nft.device_removed shuffler\nshuffle\n", "s.scn")
    assert "kp.manual_shuffle" in {one.word for one in expand(removed)}


def test_craps_has_no_devices() -> None:
    assert play("game: craps", "ft.table_open", "kp.dice_wager pass", "kp.dice 7 3 4") == []
    assert play("game: craps", "open", "kp.dice_wager pass", "kp.dice 7 3 4") == []
