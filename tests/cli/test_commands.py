"""The command line as a person meets it: sentences, exit codes, no traceback for a mistake."""

import argparse
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from pitwarden.cli.acts import known_acts, parse_act
from pitwarden.cli.main import BY_ROLE, build_parser, find_commands, main
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.dealer_play import KpBoxes
from pitwarden_client.events.floor import FloorAct, FtInspect, FtSettleNote
from testkit.clocks.waiting import PATIENCE_S
from testkit.tables.table_file import SMALL, USUAL, small_table

TABLE = SMALL.format(**USUAL)
EXAMPLES = Path(__file__).parents[2] / "config"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return small_table(tmp_path)


def test_help_lists_each_command_once_below_the_role_that_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    listed = re.findall(r"^  ([a-z][a-z-]*) ", said, re.MULTILINE)
    assert sorted(listed) == sorted(one.name for one in find_commands())
    assert "further commands" not in said, "a command of ours has no role"
    assert set(re.findall(r"^([a-z ]+)(?::.*)?:$", said, re.MULTILINE)) == {
        title.partition(":")[0] for title in BY_ROLE
    }
    assert max(map(len, said.splitlines())) <= 80


def test_commands_of_an_unknown_package_follow_at_the_end_and_absent_ones_are_not_listed() -> None:
    class Other:
        name = "other"
        help = "does something else"

        def add(self, parser: argparse.ArgumentParser) -> None:
            """Declare no arguments."""

        def run(self, _args: argparse.Namespace) -> int:
            return 0

    said = build_parser([Other()]).format_help()
    assert said.splitlines()[-4:-1] == ["further commands:", "  other         does something else", ""]
    assert "technician" not in said


def test_check_config_prints_what_is_in_force(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", "--long", str(file)]) == 0
    assert '"stale_after_ms": 3000' in capsys.readouterr().out


def test_check_config_prints_a_summary_that_fits_a_screen(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-config", str(file)]) == 0
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"{file}: valid"
    assert len(rest) < 20
    heads = [line.split()[0] for line in rest]
    assert heads[:4] == ["table", "decks", "gaming", "broker"]
    assert "attested     G-05, G-11" in rest
    assert any(line.startswith("device       shoe: serial ") for line in rest)
    assert main(["check-config", "--quiet", str(file)]) == 0
    assert capsys.readouterr().out == ""


def test_a_table_without_its_attestations_is_refused_with_key_and_clause(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(TABLE.split("[attestations.G-11]", maxsplit=1)[0])
    assert main(["check-config", str(file)]) == 78
    said = capsys.readouterr().err
    assert "attestations.G-11: is missing" in said
    assert "(G-11: 13:69E-1.19(d) to (f))" in said


def test_an_attestation_in_the_future_is_refused_at_its_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TABLE.replace("on = 2020-01-01", "on = 9020-01-01", 1))
    assert main(["check-config", str(file)]) == 78
    assert "table.toml:23  attestations.G-05.on: it is attested on 9020-01-01" in capsys.readouterr().err


def test_a_game_asks_for_a_switch_without_a_safe_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blitz = (EXAMPLES / "three-card-blitz.toml").read_text()
    (tmp_path / "table.toml").write_text(blitz.replace("manual_deal =", "# manual_deal ="))
    assert main(["check-config", str(tmp_path / "table.toml")]) == 78
    said = capsys.readouterr().err
    assert 'rules.manual_deal: is missing: say "rounds" or "hands"; it decides whose cards are shown' in said
    assert "(CB-24: 13:69F-51.7(d), 13:69F-51.10(a))" in said


def test_every_command_refuses_a_wrong_file_alike(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TABLE.replace("serial", "seriall"))
    said = []
    for words in (
        ["check-config", str(file)],
        ["keys", str(file)],
        ["run", "--config", str(file)],
        ["input", "--config", str(file), "--role", "dealer", "kp.deal"],
    ):
        assert main(words) == 78
        said.append(capsys.readouterr().err)
    assert len(set(said)) == 1
    assert "seriall: is no known key (did you mean serial?)" in said[0]


def test_a_bare_tty_on_a_real_table_is_refused_with_advice(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TABLE.replace("simulated = true", "").replace("/nowhere/shoe", "/dev/ttyUSB0"))
    assert main(["check-config", str(file)]) == 78
    assert "/dev/serial/by-id/" in capsys.readouterr().err


def refused_at_start(file: Path, code: int) -> str:
    """Return the output of `pitwarden run` that ends before it is ready."""
    result = subprocess.run(
        [sys.executable, "-m", "pitwarden.cli", "run", "--config", str(file)],
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    return result.stderr


def test_run_without_keys_names_the_command_that_makes_them(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "pitwarden keys" in refused_at_start(file, 78)
    assert main(["keys", str(file)]) == 0
    assert "verify key" in capsys.readouterr().out


def test_run_with_a_key_that_others_may_read_opens_nothing(file: Path) -> None:
    assert main(["keys", str(file)]) == 0
    (file.parent / "keys/judge.key").chmod(0o644)
    assert "judge.key: mode 0644 lets others use the key" in refused_at_start(file, 78)
    assert not (file.parent / "journals").exists()


def test_run_with_a_file_where_journals_should_be_says_so(file: Path) -> None:
    assert main(["keys", str(file)]) == 0
    (file.parent / "journals").write_text("")
    assert "journals: File exists. Make it a folder" in refused_at_start(file, 1)


def test_keys_that_exist_stay(file: Path) -> None:
    assert main(["keys", str(file)]) == 0
    before = [(path.name, path.read_bytes()) for path in sorted((file.parent / "keys").iterdir())]
    assert main(["keys", str(file)]) == 0
    assert [(path.name, path.read_bytes()) for path in sorted((file.parent / "keys").iterdir())] == before
    private = list((file.parent / "keys").glob("*.key"))
    assert {"field.key", "judge.key"} <= {path.name for path in private}
    assert [path.name for path in private if path.stat().st_mode & 0o077] == []


def test_input_without_a_broker_is_a_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["input", "--config", str(file), "--role", "dealer", "kp.deal"]) == 1
    assert "no answer: no connection to 127.0.0.1:1" in capsys.readouterr().err


def test_input_names_the_nearest_act(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["input", "--config", str(file), "--role", "dealer", "kp.boxs", "boxes=[1]"]) == 2
    assert "did you mean kp.boxes?" in capsys.readouterr().err


@pytest.mark.parametrize(("former", "name"), [("say", "input"), ("order", "command"), ("judge", "scenario")])
def test_a_former_name_is_accepted_and_not_listed(former: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([former, "--help"])
    assert ended.value.code == 0
    assert f"usage: pitwarden {name} " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = re.findall(r"^  ([a-z][a-z-]*) ", capsys.readouterr().out, re.MULTILINE)
    assert name in listed
    assert former not in listed


def test_a_word_of_another_command_is_not_taken_for_a_former_name(file: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", str(file), "--only", "order"])
    assert ended.value.code == 2


def test_words_become_acts() -> None:
    assert parse_act("kp.boxes", ["boxes=[1,2]"]) == KpBoxes(boxes=(1, 2))
    assert parse_act("ft.inspect", ["device=shoe", "ok=true"]) == FtInspect(device="shoe", ok=True)
    note = parse_act("ft.settle_note", ["irregularity=e1-4-0", "ruling=seen, all correct"])
    assert note == FtSettleNote(irregularity="e1-4-0", ruling="seen, all correct")
    assert set(known_acts()) == {act.model_fields["act"].default for act in (*get_args(DealerAct), *get_args(FloorAct))}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["1,2"], "write key=value"),
        (["boxes=9"], "kp.boxes: boxes: input should be a valid"),
        (["boxes=[9]"], "kp.boxes: boxes.0: input should be less than or equal to"),
        (["boxs=[1]"], r"kp.boxes: boxs is no argument \(did you mean boxes=\?\)"),
        (["colour=red"], "kp.boxes: colour is no argument: it has boxes"),
        ([], "kp.boxes: boxes is missing: write boxes=..."),
    ],
)
def test_words_that_are_no_act_say_why(words: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_act("kp.boxes", words)


def test_a_yes_or_no_is_asked_for_by_its_words() -> None:
    with pytest.raises(ValueError, match=r"ft\.inspect: ok: write true or false"):
        parse_act("ft.inspect", ["device=shoe", "ok=maybe"])
