"""The files of captures: what is none is named with its line, and what cannot be replayed with its reason."""

from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden_drivers import errors
from pitwarden_drivers import errors as faults
from pitwarden_drivers.capture.format import CaptureFormatError, CaptureStep, parse_capture
from pitwarden_drivers.capture.replay import FAULT_WORDS, CaptureReplay
from pitwarden_drivers.registry import find_driver

HEAD = "".join(f"# {key}: {value}\n" for key, value in (
    ("device", "x"), ("driver", "tdp"), ("family", "shoe"), ("serial", "N42"), ("firmware", ""), ("simulated", "no"),
    ("who", "x"), ("when", "x"), ("how", "x"), ("starts", "0"),
))  # fmt: skip
TITLE = "# pitwarden capture 1\n"


def test_what_is_longer_than_a_capture_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwarden_drivers.capture.format.MAX_BYTES", 10)
    with pytest.raises(CaptureFormatError, match="longer than 10 bytes"):
        parse_capture("x", TITLE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x:1: a capture begins with"),
        (f"{TITLE}0 open 0 0\n", "`device` is missing"),
        (f"{TITLE}{HEAD}# colour: red\n0 open 0 0\n", "`colour` is no known key"),
        (f"{TITLE}{HEAD.replace('simulated: no', 'simulated: maybe')}0 open 0 0\n", "yes or no"),
        (f"{TITLE}{HEAD}0 < 00\n", "begins with the opening"),
        (f"{TITLE}{HEAD}5 open 0 0\n\n4 tick\n", "x:14: .* never less"),
        (f"{TITLE}{HEAD}0 open 0 0\n4 tock\n", "x:13: a step is one of"),
        (f"{TITLE}{HEAD}0 open 0 0\n4 < 0g\n", "x:13: bytes are hexadecimal"),
        (f"{TITLE}{HEAD}0 open zero 0\n", "x:12: .*positions are numbers"),
    ],
)
def test_a_file_that_is_no_capture_is_named_with_its_line(text: str, words: str) -> None:
    with pytest.raises(CaptureFormatError, match=words):
        parse_capture("x", text)


def test_what_cannot_be_replayed_ends_with_78(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.capture"
    assert main(["capture", "replay", str(path)]) == 78
    path.write_text(f"{TITLE}{HEAD.replace('driver: tdp', 'driver: tpd')}0 open 0 0\n")
    assert main(["capture", "replay", str(path)]) == 78
    path.write_text(f"{TITLE}{HEAD.replace('family: shoe', 'family: wheel')}0 open 0 0\n")
    assert main(["capture", "replay", str(path)]) == 78
    assert [line.split(":")[-1].strip() for line in capsys.readouterr().err.splitlines()][-1].startswith("'wheel'")


def test_a_dialogue_that_ended_is_said_and_what_came_after_it_went_nowhere() -> None:
    capture = parse_capture("x", f"{TITLE}{HEAD}0 open 0 0\n6000 tick\n6001 < 7e\n")
    replay = CaptureReplay(capture, find_driver("tdp"))
    assert next(line.split(":")[0] for line in replay.lines()) == "6000 DeviceSilent"


def test_the_words_for_faults_are_those_of_blessed_lines() -> None:
    assert sorted(FAULT_WORDS.values()) == [
        "DeviceSilent", "IdentityMismatch", "LineChanged", "LinkLost", "NotAccepting", "PortBusy", "PortUnavailable",
        "PortUnsuitable",
    ]  # fmt: skip
    assert set(FAULT_WORDS) == {each for each in vars(faults).values() if isinstance(each, type)} - {errors.DeviceError}


def test_a_step_shows_no_bytes() -> None:
    assert "7e" not in repr(CaptureStep(0, "<", ("7e",)))
