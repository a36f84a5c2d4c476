"""A HID bar-code scanner as a card source: who it is, scans in parts, what is no card (B13 to B15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.events.card_faces import FACES, UNREAD, face_name, parse_face
from pitwarden_client.events.device import DeviceCommand, DeviceIdentified, DeviceRestarted, DeviceSuspect, ShoeCut
from pitwarden_drivers.api import ExpectedDevice, PlainCard, Secret, Session
from pitwarden_drivers.errors import DeviceSilentError, IdentityMismatchError, PortUnsuitableError
from pitwarden_drivers.framing.hid_descriptor import parse_descriptor
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
from pitwarden_drivers.registry import find_driver
from pitwarden_drivers.scanner.wire import ScanPart, parse_report
from pitwarden_simulators.devices.scanner import DESCRIPTOR, REPORT_BYTES, Scanner, reports_of
from testkit.devices.scanner_sessions import EXAMPLE, HELLO, said_of

TEN_OF_DIAMONDS = PlainCard(Secret(parse_face("10D")))
NOT_READ = PlainCard(Secret(UNREAD))
S9 = ExpectedDevice("shoe", "S-9")


def opened(expected: ExpectedDevice = S9, hello: bytes = HELLO) -> Session:
    session = find_driver(f"scan:{EXAMPLE}").session(expected)
    session.begin(0)
    session.receive(0, hello)
    return session


@given(st.sampled_from(sorted(FACES - {UNREAD, 52})))
def test_a_coded_card_is_the_card_and_shows_in_no_repr(face: int) -> None:
    scanner = Scanner()
    scanner.emit(PlainCard(Secret(face)))
    session = opened()
    said = said_of(session, scanner.tick(0))
    assert said == [PlainCard(Secret(face))]
    assert face_name(face) not in repr(
        (said, ScanPart("]C0", b"10D17"), HidReport(b"10D17"), HidIdentity("S", "1", b"10D17"))
    )


def test_a_scanner_is_believed_once_it_is_the_configured_one() -> None:
    session = find_driver(f"scan:{EXAMPLE}").session(
        ExpectedDevice("shoe", "S-9", ("1.00",), last_boot=4, last_counter=7)
    )
    session.begin(0)
    assert said_of(session, *reports_of(b"10D17")) == []
    assert (session.identified, session.heard_at, session.stats.before_sync) == (False, None, REPORT_BYTES)
    reports = session.receive(1_000, HELLO).reports
    assert [r.said for r in reports] == [
        DeviceIdentified(serial="S-9", firmware="1.00", boot=5),
        DeviceRestarted(boot=5),
    ]
    scan = session.receive(1_000, HidReport(reports_of(b"CUTCARD")[0]).to_bytes()).reports
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
        (
            HidIdentity("S-8", "1.00", DESCRIPTOR),
            ExpectedDevice("shoe", "S-9"),
            IdentityMismatchError,
            "'S-8' answers where 'S-9'",
        ),
        (
            HidIdentity("S-9", "1.01", DESCRIPTOR),
            ExpectedDevice("shoe", "S-9", ("1.00",)),
            IdentityMismatchError,
            "firmware '1.01'",
        ),
        (HidIdentity("S-9", "1.00", PLAIN), ExpectedDevice("shoe", "S-9"), PortUnsuitableError, "HID POS mode"),
        (HidIdentity("S-9", "1.00", b"\x75"), ExpectedDevice("shoe", "S-9"), PortUnsuitableError, "descriptor is none"),
        (HidIdentity("S-9", "1.00", NO_ACCURACY), ExpectedDevice("shoe", "S-9"), PortUnsuitableError, "no accuracy"),
    ],
)
def test_another_device_is_named(
    hello: HidIdentity, expected: ExpectedDevice, fault: type[Exception], words: str
) -> None:
    with pytest.raises(fault, match=words):
        opened(expected, hello.to_bytes())


def test_a_port_that_opens_again_under_the_dialogue_is_the_same_device() -> None:
    session = opened()
    assert session.receive(2_000, HELLO).reports == ()
    assert said_of(session, *reports_of(b"10D17"), at=2_100) == [TEN_OF_DIAMONDS]


def test_a_port_that_says_nothing_is_silent() -> None:
    session = find_driver(f"scan:{EXAMPLE}").session(ExpectedDevice("shoe", "S-9"))
    assert session.begin(0).wake_at == 1_000
    assert session.tick(1_000).reports == ()
    assert not session.identified
    with pytest.raises(DeviceSilentError, match="hid://"):
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


def test_a_report_without_a_code_says_nothing_and_disturbs_no_scan() -> None:
    """A device may have other reports beside that of its scans, such as a trigger's."""
    trigger = bytes.fromhex("05 01 09 01 A1 01 85 09 75 08 95 01 09 3B 81 02 C0")
    assert parse_report(parse_descriptor(DESCRIPTOR + trigger), b"\x09\x01") is None
    session = opened(hello=HidIdentity("S-9", "1.00", DESCRIPTOR + trigger).to_bytes())
    code = reports_of(b"10D17")[0]
    plain, disturbed = said_of(opened(), code), said_of(session, b"\x09\x01", code, b"\x09\x00")
    assert plain
    assert disturbed == plain
