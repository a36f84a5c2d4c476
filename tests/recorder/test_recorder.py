"""The recorder reports any other output or state, and can permit other sentences."""

import json
from pathlib import Path

import pytest

from pitwarden.scenario import parse_scenario, play_scenario
from pitwarden_tools.__main__ import main
from pitwarden_tools.recorder.recording import differences, explained

NIGHT = """\
title: a stray ten and its destruction
cites: 19:47-36.14(b)
game: TAB
boxes: 2
---
open
round
kp.ten -> TAB-37 DESTROY
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("scenarios")
    (made / "night.scn").write_text(NIGHT)
    return made


@pytest.fixture(scope="module")
def recording(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("recordings") / "old.jsonl"
    assert main(["recorder", str(made), "--scenarios", str(folder)]) == 0
    return made


def test_a_recording_holds_every_row_with_outputs_and_state(recording: Path) -> None:
    heard: list[tuple[int, int]] = []
    scenario = parse_scenario(NIGHT, "night.scn")
    play_scenario(scenario, lambda entry, _state, said: heard.append((entry.number, len(said))))
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    of_scenario = [line for line in lines if line["log"] == "night.scn"]
    assert [(line["row"], len(line["outputs"])) for line in of_scenario] == heard
    assert any(one["catalogue"] == "TAB-37" for line in of_scenario for one in line["state"].get("irregularities", ()))
    assert len({line["log"] for line in lines}) == 6, "the scenario and five nights"


@pytest.mark.parametrize("options", [(), ("--same-verdicts",)])
def test_another_wording_is_found_unless_it_is_permitted(
    options: tuple[str, ...], recording: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text(recording.read_text().replace("A 10 was found", "A ten was found"))
    command = ["recorder", str(new), "--scenarios", str(folder), "--against", str(old), *options]
    assert main(command) == (0 if options else 1)
    assert ("A ten was found" in capsys.readouterr().out) is not bool(options)
    assert new.read_text() == recording.read_text(), "the same rules give the same bytes"


def test_another_verdict_and_a_missing_row_are_no_other_wording() -> None:
    line = json.dumps({"log": "a", "row": 1, "outputs": [{"verdicts": ["HOLD"], "sentence": "s"}], "state": {}})
    other = line.replace("HOLD", "VOID")
    assert list(differences([line], [line.replace('"s"', '"t"')], words=False)) == []
    assert list(differences([line], [other], words=False)) == [(line, other)]
    assert list(differences([line], [line, other], words=False)) == [("", other)]
    assert explained("", other).startswith("only in the later recording")
    assert explained(line, "").startswith("only in the earlier recording")
    assert explained(line, other).startswith("a row 1: outputs: ")
