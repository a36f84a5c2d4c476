"""`pitwarden map test`: what a device's lines would become, shown to whoever writes the map."""

import io
import os
from pathlib import Path

import pytest

from pitwarden.cli.main import main
from pitwarden_drivers.mapping.driver import load_map, read_trials
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
    """Return what `map test` prints for `data` on standard input, after what it prints of the test block."""
    read, write = os.pipe()
    os.write(write, data)
    os.close(write)
    with os.fdopen(read, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stdin))
        assert main(["map", "test", str(file)]) == 0
    return capsys.readouterr().out.splitlines()[1 + sum(bool(found.why) for *_, found in read_trials(load_map(file))) :]


def test_map_test_prints_the_checksum_that_a_line_should_have(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"DONE A N=52*00\nDONE A\n" + b"A" * 300 + b"\nID F-0007 FW 2.1*7D\n"
    wrong, bare, long, identity = shown_for(SHUFFLER, data, monkeypatch, capsys)
    assert wrong.endswith("bad checksum: computed 35, received 00")
    assert bare.endswith("bad checksum: no body and checksum as the pattern of [checksum] asks")
    assert long.endswith("longer than 200 bytes")
    assert identity.endswith("identity: serial F-0007, firmware 2.1")


def test_map_test_reads_frames_as_hexadecimal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b"02 30 4D 03 7E\n02 30 4D 03 00\n06\n02 30\nhello\n"
    card, wrong, control, torn, no_digits = shown_for(MAPS / "framed-shoe.toml", data, monkeypatch, capsys)
    assert card.endswith(" shoe.cut")
    assert wrong.endswith("bad frame: computed 7E, received 00")
    assert control.endswith(" good")
    assert torn.endswith("unfinished: the frame must end with 03 and its check")
    assert "not hexadecimal: write the bytes of the device as pairs of digits" in no_digits
    address = PolledShuffler(address="08").frame("END A 052").hex().encode()
    (other,) = shown_for(MAPS / "polled-shuffler.toml", address, monkeypatch, capsys)
    assert other.endswith(" other address")


FRAMED, POLLED = MAPS / "framed-shoe.toml", MAPS / "polled-shuffler.toml"
CCITT = 'kind = "crc16-ccitt", covers = "body stop", written = "byte", order = "little"'


@pytest.mark.parametrize(
    "trial",
    [
        # BCC: 30 xor 4D xor 03.
        (FRAMED, "", "02 30 4D 03 00", "computed 7E, received 00"),
        # LRC: two's complement of 30 + 4D, the body alone.
        (FRAMED, 'kind = "sum8-negated", covers = "body", written = "byte"', "02304D0300", "computed 83, received 00"),
        # CRC of `123456789`, whose value for each kind is in the catalogues of CRCs.
        (FRAMED, CCITT.replace("body stop", "body"), "02 313233343536373839 03 0000", "computed B1 29, received 00 00"),
        (
            POLLED,
            'kind = "crc16-arc", covers = "body", written = "hex"',
            "02 313233343536373839 03 30303030",
            "computed 42 42 33 44 ('BB3D'), received 30 30 30 30 ('0000')",
        ),
        # BCC before the stop.
        (
            FRAMED,
            'kind = "xor8", covers = "body", written = "byte", placed = "before stop"',
            "02 30 4D 00 03",
            "computed 7D, received 00",
        ),
        # Too short for a check.
        (
            FRAMED,
            'kind = "xor8", covers = "body", written = "byte", placed = "before stop"',
            "02 03",
            "computed 00, received none",
        ),
    ],
)
def test_a_wrong_check_is_printed_as_computed_and_as_received_in_the_test_block_and_of_the_input(
    trial: tuple[Path, str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, rule, frame, said = trial
    text = file.read_text().partition("[[test]]")[0].partition("[tests]")[0]
    shipped = next(line for line in text.splitlines() if line.startswith("check = "))
    made = text.replace(shipped, f"check = {{ {rule} }}" if rule else shipped)
    expected = f'[[test]]\nframe = "{frame}"\ngives = '
    good, wrong = tmp_path / "good.toml", tmp_path / "wrong.toml"
    good.write_text(f'{made}\n{expected}"bad checksum"\n')
    wrong.write_text(f'{made}\n{expected}"shoe.cut"\n')
    (shown,) = shown_for(good, frame.encode() + b"\n", monkeypatch, capsys)
    assert shown.endswith(f"bad frame: {said}")
    assert main(["map", "test", str(wrong)]) == os.EX_CONFIG
    assert f"{frame!r} gives bad checksum ({said}), not shoe.cut" in capsys.readouterr().err


def test_the_test_block_prints_the_checksum_of_its_wrong_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert main(["map", "test", str(SHUFFLER)]) == 0
    _, wrong = capsys.readouterr().out.splitlines()
    assert wrong.startswith("'DONE A N=52*00' ")
    assert wrong.endswith("bad checksum: computed 35, received 00")
    file = edited(tmp_path, '"DONE A N=52*00" = "bad checksum"', '"DONE A N=52*00" = "shuffler.done"')
    assert main(["map", "test", str(file)]) == os.EX_CONFIG
    said = capsys.readouterr().err
    assert "'DONE A N=52*00' gives bad checksum (computed 35, received 00), not shuffler.done" in said


def test_a_frame_that_is_damaged_otherwise_has_no_check_to_compare(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    torn, _ = shown_for(FRAMED, b"02 30 02 30 4D 03 7E\n", monkeypatch, capsys)
    assert torn.endswith("bad frame: torn, too long, or no printable ASCII in its body")


def test_a_checksum_that_the_pattern_makes_optional_is_a_wrong_one_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern = r"pattern = '(?P<body>[^*]*)(\*(?P<sum>[0-9A-F]{2}))?'"
    file = edited(tmp_path, 'kind = "xor8"', f'kind = "xor8"\n{pattern}')
    bare, wrong = shown_for(file, b"DONE A N=52\nDONE A N=52*00\n", monkeypatch, capsys)
    assert bare.endswith("bad checksum: no body and checksum as the pattern of [checksum] asks")
    assert wrong.endswith("bad checksum: computed 35, received 00")


def test_map_test_refuses_a_wrong_map_with_exit_code_78(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["map", "test", str(edited(tmp_path, 'name = "', 'nom = "'))]) == os.EX_CONFIG
    assert "name: is missing" in capsys.readouterr().err
    assert main(["map", "test", str(edited(tmp_path, '= "heartbeat"', '= "ignored"'))]) == os.EX_CONFIG
    assert "tests.'READY*4B': 'READY*4B' gives heartbeat, not ignored" in capsys.readouterr().err
