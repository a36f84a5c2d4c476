"""The rules core against the oracle, short form: `pitwarden oracle compare` is the long one."""

import argparse
from pathlib import Path
from typing import Final

import pytest

from pitwarden_tools.oracle.command import COMMAND, GAMES
from pitwarden_tools.oracle.compare import compare, differ, shortest
from pitwarden_tools.oracle.core import Cores, JudgingCore, Spoken
from pitwarden_tools.oracle.judge import opinions
from pitwarden_tools.oracle.mutation import sequence
from pitwarden_tools.oracle.tally import TallyJob, tallies, tally

SEQUENCES: Final = 30
DECIDED: Final = (
    "on kp.round_end: the core does not say CB-2",  # 51.10(e)1
    "on sh.card: the core does not say CB-16|CB-22|CB-35|CB-36|CB-38",  # 51.12: "all hands shall be void"
)
"""Differences that are decided against the core, until it is right."""


@pytest.mark.parametrize("game", GAMES.values())
@pytest.mark.parametrize("wild", [False, True])
def test_core_and_oracle_agree_wherever_the_texts_decide(game: str, wild: bool) -> None:  # noqa: FBT001  a parameter
    count = SEQUENCES // 2 if wild else SEQUENCES
    found = tally(TallyJob(game, 11, 0, count, wild))
    assert {kind for kind in found.kinds if not kind.startswith(DECIDED)} == set()
    assert found.lines > 8 * count


@pytest.mark.parametrize("game", GAMES.values())
def test_sequences_are_the_same_from_the_same_seed_and_not_all_alike(game: str) -> None:
    made = [sequence(game, 3, index) for index in range(20)]
    assert made == [sequence(game, 3, index) for index in range(20)]
    assert len({one.lines for one in made}) == len(made)
    assert {one.setup.keyed is None for one in made} == ({True} if game == "CR" else {True, False})


@pytest.mark.parametrize("game", GAMES.values())
def test_a_core_that_says_nothing_is_found_out(game: str) -> None:
    made = [sequence(game, 5, index) for index in range(60)]
    silent = [any(differ(one, [], [], game)[0] for one in opinions(night.setup, night.lines)) for night in made]
    assert sum(silent) > 5


@pytest.mark.parametrize("game", GAMES.values())
def test_an_invented_void_is_found_out(game: str) -> None:
    made = sequence(game, 5, 0)
    said = [Spoken("G-99", frozenset({"VOID"}))]
    quiet = [one for one in opinions(made.setup, made.lines) if not one]
    assert quiet
    assert all(differ(one, said, [], game)[1] for one in quiet)


def test_the_shortest_sequence_shows_the_same_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    advance = JudgingCore.advance

    def deaf(core: JudgingCore, line: str) -> list[Spoken]:
        return [one for one in advance(core, line) if one.id != "TAB-36"]

    monkeypatch.setattr(JudgingCore, "advance", deaf)
    cores = Cores()
    kind = "on sh.card: the core does not say TAB-36 RACK"
    nights = (sequence("TAB", 7, index) for index in range(200))
    made = next(one for one in nights if (d := compare(one, cores).difference) is not None and d.kind == kind)
    least = shortest(made, kind, cores, patience=60)
    found = compare(least, cores).difference
    assert found is not None
    assert found.kind == kind
    assert found.at == len(least.lines) - 1
    assert len(least.lines) < len(made.lines)


def test_the_command_says_how_much_was_judged(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    COMMAND.add(parser)
    args = parser.parse_args(["compare", "--game", "three-card-blitz", "--sequences", "3", "--seed", "1"])
    assert COMMAND.run(args) == 0
    assert "3 sequences" in capsys.readouterr().out


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_tools.oracle.tally.CHUNK", 5)
    monkeypatch.setattr(JudgingCore, "advance", lambda *_: [Spoken("TAB-36", frozenset({"VOID"}))])
    job, journal = TallyJob("TAB", 4, 0, 12), tmp_path / "done"
    whole = list(tallies(job, 1, None))
    assert any(one.kinds for one in whole)
    for _ in zip(range(2), tallies(job, 1, journal), strict=False):
        pass
    kept = journal.read_text().splitlines()
    assert list(tallies(job, 1, journal)) == whole
    assert journal.read_text().splitlines()[: len(kept)] == kept
    assert len(journal.read_text().splitlines()) == 3
