"""`pitwarden map test`: what a device's lines would become, shown to whoever writes the map."""

import io
import os
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from testkit.devices.map_sessions import SCANNER, edited


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


def test_map_test_refuses_a_wrong_map_with_exit_code_78(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "test", str(edited(tmp_path, 'name = "', 'nom = "'))]) == os.EX_CONFIG
    assert "name: Field required" in capsys.readouterr().err
    assert main(["map", "test", str(edited(tmp_path, 'gives = "heartbeat"', 'gives = "ignored"'))]) == os.EX_CONFIG
    assert "test.1" in capsys.readouterr().err
