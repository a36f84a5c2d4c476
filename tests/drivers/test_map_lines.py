"""Bytes of a mapped device become lines: any cut gives the same, and what is bad costs itself alone."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitwarden_client.events.card_faces import parse_face
from pitwarden_client.events.device import ShufflerDone, ShufflerFault, ShufflerStarted
from pitwarden_drivers.api import DeviceReport, PlainCard, Secret
from pitwarden_drivers.mapping.checksums import ChecksumKind, checksum
from pitwarden_drivers.mapping.lines import LineSplitter
from testkit.devices.map_sessions import SCANNER, edited, identified_session, shuffler, summed


@given(st.lists(st.integers(1, 12)))
def test_any_cut_of_the_bytes_gives_the_same_events(cuts: list[int]) -> None:
    session = shuffler()
    data = b"".join(map(summed, ["SHUFFLE A", "DONE A N=52", "SORT B", "ERR E1 B HELD 3", "TEMP 41", "ERR E3 A"]))
    reports = list[DeviceReport]()
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
    session = identified_session(
        edited(tmp_path, 'kind = "xor8"', "kind = 'xor8'\npattern = '(?P<body>.*)\\*(?P<sum>\\w{2})'"),
        "F-0007",
        identity=summed("ID F-0007 FW 2.1"),
    )
    assert session.receive(2_000, b"READY*XY\r\n").reports == ()
    assert session.stats.frames_rejected == 1


def test_an_endless_line_and_bytes_that_are_no_text_cost_themselves() -> None:
    session = identified_session(SCANNER, "S-2001", identity=b"SCANNER S-2001 REV B2\r")
    before = session.stats
    turn = session.receive(1_200, b"A" * 200_000 + b"\r10D17\r\x98\x80\xff\r9\x92H17\rKH17\r")
    assert [report.said for report in turn.reports] == [
        PlainCard(Secret(parse_face("10D"))), PlainCard(Secret(parse_face("KH"))),
    ]  # fmt: skip
    assert session.stats.frames_rejected - before.frames_rejected == 3
    assert session.stats.bytes_dropped >= 200_000
    assert session.identified


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("xor8", 0x31),
        ("sum8", 0xDD),
        ("sum8-negated", 0x23),
        ("crc16-ccitt", 0x29B1),
        ("crc16-modbus", 0x4B37),
        ("crc16-xmodem", 0x31C3),
        ("crc16-kermit", 0x2189),
        ("crc16-arc", 0xBB3D),
    ],
)
def test_the_checksums_have_their_published_check_values(kind: ChecksumKind, value: int) -> None:
    """Over the ASCII digits 1 to 9, as catalogues of checksums give them."""
    assert checksum(kind, b"123456789") == value


@given(st.binary(max_size=400), st.integers(8, 40))
@example(b"0123456789" * 5, 8)
@example(b"\x00\r\n", 8)
def test_lines_are_bounded_whatever_comes(data: bytes, longest: int) -> None:
    lines = LineSplitter(b"\r\n", longest)
    found = [*lines.feed(data), *lines.feed(b"\r\nlast one\r\n")]
    assert found[-1] == "last one"
    assert all(len(line) <= longest and line.isprintable() | ("\t" in line) for line in found)
    kept = sum(len(line) + 2 for line in found)
    assert kept + lines.dropped <= len(data) + len(b"\r\nlast one\r\n")
