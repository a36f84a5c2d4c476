"""Mapped devices: what a map file must be, what its lines become, and a dialogue over any cut of the bytes."""

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pitwarden.cli.main import main
from pitwarden.events.device import (
    DeviceCommand,
    DeviceIdentified,
    DeviceRestarted,
    DeviceSuspect,
    DeviceUnknown,
    ShufflerDone,
    ShufflerFault,
    ShufflerStarted,
)
from pitwarden.events.faces import face_of
from pitwarden_drivers.api import Expected, PlainCard, PlainStack, Secret, Turn
from pitwarden_drivers.faults import DeviceSilent, IdentityMismatch
from pitwarden_drivers.mapping.checksum import Kind, checksum
from pitwarden_drivers.mapping.driver import map_driver
from pitwarden_drivers.mapping.file import MapRefused, load_map
from pitwarden_drivers.mapping.lines import Lines
from pitwarden_drivers.mapping.meaning import FIELDS, said
from pitwarden_drivers.mapping.session import ANSWER_MS, ASK_AGAIN_MS, MapSession
from pitwarden_drivers.registry import UnknownDriverError, find
from pitwarden_drivers.toml_page import MAX_FILE

MAPS = Path(__file__).parents[2] / "config/maps"
SHUFFLER, SCANNER = MAPS / "counting-shuffler.toml", MAPS / "bar-code-shoe.toml"

ASKED = 'ask = "ID?"'


def summed(line: str) -> bytes:
    return f"{line}*{checksum('xor8', line.encode()):02X}\r\n".encode()


def talking(file: Path, serial: str, *, identity: bytes, firmware: tuple[str, ...] = ()) -> MapSession:
    """A dialogue whose device has answered who it is."""
    session = find(f"map:{file}").session(Expected("shuffler", serial, firmware, last_boot=6))
    assert isinstance(session, MapSession)
    session.begin(1_000)
    session.receive(1_100, identity)
    assert session.identified
    return session


def shuffler() -> MapSession:
    return talking(SHUFFLER, "F-0007", identity=summed("ID F-0007 FW 2.1"))


@pytest.mark.parametrize("file", sorted(MAPS.glob("*.toml")), ids=lambda file: file.stem)
def test_an_example_does_what_its_test_block_says(file: Path) -> None:
    assert map_driver(f"map:{file}").name == f"map:{file}"


def test_nothing_is_believed_before_the_device_has_said_who_it_is() -> None:
    session = find(f"map:{SHUFFLER}").session(Expected("shuffler", "F-0007", last_boot=6))
    assert session.begin(0).send == b"ECHO OFF\r\nID?\r\n"
    assert session.receive(10, summed("DONE A N=52")) == Turn(b"", (), ASK_AGAIN_MS)
    assert not session.identified
    assert session.heard_at is None
    assert session.stats.before_sync == len("DONE A N=52")
    assert session.tick(ASK_AGAIN_MS).send == b"ID?\r\n"
    turn = session.receive(1_100, summed("ID F-0007 FW 2.1"))
    assert [report.said for report in turn.reports] == [
        DeviceIdentified(serial="F-0007", firmware="2.1", boot=7), DeviceRestarted(boot=7),
    ]  # fmt: skip
    assert session.receive(1_200, summed("ID F-0007 FW 2.1")).reports == ()


def test_a_device_that_answers_no_question_is_asked_none(tmp_path: Path) -> None:
    session = find(f"map:{edited(tmp_path, ASKED, '')}").session(Expected("shuffler", "F-0007"))
    assert session.begin(0).send == b"ECHO OFF\r\n"


@pytest.mark.parametrize("answer", ["ID F-0008 FW 2.1", "ID F-0007 FW 2.2"])
def test_another_device_or_firmware_is_never_believed(answer: str) -> None:
    session = find(f"map:{SHUFFLER}").session(Expected("shuffler", "F-0007", ("2.1",)))
    session.begin(0)
    with pytest.raises(IdentityMismatch):
        session.receive(10, summed(answer))


@given(st.lists(st.integers(1, 12)))
def test_any_cut_of_the_bytes_gives_the_same_events(cuts: list[int]) -> None:
    session = shuffler()
    data = b"".join(map(summed, ["SHUFFLE A", "DONE A N=52", "SORT B", "ERR E1 B HELD 3", "TEMP 41", "ERR E3 A"]))
    reports = []
    for size in [*cuts, len(data)]:
        reports += session.receive(2_000, data[:size]).reports
        data = data[size:]
    assert [report.said for report in reports] == [
        ShufflerStarted(deck="A"), ShufflerDone(deck="A", count=52), ShufflerStarted(deck="B", mode="sort"),
        ShufflerFault(deck="B", fault="jam", holding=3), ShufflerFault(deck="A", fault="incomplete"),
    ]  # fmt: skip
    assert [(report.boot, report.counter) for report in reports] == [(7, number) for number in range(1, 6)]


def test_a_bad_checksum_costs_its_line_alone() -> None:
    session = shuffler()
    turn = session.receive(2_000, b"DONE A N=52*00\r\nDONE A N=52\r\nDONE A N=52*ZZ\r\n" + summed("DONE B N=52"))
    assert [report.said for report in turn.reports] == [ShufflerDone(deck="B", count=52)]
    assert session.stats.frames_rejected == 3


def test_a_checksum_that_is_no_number_is_a_bad_one(tmp_path: Path) -> None:
    session = talking(edited(tmp_path, "[0-9A-F]{2}", "\\w{2}"), "F-0007", identity=summed("ID F-0007 FW 2.1"))
    assert session.receive(2_000, b"READY*XY\r\n").reports == ()
    assert session.stats.frames_rejected == 1


def test_an_endless_line_and_bytes_that_are_no_text_cost_themselves() -> None:
    session = talking(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    before = session.stats
    turn = session.receive(1_200, b"A" * 200_000 + b"\r10D17\r\x98\x80\xff\r9\x92H17\rKH17\r")
    assert [report.said for report in turn.reports] == [
        PlainCard(Secret(face_of("10D"))), PlainCard(Secret(face_of("KH"))),
    ]  # fmt: skip
    assert session.stats.frames_rejected - before.frames_rejected == 3
    assert session.stats.bytes_dropped >= 200_000
    assert session.identified


def test_a_line_that_is_not_in_the_map_is_said_once_and_never_repeated() -> None:
    session = shuffler()
    turn = session.receive(2_000, summed("HOLE KH") + summed("HOLE AS"))
    assert [report.said for report in turn.reports] == [DeviceUnknown(code=0)]
    assert "KH" not in repr(turn)


def test_a_silent_device_is_noticed_by_its_heartbeat() -> None:
    session = shuffler()
    assert session.tick(2_100).send == b"ST?\r\n"
    session.receive(2_200, summed("READY"))
    assert session.heard_at == 2_200
    assert session.tick(2_300).send == b""  # its time has not come
    session.tick(6_100)
    with pytest.raises(DeviceSilent):
        session.tick(6_200)


def test_without_a_heartbeat_an_open_port_is_a_device_that_lives() -> None:
    session = talking(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    assert session.tick(60_000).send == b""
    assert session.heard_at == 60_000


@pytest.mark.parametrize(("answer", "outcome"), [("LOCKED", "done"), ("NO", "refused")])
def test_a_command_has_the_outcome_that_the_device_says(answer: str, outcome: str) -> None:
    session = shuffler()
    assert session.command(2_000, "r1", "lock").send == b"LOCK\r\n"
    refused = session.command(2_001, "r2", "unlock").reports[0].said
    assert refused == DeviceCommand(request="r2", command="unlock", outcome="refused")
    session.receive(2_050, summed("TEMP 40"))
    said = session.receive(2_100, summed(answer)).reports[0].said
    assert said == DeviceCommand.model_validate({"request": "r1", "command": "lock", "outcome": outcome})


def test_a_command_that_nothing_answers_times_out_and_one_that_is_not_mapped_is_refused() -> None:
    session = shuffler()
    session.command(2_000, "r1", "lock")
    turn = session.tick(2_000 + ANSWER_MS)
    assert [report.said for report in turn.reports] == [DeviceCommand(request="r1", command="lock", outcome="timeout")]
    turn = session.command(5_000, "r2", "report_count")
    assert [report.said for report in turn.reports] == [
        DeviceCommand(request="r2", command="report_count", outcome="refused")
    ]
    assert session.committed(5_000, 7, 1).reports == ()


def test_a_card_is_a_secret_at_once() -> None:
    session = talking(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    turn = session.receive(2_000, b"10D17\rNOREAD\rCUTCARD\r")
    first, second, third = [report.said for report in turn.reports]
    assert isinstance(first, PlainCard)
    assert first.face.value == face_of("10D")
    assert isinstance(second, PlainCard)
    assert second.face.value == face_of("??")
    assert getattr(third, "kind", "") == "shoe.cut"
    assert "10D" not in repr(turn)
    assert str(face_of("10D")) not in repr(first)


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("shoe.card", {"card": "1X"}), ("shoe.card", {"card": "AS", "up": "sideways"}), ("shoe.stack", {"count": "-1"}),
        ("shuffler.done", {"deck": "A", "count": "many"}), ("shuffler.fault", {"deck": "A", "fault": "fire"}),
    ],
)  # fmt: skip
def test_a_field_that_cannot_be_is_suspect_and_never_repeated(kind: str, fields: dict[str, str | int]) -> None:
    found = said(next(known for known in FIELDS if known == kind), fields)  # type: ignore[arg-type]
    assert isinstance(found, DeviceSuspect)
    assert not any(str(value) in found.reason for value in fields.values())


def test_stacks_and_sides_are_read() -> None:
    assert said("shoe.stack", {"count": "7"}) == PlainStack(7)
    card = said("shoe.card", {"card": "AS", "up": "up", "back": "blue"})
    assert isinstance(card, PlainCard)
    assert (card.up, card.back) == (True, "blue")


@pytest.mark.parametrize(
    ("kind", "value"),
    [("xor8", 0x31), ("sum8", 0xDD), ("sum8-negated", 0x23), ("crc16-ccitt", 0x29B1), ("crc16-modbus", 0x4B37)],
)
def test_the_checksums_have_their_published_check_values(kind: Kind, value: int) -> None:
    """Over the ASCII digits 1 to 9, as catalogues of checksums give them."""
    assert checksum(kind, b"123456789") == value


@given(st.binary(max_size=400), st.integers(8, 40))
@example(b"0123456789" * 5, 8)
@example(b"\x00\r\n", 8)
def test_lines_are_bounded_whatever_comes(data: bytes, longest: int) -> None:
    lines = Lines(b"\r\n", longest)
    found = [*lines.feed(data), *lines.feed(b"\r\nlast one\r\n")]
    assert found[-1] == "last one"
    assert all(len(line) <= longest and line.isprintable() | ("\t" in line) for line in found)
    kept = sum(len(line) + 2 for line in found)
    assert kept + lines.dropped <= len(data) + len(b"\r\nlast one\r\n")


def edited(tmp_path: Path, old: str, new: str) -> Path:
    text = SHUFFLER.read_text()
    assert old in text
    file = tmp_path / "map.toml"
    file.write_text(text.replace(old, new, 1))
    return file


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("silent_after_ms", "silent_afer_ms", r"silent_afer_ms: is no known key \(did you mean silent_after_ms"),
        ('kind = "xor8"', 'kind = "xor9"', r"checksum.kind.*did you mean xor8"),
        ("(?P<deck>[AB])'", "(?P<dec>[AB])'", r"no field 'dec' \(did you mean deck"),
        ("SHUFFLE (?P<deck>[AB])", "SHUFFLE [AB]", r"field 'deck' comes from nowhere"),
        ("READY|BUSY", "READY(?=x)", "RE2"),
        ("SHUFFLE (?P", "SHUFFLE )(?P", r"event.0.pattern: .*RE2"),
        ("(?P<serial>", "(?P<sn>", r"identify.pattern: the group \(\?P<serial>"),
        ("(?P<sum>", "(?P<som>", r"checksum.pattern: the group \(\?P<sum>"),
        ('kind = "shuffler.done"', 'kind = "shoe.empty"', "is no event of a shuffler"),
        ("words = { fault", "words = { folt", "'folt' is translated or scaled, but is no group"),
        ('[[event]]\nkind = "shuffler.started"', "[[event]]\nkind = 7", "event"),
        ('name = "counting-shuffler"', "name = [", "no TOML"),
        ("silent_after_ms = ", "silent_after_ms = " + "9" * 5_000, "no TOML .*a number is too long"),
        ('name = "counting-shuffler"', "name = " + "[" * 5_000, "no TOML .*brackets stand too deep"),
        ('gives = "heartbeat"', 'gives = "unknown"', r"test.1: .*gives heartbeat, not unknown"),
    ],
)  # fmt: skip
def test_a_wrong_map_is_refused_with_its_place_and_the_nearest_word(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    with pytest.raises(UnknownDriverError, match=reason):
        find(f"map:{edited(tmp_path, old, new)}")


def test_a_map_that_is_not_there_is_relative_or_endless_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MapRefused, match="cannot be read"):
        load_map(tmp_path / "none.toml")
    with pytest.raises(MapRefused, match="absolute path"):
        map_driver("map:maps/x.toml")
    (tmp_path / "long.toml").write_bytes(b"#" * (MAX_FILE + 1))
    with pytest.raises(MapRefused, match="longer than"):
        load_map(tmp_path / "long.toml")


def test_a_word_may_be_translated_and_a_number_scaled(tmp_path: Path) -> None:
    """A shuffler that counts in packs of 52."""
    file = edited(tmp_path, r"N=(?P<count>\d{1,3})'", "N=(?P<count>\\d{1,3})'\nscale = { count = 52 }")
    session = talking(file, "F-0007", identity=summed("ID F-0007 FW 2.1"))
    turn = session.receive(2_000, summed("DONE A N=8"))
    assert turn.reports[0].said == ShufflerDone(deck="A", count=416)


@settings(max_examples=60)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60), st.binary(max_size=300))
def test_no_pattern_and_no_bytes_hang_or_break_a_map(
    tmp_path_factory: pytest.TempPathFactory, pattern: str, data: bytes
) -> None:
    tree = tomllib.loads(SCANNER.read_text())
    assert tree["event"][2]["pattern"] == "CUTCARD"
    file = tmp_path_factory.mktemp("map") / "map.toml"
    file.write_text(
        SCANNER.read_text().replace("'CUTCARD'", '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"')
    )
    try:
        session = map_driver(f"map:{file}").session(Expected("shoe", "S-2001"))
    except MapRefused:
        return
    session.begin(0)
    session.receive(1, b"SCANNER S-2001 REV B2\r")
    for report in session.receive(2, data + b"\r").reports:
        assert report.boot == 1


def test_a_pattern_that_would_hang_another_engine_is_matched_in_no_time() -> None:
    """Exponential for a backtracking engine; here it is over before the test's own time limit."""
    words = [sys.executable, "-c", "import re2; print(re2.fullmatch('(a*)*b', 'a' * 1000))"]
    assert subprocess.run(words, capture_output=True, text=True, check=True, timeout=20).stdout.strip() == "None"


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
