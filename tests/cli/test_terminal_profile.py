"""Terminals join with a profile: what it must be, and how commands take it."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.terminal_profile import ProfileFileError, load_profile_file
from testkit.tables.table_file import small_table

PROFILE = """
[profile]
table = "harbor/ta07"
role = "floor"
terminal = "ta07-floor"
broker = "mqtts://10.1.2.3"
ca = "site-ca.crt"
cert = "ta07-floor.crt"
key = "ta07-floor.key"
"""


def test_paths_begin_at_the_folder_of_the_profile(tmp_path: Path) -> None:
    file = tmp_path / "profile.toml"
    file.write_text(PROFILE)
    profile = load_profile_file(file)
    assert (profile.broker.host, profile.broker.port) == ("10.1.2.3", 8883)
    assert profile.broker.cert == tmp_path / "ta07-floor.crt"
    assert (profile.site, profile.table, profile.role) == ("harbor", "ta07", "floor")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('broker = "mqtts://10.1.2.3"', 'broker = "10.1.2.3"', "profile.broker: write mqtt://HOST"),
        ('broker = "mqtts://10.1.2.3"', 'broker = "mqtts://10.1.2.3:x"', "profile.broker: write mqtt://HOST"),
        ('broker = "mqtts://10.1.2.3"', "", "profile.broker: is missing"),
        ('ca = "site-ca.crt"', "", "profile.ca: is missing"),
        ('role = "floor"', 'roll = "floor"', "profile.roll: is no known key"),
        ("mqtts://", "mqtt://", "profile.broker: with certificates write mqtts://"),
        ('role = "floor"', 'role = "boss"', "profile.role"),
        ('table = "harbor/ta07"', 'table = "harbor"', "profile.toml: "),
        ("[profile]", "[profile", "profile.toml: "),
    ],
)
def test_a_wrong_profile_is_refused_with_its_place(
    old: str, new: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.toml"
    file.write_text(PROFILE.replace(old, new))
    with pytest.raises(ProfileFileError, match=reason):
        load_profile_file(file)
    assert main(["tail", "--profile", str(file)]) == 78
    assert main(["input", "--profile", str(file), "kp.deal"]) == 78
    assert main(["input", "--profile", str(file), "acts"]) == 78
    assert reason in capsys.readouterr().err


def test_a_profile_that_is_not_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "--profile", str(tmp_path / "none.toml")]) == 78
    assert "cannot be read" in capsys.readouterr().err


def test_input_without_a_table_or_act_says_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "profile.toml").write_text(PROFILE.replace('role = "floor"\n', ""))
    assert main(["input", "kp.deal"]) == 2
    assert main(["input", "--profile", str(tmp_path / "profile.toml")]) == 2
    assert main(["input", "--profile", str(tmp_path / "profile.toml"), "kp.deal"]) == 2
    table, act, role = capsys.readouterr().err.splitlines()
    assert table.startswith("which table? Write --profile FILE, --config FILE, or --broker")
    assert act == "which act? `pitwarden input --acts` lists them"
    assert role == "which role? Write --role, one of dealer, floor, supervisor"


def test_every_act_is_listed_with_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["input", "--acts", "--role", "dealer"]) == 0
    said = capsys.readouterr().out
    assert "kp.boxes boxes=...\n" in said
    assert "ft.inspect" not in said
    assert main(["input", "--acts"]) == 0
    said = capsys.readouterr().out
    assert "ft.inspect device=... ok=...\n    The floorperson" in said
    assert main(["say", "acts"]) == 0
    assert capsys.readouterr().out == said


def test_the_acts_of_a_table_are_those_of_its_game_that_are_keyed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = small_table(tmp_path)
    assert main(["input", "acts", "--config", str(file)]) == 0
    listed = capsys.readouterr().out
    assert "kp.boxes boxes=..." in listed
    assert "kp.dice" not in listed
    file.write_text(file.read_text() + '\n[inputs]\nkeyed = ["kp.deal"]\n')
    assert main(["input", "acts", "--config", str(file), "--role", "dealer"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[0] != " "] == ["kp.deal"]
    file.write_text("[table")
    assert main(["input", "acts", "--config", str(file)]) == 78


def listed(capsys: pytest.CaptureFixture[str]) -> tuple[set[str], str]:
    """Return the acts that were listed, and what was printed as an error."""
    said = capsys.readouterr()
    return {line.split()[0] for line in said.out.splitlines() if not line.startswith(" ")}, said.err


def test_a_profile_lists_the_acts_of_its_role_that_are_keyed_at_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.toml"
    file.write_text(PROFILE.replace('role = "floor"', 'role = "dealer"\ngame = "craps"'))
    assert main(["say", "acts", "--profile", str(file)]) == 0
    craps, err = listed(capsys)
    assert "kp.dice" in craps
    assert "ft.inspect" not in craps, "the profile's role is the dealer"
    assert err == ""
    assert main(["say", "acts", "--profile", str(file), "--role", "floor"]) == 0
    assert "ft.inspect" in listed(capsys)[0]
    file.write_text(file.read_text().replace("craps", "triple-attack-blackjack"))
    assert main(["say", "acts", "--profile", str(file)]) == 0
    assert "kp.dice" not in listed(capsys)[0]
    file.write_text(file.read_text() + 'keyed = ["kp.deal"]\n')
    assert main(["say", "acts", "--profile", str(file)]) == 0
    assert listed(capsys)[0] == {"kp.deal"}


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("", 'profile.toml does not name the game: write game = "..."'),
        ('game = "crasp"', "profile.game: 'crasp' is no game profile (did you mean craps?)"),
    ],
)
def test_a_profile_without_its_game_lists_the_acts_of_all_games_and_how_to_get_those_of_the_table(
    game: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profile.toml"
    file.write_text(f"{PROFILE}{game}\n")
    assert main(["say", "acts", "--profile", str(file)]) == 0
    acts, err = listed(capsys)
    assert {"ft.ten_destroyed", "ft.inspect"} <= acts
    assert err.startswith("these are the acts of all games; ")
    assert reason in err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--broker", "mqtts://h", "--ca", "x", "--cert", "c"], "--cert and --key go together"),
        (["--broker", "mqtt://h", "--cert", "c", "--key", "k"], "--cert is for a broker at mqtts://"),
    ],
)
def test_certificates_of_a_consumer_go_together(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tail", "--table", "harbor/ta07", *words]) == 2
    assert reason in capsys.readouterr().err
    assert main(["input", "--table", "harbor/ta07", *words, "--role", "floor", "ft.ten_destroyed"]) == 2
    assert reason in capsys.readouterr().err


def test_an_input_goes_to_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "profile.toml").write_text(PROFILE)
    at = ["--table", "harbor/ta08", "--broker", "mqtt://127.0.0.1:1"]
    assert main(["input", "--profile", str(tmp_path / "profile.toml"), *at, "kp.deal"]) == 2
    assert "an input goes to one table" in capsys.readouterr().err
