"""`pitwarden scenario`: what is printed, and the exit code."""

import argparse
import json
from pathlib import Path

import pytest

from pitwarden.cli.judge import COMMAND

HONEST = "title: an honest round\ncites: 19:47-36.7\ngame: TAB\nboxes: 2\ncovers: TAB-13\n---\nopen\nround\n"


@pytest.fixture
def write(tmp_path: Path) -> Path:
    return tmp_path / "night.scn"


def judge(*args: str) -> int:
    parser = argparse.ArgumentParser()
    COMMAND.add(parser)
    made = parser.parse_args(args)
    return COMMAND.run(made)


def test_all_as_expected(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST)
    assert judge(str(write)) == 0
    said = capsys.readouterr().out
    assert "2 lines, all as expected" in said
    assert "10:00:00  open" in said


def test_what_was_expected_in_vain(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "round -> TAB-36 RACK; refused TAB-08\n")
    assert judge(str(write)) == 1
    said = capsys.readouterr().out
    assert "!! expected, but not said: TAB-36 RACK" in said
    assert "!! expected, but not said: refused TAB-08" in said
    assert "1 of 3 lines are not as expected" in said


def test_what_refers_to_nothing(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "ack TAB-36\nround\n")
    assert judge(str(write)) == 1
    assert "!! no TAB-36 was found before this line (found: none)" in capsys.readouterr().out
    write.write_text(HONEST + "retract kp.double\n")
    assert judge(str(write)) == 1
    assert "!! nobody has keyed kp.double before this line" in capsys.readouterr().out


def test_time_that_runs_backwards(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "@09:00 sh.cut\n")
    assert judge(str(write)) == 1
    assert "!! time runs backwards here" in capsys.readouterr().out


def test_no_scenario(write: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "rond\n")
    other = tmp_path / "good.scn"
    other.write_text(HONEST)
    assert judge(str(write), str(other)) == 2
    out, err = capsys.readouterr()
    assert "night.scn:9: 'rond' is no event (did you mean round?)" in err
    assert "all as expected" in out
    assert judge(str(tmp_path / "none.scn")) == 2
    assert "none.scn: cannot be read: No such file or directory" in capsys.readouterr().err
    write.write_bytes(b"\xff\xfe")
    assert judge(str(write)) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("positions: 5", "has no table of 5 positions"),
        ("options: grace=1", "'grace' is no switch of the house"),
        ("options: reader_timeout_ms=soon", "reader_timeout_ms: "),
        ("options: face_up_scope=night", "face_up_scope: "),
    ],
)
def test_a_table_that_the_rules_refuse(write: Path, capsys: pytest.CaptureFixture[str], header: str, said: str) -> None:
    write.write_text(f"title: a table\ngame: TAB\n{header}\n---\nsh.cut\n")
    assert judge(str(write)) == 2
    assert said in capsys.readouterr().err


def test_expanded(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST)
    assert judge("--expand", str(write)) == 0
    said = capsys.readouterr().out
    assert "sf.done A 384" in said
    assert said.count("kp.bonus_settled") == 2


def test_json_lines(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "round -> TAB-36 RACK\n")
    assert judge("--json", str(write)) == 1
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert {"file", "line", "at", "event", "outputs"} == set(rows[0])
    assert rows[-1]["agrees"] is False
    assert rows[-1]["lines"][0]["missing"] == ["TAB-36 RACK"]


def test_a_file_that_expects_nothing_only_asks(write: Path) -> None:
    write.write_text("title: what would the judge say?\ngame: TAB\n---\nsh.card 9H\n")
    assert judge(str(write)) == 0


def test_what_was_said_unexpectedly_stands_with_its_clause(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST + "kp.boxes 1 2\nkp.deal\nsh.card 10D\nsh.card 9C -> no reveal\n")
    assert judge("--json", str(write)) == 1
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    (said,) = [row for row in rows if row.get("event") == "sh.card 10D"]
    assert [one["kind"] for one in said["outputs"]] == ["irregularity", "reveal"]
    assert said["outputs"][1]["face"] == "10D"
    assert judge(str(write)) == 1
    text = capsys.readouterr().out
    assert "!! said, but not expected: TAB-37 DESTROY HOLD [13:69F-36.14(b); text]" in text
    assert "reveal found 10D" in text


def test_the_reveals_of_a_macro_are_shown_when_expanded(write: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write.write_text(HONEST)
    judge(str(write))
    assert "reveal box" not in capsys.readouterr().out
    judge("--expand", str(write))
    assert "reveal dealer.2" in capsys.readouterr().out
