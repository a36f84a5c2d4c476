"""The benchmark runs, and its intervals hold what they should; long forms are the command's."""

import json

import pytest

from pitwarden.cli.main import main
from pitwarden_simulators.bench.numbers import ratio, spread


def test_a_median_stands_in_its_interval() -> None:
    one = spread([float(number) for number in range(1, 102)])
    assert (one.median, one.p99) == (51, 100)
    assert one.low < 51 < one.high
    assert one.high - one.low < 25


def test_a_ratio_is_that_of_the_medians_and_repeats_itself() -> None:
    theirs = [float(number) for number in range(10, 60)]
    ours = [2 * each for each in theirs]
    made = ratio(ours, theirs)
    assert made.median == made.p99 == 2
    assert made.low <= 2 <= made.high
    assert made == ratio(ours, theirs)


def test_a_short_run_says_what_it_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "journal", "--rounds", "2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["journal"]["bare SQLite"]["ratio"]["median"] == 1
    assert said["journal"]["journal, 10 tables"]["median"] > 0


def test_an_unknown_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "speed"]) == 2
    assert "sections are judge, journal, verdict, cost" in capsys.readouterr().err
