"""`pitwarden setup` as a dialogue: its questions, answers that are asked for again, and input that ends."""

from datetime import date
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden.cli.table_file import external_checks
from pitwarden.config.loading import load_table_file
from pitwarden.installation.offers import offered_games
from pitwarden.installation.questions import OfferedDevice, Questionnaire
from pitwarden.installation.table_text import table_text

EXAMPLES = Path(__file__).parents[2] / "config"
DEVICES = [
    OfferedDevice("shoe", "S-7", "/dev/serial/by-id/usb-Example_Dealing_Shoe_S-7-if00-port0", "2.1"),
    OfferedDevice("shuffler", "F-7", "/dev/serial/by-id/usb-Example_Shuffler_F-7-if00-port0", "3.0"),
    OfferedDevice("shuffler", "F-8", "/dev/serial/by-id/usb-Example_Shuffler_F-8-if00-port0", "3.0"),
    OfferedDevice("reader", "R-7", "/dev/serial/by-path/pci-0000:00:14.0-usb-0:4:1.0-port0", "1.0"),
]


def test_ten_questions_and_every_slip_asked_again_lead_to_a_table(tmp_path: Path) -> None:
    replies = iter(
        ["", "harbor", "99", "7", "six", "6", "maybe", "y", "IC-12, IC-13, IC-14", "y", "n", "J. Rivera", "yesterday",
         "2024-05-06", "10.1.2.3"]
    )  # fmt: skip
    asked: list[str] = []
    told: list[str] = []

    def reply(question: str) -> str:
        asked.append(question)
        return next(replies)

    questions = Questionnaire(reply, told.append, date(2026, 11, 29))
    answers = questions.answers("ta07", offered_games(EXAMPLES), DEVICES)
    assert len(set(asked)) <= 10
    assert {"Please answer y or n.", "Please write a number from 1 to 7.", "Please write the day as YYYY-MM-DD."} < set(
        told
    )
    file = tmp_path / "ta07.toml"
    file.write_text(table_text(answers, lambda place: load_table_file(place, external_checks(), {})))
    table = load_table_file(file, external_checks(), {})
    assert {name: device.serial for name, device in table.devices.items()} == {
        "shoe": "S-7", "shuffler": "F-7", "reader": "R-7",
    }  # fmt: skip
    assert table.devices["reader"].player_visible is False
    assert table.devices["shuffler"].procedure == "IC-13"
    assert answers.setup.pit == ("10.1.2.3",)


def test_without_devices_the_technician_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    replies = iter(["harbor", "7", "6", "J. Rivera", "2024-05-06", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(replies))
    monkeypatch.setattr("pitwarden.cli.setup.serial_lines", lambda _: [])
    monkeypatch.setattr("pitwarden.cli.setup.interfaces", lambda _: [])
    assert main(["setup", "ta07", "--root", str(tmp_path), "--examples", str(EXAMPLES)]) == 78
    said = capsys.readouterr()
    assert "No device answers. Plug them in" in said.out
    assert "devices: is missing" in said.err


def test_input_that_ends_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", end)
    assert main(["setup", "ta07", "--root", str(tmp_path), "--examples", str(EXAMPLES)]) == 78
    assert "give the answers with --answers FILE" in capsys.readouterr().err
    assert main(["setup", "ta07", "--root", str(tmp_path), "--examples", str(tmp_path)]) == 78
    assert "has no examples of games" in capsys.readouterr().err
