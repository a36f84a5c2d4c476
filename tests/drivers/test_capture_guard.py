"""What may be recorded: no card-reading device of an open table."""

import json
import sqlite3
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from testkit.journals.stored_night import file

__all__ = ["file"]
RECORD = ["capture", "record", "--seconds", "0.5", "--how", "x"]
PLACE = "/dev/serial/by-id/nothing"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("shoe", "N1", PLACE), 78, "not closed"),
        (("reader", "N2", "/dev/serial/by-id/shoe"), 78, "not closed"),
        (("shuffler", "N1", PLACE), 78, "not closed"),
        (("shuffler", "N2", "/dev/serial/by-id/shoe"), 78, "not closed"),
        (("shuffler", "N2", PLACE), 1, "lost"),
        (("shoe", "N2", PLACE), 1, "lost"),
        (("shoe", "N2", "/dev/ttyUSB0"), 78, "another device after the next start"),
        (("shoe", "N2", PLACE, "--driver", "tpd"), 78, "did you mean 'tdp'"),
    ],
)
def test_a_card_reading_device_of_an_open_table_is_not_recorded(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, said: str
) -> None:
    file.write_text(file.read_text().replace("simulated = true\n", "").replace("/nowhere", "/dev/serial/by-id"))
    out = file.parent / "out.capture"
    family, serial, port, *more = words
    argv = [*RECORD, "--family", family, "--serial", serial, "--port", port, *more, "--config", str(file)]
    assert main([*argv, "--out", str(out)]) == code
    assert said in capsys.readouterr().err
    assert out.exists() == (code == 1)


@pytest.mark.parametrize("place", ["hid://1209:0002/S-9", "usb://1209:0002/S-9?port=1-2"])
def test_a_usb_device_is_the_same_under_each_of_its_places(
    file: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    text = file.read_text().replace("simulated = true\n", "")
    file.write_text(text.replace("/nowhere/shoe", "hid://1209:0002/S-9?port=1-2"))
    argv = [*RECORD, "--family", "shuffler", "--serial", "N2", "--port", place, "--config", str(file)]
    assert main([*argv, "--out", str(file.parent / "x")]) == 78
    assert "not closed" in capsys.readouterr().err


def test_a_closed_table_lets_its_shoe_be_recorded(file: Path) -> None:
    file.write_text(file.read_text().replace("simulated = true\n", "").replace("/nowhere", "/dev/serial/by-id"))
    log = file.parent / "journals/field.sqlite"
    words = ["--family", "shoe", "--serial", "N1", "--port", PLACE]
    argv = [*RECORD, *words, "--config", str(file), "--out", str(file.parent / "x")]
    with sqlite3.connect(log) as sql:
        for place, body in sql.execute("SELECT place, body FROM row").fetchall():
            row = json.loads(body)
            if row["data"].get("act", {}).get("act") == "ft.table_open":
                row["data"]["act"] = {"act": "ft.table_close", "locked": True}
                sql.execute("UPDATE row SET body = ? WHERE place = ?", (json.dumps(row).encode(), place))
    sql.close()
    assert main(argv) == 1
    log.write_bytes(b"not a journal")
    assert main(argv) == 78
    log.unlink()
    assert main(argv) == 1
