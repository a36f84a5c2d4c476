"""Honest play gives no irregularity. `tests/honest_play.py` plays 1,000 rounds of each game for 20 seeds."""

import subprocess
import sys
from pathlib import Path

import pytest

from pitwarden_simulators.table.setup import FURTHER_TABLES, TABLES, SimulatedTableSetup
from testkit.nights.in_memory_night import InMemoryJudge, play


@pytest.mark.parametrize(
    ("setup", "seed"),
    [
        *((setup, seed) for setup in TABLES.values() for seed in "12"),
        *((setup, "1") for setup in FURTHER_TABLES.values()),
    ],
    ids=lambda value: value if isinstance(value, str) else value.table,
)
def test_fifty_honest_rounds_give_no_irregularity(setup: SimulatedTableSetup, seed: str) -> None:
    judge = InMemoryJudge(setup)
    play(setup, seed, 50, judge=judge)
    assert judge.complaints() == []


def test_the_program_that_plays_longer_runs_by_itself() -> None:
    program = [sys.executable, str(Path(__file__).parents[1] / "honest_play.py"), "--rounds", "1", "--seeds", "1"]
    ended = subprocess.run([*program, "--tables", "cb-auto"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("cb-auto seed 0: 1 rounds, ")
