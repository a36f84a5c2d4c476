"""Honest play gives no irregularity, and publishes every card that lay face up by its round's end.

`tests/honest_play.py` plays 1,000 rounds of each game for 20 seeds.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from pitwarden.rules.transitions import disclosure
from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES, SimulatedTableSetup
from testkit.nights.in_memory_night import InMemoryJudge, play
from testkit.nights.public_cards import PublicCardsJudge
from testkit.nights.shoes import Shoes


def watched(setup: SimulatedTableSetup, seed: str, rounds: int) -> PublicCardsJudge:
    shoes = Shoes()
    public = PublicCardsJudge(InMemoryJudge(setup), shoes)
    play(setup, seed, rounds, judge=public, shoes=shoes)
    return public


@pytest.mark.parametrize(
    ("setup", "seed"),
    [
        *((setup, seed) for setup in TABLES.values() for seed in "12"),
        *((setup, "1") for setup in FURTHER_TABLES.values()),
    ],
    ids=lambda value: value if isinstance(value, str) else value.table,
)
def test_fifty_honest_rounds_give_no_irregularity(setup: SimulatedTableSetup, seed: str) -> None:
    public = watched(setup, seed, 50)
    assert (public.judge.complaints(), public.missing) == ([], [])
    assert public.published > 50


@pytest.mark.parametrize("part", ["dealer_cards", "up_card_allows_reader"], ids=["dealer's draws", "reader's answer"])
def test_a_core_that_keeps_something_public_to_itself_is_found_out(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setattr(disclosure, part, lambda *_: ())
    assert "are not published" in watched(TABLES["tab-shielded"], "1", 20).missing[0]


def test_the_program_that_plays_longer_runs_by_itself() -> None:
    program = [sys.executable, str(Path(__file__).parents[1] / "honest_play.py"), "--rounds", "1", "--seeds", "1"]
    ended = subprocess.run([*program, "--tables", "cb-auto"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("cb-auto seed 0: 1 rounds, ")
