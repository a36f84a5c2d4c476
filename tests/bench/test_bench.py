"""The benchmark runs, and its intervals hold what they should; long forms are the command's."""

import json
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from pitwarden_tools.__main__ import main
from pitwarden_tools.bench import tables
from pitwarden_tools.bench.baselines import NoCFloorError, in_c
from pitwarden_tools.bench.judging import LOOKS
from pitwarden_tools.bench.numbers import ratio, spread
from pitwarden_tools.bench.profiled import STAGES, Costs
from pitwarden_tools.bench.traced import STAGES as STAGES_OF_A_VERDICT
from pitwarden_tools.bench.traced import key
from testkit.brokers.mosquitto import mosquitto


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
    assert said["journal"]["fold"]["median"] > 0


@pytest.mark.full
@pytest.mark.broker
async def test_tables_are_judged_alone_with_their_journal_and_through_mqtt(tmp_path: Path) -> None:
    said = await tables.measured(mosquitto(), tmp_path, 1, (1, 3))
    assert list(said) == [
        tables.BASE, "with the journal, 1", "through MQTT, 1", "with the journal, 3", "through MQTT, 3",
    ]  # fmt: skip
    assert all(len(rates) == 1 and rates[0] > 0 for rates in said.values())


@pytest.mark.full
def test_the_judge_says_what_it_costs_and_where_its_time_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "judge", "--rounds", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    figures, profile = said["judge"], said["profile"]
    assert {"decode", "step", "decode+step", "decode+step, switch-hands"} <= set(figures)
    assert figures["decode+step"]["ratio"]["median"] > 0
    assert profile["looks"] >= LOOKS
    assert sum(profile["stages"].values()) == pytest.approx(1)
    assert {"decoding", "moves", "checks"} <= set(profile["stages"])


def test_the_stages_that_time_is_counted_for_are_functions_of_the_daemon() -> None:
    places = [name.rpartition(".") for name in STAGES]
    assert all(callable(getattr(import_module(module), name)) for module, _, name in places)


def test_the_profile_names_the_three_largest_costs() -> None:
    lines = Costs(40, {"moves": 0.5, "decoding": 0.3, "checks": 0.15, "duties": 0.05}, {"a.b": 0.2}).lines()
    assert "  the three largest: moves 50%, decoding 30%, checks 15%" in lines


def test_an_unknown_section_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "speed"]) == 2
    assert "sections are judge, tables, journal, verdict, timeline, cost" in capsys.readouterr().err


def test_without_a_compiler_there_is_no_floor_in_c_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCFloorError, match="no C compiler"):
        in_c(tmp_path / "c")


def test_every_stage_of_the_timeline_is_a_function_that_is_there() -> None:
    for stage in STAGES_OF_A_VERDICT:
        module, _, path = stage.place.partition(":")
        assert callable(attrgetter(path)(import_module(module))), stage.place
    assert len({(key(stage), stage.name) for stage in STAGES_OF_A_VERDICT}) == len(STAGES_OF_A_VERDICT)
