"""`pitwarden map test`: what a device's lines would become, shown to whoever writes the map."""

import io
import os
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from testkit.devices.map_sessions import MAPS, SCANNER, SHUFFLER, edited
from testkit.devices.serial_protocols import PolledShuffler


def test_map_test_shows_line_by_line_what_would_be_published(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read, write = os.pipe()
    os.write(write, b"SCANNER S-2001 REV B2\r\n10D17\r\nCUTCARD\r\nhello\r\n\xff\xff\r\nlast")
    os.close(write)
    with os.fdopen(read, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stdin))
        assert main(["map", "test", str(SCANNER)]) == 0
    shown = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert ["'10D17'", "shoe.card face=sealed"] in shown
    assert ["'CUTCARD'", "shoe.cut"] in shown
    assert ["'last'", "unknown"] in shown
    assert any("1 lines rejected" in " ".join(words) for words in shown)


def shown_for(
    file: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """Return what `map test` prints for `data` on standard input, without the line about the test block."""
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    with os.fdopen(read, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stdin))
        assert main(["map", "test", str(file)]) == 0
    return capsys.readouterr().out.splitlines()[1:]


def test_map_test_prints_the_checksum_that_a_line_should_have(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"DONE A N=52*00\nDONE A\n" + b"A" * 300 + b"\nID F-0007 FW 2.1*7D\n"
    wrong, bare, long, identity = shown_for(SHUFFLER, data, monkeypatch, capsys)
    assert wrong.endswith("bad checksum: computed 35")
    assert bare.endswith("bad checksum: no body and checksum as the pattern of [checksum] asks")
    assert long.endswith("longer than 200 bytes")
    assert identity.endswith("identity: serial F-0007, firmware 2.1")


def test_map_test_reads_frames_as_hexadecimal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"02 30 4D 03 7E\n02 30 4D 03 00\n06\n02 30\nhello\n"
    card, wrong, control, torn, no_digits = shown_for(MAPS / "framed-shoe.toml", data, monkeypatch, capsys)
    assert card.endswith(" shoe.cut")
    assert wrong.endswith("bad frame: computed 7E")
    assert control.endswith(" good")
    assert torn.endswith("unfinished: the frame must end with 03 and its check")
    assert "not hexadecimal: write the bytes of the device as pairs of digits" in no_digits
    address = PolledShuffler(address="08").frame("END A 052").hex().encode()
    (other,) = shown_for(MAPS / "polled-shuffler.toml", address, monkeypatch, capsys)
    assert other.endswith(" other address")


def test_map_test_refuses_a_wrong_map_with_exit_code_78(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "test", str(edited(tmp_path, 'name = "', 'nom = "'))]) == os.EX_CONFIG
    assert "name: is missing" in capsys.readouterr().err
    assert main(["map", "test", str(edited(tmp_path, '= "heartbeat"', '= "ignored"'))]) == os.EX_CONFIG
    assert "tests.'READY*4B': 'READY*4B' gives heartbeat, not ignored" in capsys.readouterr().err
