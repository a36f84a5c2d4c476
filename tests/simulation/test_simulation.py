"""Nights on simulated time under faults at every edge: nothing goes wrong, a seed repeats itself, bugs are found."""

import argparse
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from pitwarden_simulators.table.setup import ALL_TABLES
from pitwarden_tools.simulation.command import COMMAND
from pitwarden_tools.simulation.extent import SimulationExtent
from pitwarden_tools.simulation.kinds import KINDS
from pitwarden_tools.simulation.mutants import MUTANTS, Mutant, time_to_find
from pitwarden_tools.simulation.night import FaultyNightPlan, FaultyNightResult, play_simulated
from pitwarden_tools.simulation.schedule import PER_NIGHT, simulated_nights

SHORT = PER_NIGHT * len(ALL_TABLES)
"""A night at each table."""
SECOND_OF_THEIR_GAME = ("tab-visible", "cb-auto")
QUICK = ("ack_before_commit", "parent_forgotten", "hidden_published", "publish_first")
"""Deliberate bugs that the first night shows."""


def check_right(results: list[FaultyNightResult]) -> Counter[str]:
    came: Counter[str] = Counter()
    for result in results:
        assert result.wrong == (), f"seed {result.seed}, {result.table}"
        came.update(result.came)
    assert min(result.reveals for result in results) > 40
    assert min(result.starts for result in results) > 8
    return came


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(plan, marks=[pytest.mark.full] if plan.setup.table in SECOND_OF_THEIR_GAME else [])
        for plan in simulated_nights(11, SHORT)
    ],
    ids=lambda plan: plan.setup.table,
)
def test_a_night_under_faults_at_every_edge_ends_right(plan: FaultyNightPlan) -> None:
    result = play_simulated(plan)
    check_right([result])
    assert len(result.came) > len(KINDS) // 2


@pytest.mark.full
@pytest.mark.timeout(600)
def test_every_kind_comes_often_enough() -> None:
    came = check_right([play_simulated(plan) for plan in simulated_nights(12, 5 * SHORT)])
    assert set(came) == {kind.name for kind in KINDS}
    assert min(came.values()) >= 20


def test_a_seed_plays_the_same_night_again() -> None:
    plan = next(simulated_nights(13, PER_NIGHT))
    assert replace(play_simulated(plan), processor_s=0.0) == replace(play_simulated(plan), processor_s=0.0)


def test_another_seed_plays_another_night() -> None:
    one, other = (play_simulated(next(simulated_nights(seed, 5))) for seed in (1, 2))
    assert one.digest != other.digest


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", QUICK)
def test_a_deliberate_bug_is_found(name: str) -> None:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)
    _, nights, wrong = time_to_find(mutant, 3)
    assert wrong
    assert nights <= 3


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", [mutant for mutant in MUTANTS if mutant.name not in QUICK], ids=lambda m: m.name)
def test_each_other_deliberate_bug_is_found_too(mutant: Mutant) -> None:
    assert time_to_find(mutant, 3)[2]


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    COMMAND.add(parser)
    return parser.parse_args(words)


def test_the_command_says_what_came_and_what_was_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert COMMAND.run(arguments("--faults", "5", "--seed", "4", "--processes", "1")) == 0
    said = capsys.readouterr().out
    assert "seed 4:" in said
    assert "0 events lost" in said


def test_a_night_that_went_wrong_is_named() -> None:
    extent = SimulationExtent()
    right = play_simulated(next(simulated_nights(4, 5)))
    for result in (right, replace(right, number=7, wrong=("lost",))):
        extent.add(result)
    assert list(extent.summary(4, 1.0))[-1].startswith("NOT as it must be in 1 nights")
    assert list(extent.summary(4, 1.0))[-1].endswith("--night 7")


def test_a_proof_is_refused_that_is_too_small_or_too_slow() -> None:
    names = [f"kind{number}" for number in range(60)]
    enough = SimulationExtent(
        nights=1_000, starts=7_000, came=Counter(dict.fromkeys(names, 2_000)),
        pairs=Counter(dict.fromkeys(combinations(names, 2), 1)),
    )  # fmt: skip
    assert list(enough.missing(599)) == []
    rare = replace(enough, came=enough.came + Counter(rare=1), starts=6_999)
    assert list(rare.missing(601)) == [
        "1 of the rarest kind, and a proof needs 500",
        "4999 restarts of a half, and a proof needs 5000",
        "10.0 minutes, and a proof takes 10 at the most on two processors",
    ]
    assert len(list(SimulationExtent().missing(1))) == 5
    assert COMMAND.run(arguments("--faults", "1", "--seed", "4", "--processes", "1", "--proof")) == 1


def test_an_unknown_kind_is_refused_with_the_way_to_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert COMMAND.run(arguments("--kinds", "earthquake")) == 2
    assert "no kind is called earthquake: see --list" in capsys.readouterr().err
    assert COMMAND.run(arguments("--list")) == 0
    assert "power_in_sync" in capsys.readouterr().out
