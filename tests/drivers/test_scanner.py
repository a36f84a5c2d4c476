"""A HID bar-code scanner as a card source: descriptors, scans in parts, what is no card (B13 to B15)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.events.device import DeviceCommand, DeviceIdentified, DeviceRestarted, DeviceSuspect, ShoeCut
from pitwarden.events.faces import FACES, UNREAD, face_of, name_of
from pitwarden_drivers.api import Expected, PlainCard, Said, Secret, Session
from pitwarden_drivers.faults import DeviceSilent, IdentityMismatch, PortUnsuitable
from pitwarden_drivers.framing.hid_descriptor import BadDescriptor, layout_of
from pitwarden_drivers.framing.records import Input, Opened, Records
from pitwarden_drivers.registry import UnknownDriverError, find
from pitwarden_drivers.scanner.wire import ACCURACY, Scanned, scanned
from pitwarden_simulators.devices.scanner import DATA_BYTES, DESCRIPTOR, REPORT_BYTES, Scanner, reports_of

EXAMPLE = Path(__file__).parents[2] / "config/codes/coded-shoe.toml"
TEN_OF_DIAMONDS = PlainCard(Secret(face_of("10D")))
NOT_READ = PlainCard(Secret(UNREAD))
HELLO = Opened("S-9", "1.00", DESCRIPTOR).to_bytes()


S9 = Expected("shoe", "S-9")


def opened(expected: Expected = S9, hello: bytes = HELLO) -> Session:
    session = find(f"scan:{EXAMPLE}").session(expected)
    session.begin(0)
    session.receive(0, hello)
    return session


def said_of(session: Session, *reports: bytes, at: int = 1_000) -> list[Said]:
    turn = session.receive(at, b"".join(Input(report).to_bytes() for report in reports))
    return [report.said for report in turn.reports]


@given(st.binary(max_size=3 * DATA_BYTES), st.sampled_from(["]C0", "]Q1", ""]), st.integers(0, 255))
def test_a_report_carries_what_the_scanner_put_in(code: bytes, symbology: str, accuracy: int) -> None:
    layout = layout_of(DESCRIPTOR)
    assert layout.longest == REPORT_BYTES
    parts = [scanned(layout, report) for report in reports_of(code, symbology, accuracy)]
    assert b"".join(part.data for part in parts if part) == code
    assert [part.continued for part in parts if part] == [True] * (len(parts) - 1) + [False]
    assert {(part.symbology, part.accuracy) for part in parts if part} == {(symbology, accuracy)}


@given(st.binary(max_size=200), st.lists(st.integers(1, 60), max_size=6))
def test_no_bytes_raise_and_records_do_not_depend_on_the_cut(noise: bytes, cuts: list[int]) -> None:
    stream = noise + HELLO + Input(reports_of(b"10D17")[0]).to_bytes()
    whole, pieces = Records(), Records()
    expected = whole.feed(stream)
    found: list[Opened | Input] = []
    at = 0
    for cut in [*cuts, len(stream)]:
        found += pieces.feed(stream[at : at + cut])
        at += cut
    assert tuple(found) == expected
    session = find(f"scan:{EXAMPLE}").session(Expected("shoe", "S-9"))
    session.begin(0)
    for report in (noise[:REPORT_BYTES], noise):
        session.receive(0, HELLO + Input(report).to_bytes())


def test_what_is_no_record_is_counted_and_a_torn_one_is_awaited() -> None:
    records = Records()
    assert records.feed(b"\xff\x00" + HELLO[:-1]) == ()
    assert records.feed(HELLO[-1:]) == (Opened("S-9", "1.00", DESCRIPTOR),)
    assert records.dropped == 2


def test_a_record_with_too_little_in_it_is_dropped() -> None:
    records = Records()
    assert records.feed(b"\x01\x00\x01\x05" + HELLO) == (Opened("S-9", "1.00", DESCRIPTOR),)
    assert records.dropped == 4


@given(st.binary(max_size=120))
def test_a_descriptor_is_a_layout_or_is_refused(descriptor: bytes) -> None:
    try:
        layout = layout_of(descriptor)
    except BadDescriptor:
        return
    assert 0 < layout.longest <= 1_024


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("75 08 95", "ends in the midst"),
        ("C0", "no input report"),
        ("75 08 96 FF FF 09 01 81 02", "more than 1024 bytes"),
        ("05 07 19 00 2A FF 0F 19 00 2A FF 0F 81 02", "more usages"),
        ("75 08 95 01 09 01 81 02 85 01 81 02", "numbers only some"),
        ("00 " * 5_000, "longer than 4096"),
    ],
)
def test_a_descriptor_that_is_none_says_why(text: str, words: str) -> None:
    with pytest.raises(BadDescriptor, match=words):
        layout_of(bytes.fromhex(text))


def test_long_items_ranges_and_pushed_pages_are_read_as_the_class_definition_says() -> None:
    text = "FE 02 F0 00 00 05 8C A4 05 01 75 08 95 02 19 30 29 31 81 02 B4 0B 01 01 8C 00 75 08 95 01 81 02"
    layout = layout_of(bytes.fromhex(text))
    assert [places[0].offset for places in layout.fields[0].values()] == [0, 8, 16]
    assert list(layout.fields[0])[-1] == ACCURACY


@pytest.mark.parametrize("most", ["29 05", "2A FF FF"], ids=["ends before it begins", "too long"])
def test_a_range_of_usages_that_is_none_names_nothing(most: str) -> None:
    layout = layout_of(bytes.fromhex(f"05 07 75 08 95 01 19 30 {most} 09 2C 81 02"))
    assert list(layout.fields[0]) == [0x07_002C]


@given(st.sampled_from(sorted(FACES - {UNREAD, 52})))
def test_a_coded_card_is_the_card_and_shows_in_no_repr(face: int) -> None:
    scanner = Scanner()
    scanner.say(PlainCard(Secret(face)))
    session = opened()
    said = said_of(session, scanner.tick(0))
    assert said == [PlainCard(Secret(face))]
    assert name_of(face) not in repr((said, Scanned("]C0", b"10D17"), Input(b"10D17"), Opened("S", "1", b"10D17")))


def test_a_scanner_is_believed_once_it_is_the_configured_one() -> None:
    session = find(f"scan:{EXAMPLE}").session(Expected("shoe", "S-9", ("1.00",), last_boot=4, last_counter=7))
    session.begin(0)
    assert said_of(session, *reports_of(b"10D17")) == []
    assert (session.identified, session.heard_at, session.stats.before_sync) == (False, None, REPORT_BYTES)
    reports = session.receive(1_000, HELLO).reports
    assert [r.said for r in reports] == [
        DeviceIdentified(serial="S-9", firmware="1.00", boot=5),
        DeviceRestarted(boot=5),
    ]
    scan = session.receive(1_000, Input(reports_of(b"CUTCARD")[0]).to_bytes()).reports
    assert [(r.boot, r.counter, r.said) for r in scan] == [(5, 1, ShoeCut())]
    assert session.committed(1_000, 5, 1).send == b""
    session.tick(9_000)
    assert session.heard_at == 9_000
    refused = session.command(9_000, "r1", "lock").reports[0].said
    assert refused == DeviceCommand(request="r1", command="lock", outcome="refused")


PLAIN = bytes.fromhex("05 01 09 02 75 08 95 08 81 02")
NO_ACCURACY = bytes.fromhex("05 8C 75 08 95 08 09 FE 81 02")


@pytest.mark.parametrize(
    ("hello", "expected", "fault", "words"),
    [
        (Opened("S-8", "1.00", DESCRIPTOR), Expected("shoe", "S-9"), IdentityMismatch, "'S-8' answers where 'S-9'"),
        (Opened("S-9", "1.01", DESCRIPTOR), Expected("shoe", "S-9", ("1.00",)), IdentityMismatch, "firmware '1.01'"),
        (Opened("S-9", "1.00", PLAIN), Expected("shoe", "S-9"), PortUnsuitable, "HID POS mode"),
        (Opened("S-9", "1.00", b"\x75"), Expected("shoe", "S-9"), PortUnsuitable, "descriptor is none"),
        (Opened("S-9", "1.00", NO_ACCURACY), Expected("shoe", "S-9"), PortUnsuitable, "no accuracy"),
    ],
)
def test_another_device_is_named(hello: Opened, expected: Expected, fault: type[Exception], words: str) -> None:
    with pytest.raises(fault, match=words):
        opened(expected, hello.to_bytes())


def test_a_port_that_opens_again_under_the_dialogue_is_the_same_device() -> None:
    session = opened()
    assert session.receive(2_000, HELLO).reports == ()
    assert said_of(session, *reports_of(b"10D17"), at=2_100) == [TEN_OF_DIAMONDS]


def test_a_port_that_says_nothing_is_silent() -> None:
    session = find(f"scan:{EXAMPLE}").session(Expected("shoe", "S-9"))
    assert session.begin(0).wake_at == 1_000
    assert session.tick(1_000).reports == ()
    assert not session.identified
    with pytest.raises(DeviceSilent, match="hid://"):
        session.tick(5_000)


@pytest.mark.parametrize(
    ("code", "symbology", "accuracy", "reason"),
    [
        (b"10D17", "]Q1", 90, "another symbology"),
        (b"10\xff17", "]C0", 90, "no ASCII"),
        (b"000000000000", "]C0", 90, "no card's"),
        (b"10D17" * 300, "]C0", 90, "more than 1024 bytes"),
    ],
)
def test_what_is_no_card_is_suspect_and_its_code_is_not_repeated(
    code: bytes, symbology: str, accuracy: int, reason: str
) -> None:
    session = opened()
    said = said_of(session, *reports_of(code, symbology, accuracy))[0]
    assert isinstance(said, DeviceSuspect)
    assert reason in said.reason
    assert "10" not in said.reason.replace("1024", "")


def test_a_card_scanned_badly_or_in_part_is_drawn_and_not_read() -> None:
    session = opened()
    assert said_of(session, *reports_of(b"10D17", accuracy=39)) == [NOT_READ]
    assert said_of(session, *reports_of(b"NOREAD")) == [NOT_READ]
    first, _ = reports_of(b"10D17" * 8)
    assert said_of(session, first, at=2_000) == []
    assert session.tick(2_499).reports == ()
    assert [r.said for r in session.tick(2_500).reports] == [NOT_READ]
    assert said_of(session, *reports_of(b"10D17"), at=2_600) == [TEN_OF_DIAMONDS]


def test_parts_of_two_symbologies_are_no_scan_and_other_reports_are_counted() -> None:
    session = opened()
    first, _ = reports_of(b"10D17" * 8)
    said = said_of(session, first, *reports_of(b"10D17", "]Q1"))
    assert isinstance(said[0], DeviceSuspect)
    assert said_of(session, b"\x03\x00", b"") == []
    assert session.stats.frames_rejected == 2


GOOD = EXAMPLE.read_text()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("card = '", "kard = '", "kard: is no known key .did you mean card"),
        ("(?P<card>", "(?P<face>", "the group"),
        ("(?P<card>", "(?=(?P<card>", "card: .*patterns are RE2's"),
        ("cut = 'CUTCARD'", "cut = 'CUT'\n[cards]\nX = '11D'", "cards.X: '11D' is no card"),
        ('gives = "shoe.cut"', 'gives = "unread"', "test.2: 'CUTCARD' gives shoe.cut, not unread"),
        ('["]C0"]', '["C0"]', "symbologies.0"),
        ("[[test]]", "[[test", "no TOML"),
        ("card = '", "least_accuracy = " + "9" * 5_000 + "\ncard = '", "no TOML .*a number is too long"),
    ],
)
def test_a_codes_file_is_refused_where_it_is_wrong(tmp_path: Path, old: str, new: str, words: str) -> None:
    file = tmp_path / "codes.toml"
    keys, tests = GOOD.split("\n[[test]]", 1)
    swapped = (keys + "\n[[test]]" + tests).replace(old, new, 1)
    if new.startswith("cut = 'CUT'\n"):
        swapped = GOOD.replace(old, "").split("\n[[test]]")[0] + "\n" + new + "\n" + "[[test]]" + tests
    file.write_text(swapped)
    with pytest.raises(UnknownDriverError, match=words):
        find(f"scan:{file}")


def test_a_codes_file_that_cannot_be_read_or_has_no_absolute_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownDriverError, match="cannot be read"):
        find(f"scan:{tmp_path}/none.toml")
    with pytest.raises(UnknownDriverError, match="absolute path"):
        find("scan:codes/x.toml")
    (tmp_path / "long.toml").write_bytes(b"#" * 70_000)
    with pytest.raises(UnknownDriverError, match="longer than"):
        find(f"scan:{tmp_path}/long.toml")


def test_opaque_codes_are_translated(tmp_path: Path) -> None:
    file = tmp_path / "codes.toml"
    file.write_text(
        "name = 'x'\ncard = '(?P<card>\\d{4})'\n[cards]\n0417 = 'AS'\n[[test]]\ncode = '0417'\ngives = 'shoe.card'\n"
        "[[test]]\ncode = '0418'\ngives = 'unknown'\n"
    )
    session = find(f"scan:{file}").session(Expected("shoe", "S-9"))
    session.begin(0)
    session.receive(0, HELLO)
    assert said_of(session, *reports_of(b"0417")) == [PlainCard(Secret(face_of("AS")))]
    assert isinstance(said_of(session, *reports_of(b"0418"))[0], DeviceSuspect)


def test_a_report_without_a_code_says_nothing_and_disturbs_no_scan() -> None:
    """A device may have other reports beside that of its scans, such as a trigger's."""
    trigger = bytes.fromhex("05 01 09 01 A1 01 85 09 75 08 95 01 09 3B 81 02 C0")
    assert scanned(layout_of(DESCRIPTOR + trigger), b"\x09\x01") is None
    session = opened(hello=Opened("S-9", "1.00", DESCRIPTOR + trigger).to_bytes())
    code = reports_of(b"10D17")[0]
    plain, disturbed = said_of(opened(), code), said_of(session, b"\x09\x01", code, b"\x09\x00")
    assert plain
    assert disturbed == plain
