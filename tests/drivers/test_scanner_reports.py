"""A scanner's bytes: records from any cut, descriptors that are a layout or refused, reports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.api import ExpectedDevice
from pitwarden_drivers.framing.hid_descriptor import DescriptorError, parse_descriptor
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport, HidStream
from pitwarden_drivers.registry import find_driver
from pitwarden_drivers.scanner.wire import ACCURACY, parse_report
from pitwarden_simulators.devices.scanner import DATA_BYTES, DESCRIPTOR, REPORT_BYTES, reports_of
from testkit.devices.scanner_sessions import EXAMPLE, HELLO


@given(st.binary(max_size=3 * DATA_BYTES), st.sampled_from(["]C0", "]Q1", ""]), st.integers(0, 255))
def test_a_report_carries_what_the_scanner_put_in(code: bytes, symbology: str, accuracy: int) -> None:
    layout = parse_descriptor(DESCRIPTOR)
    assert layout.longest == REPORT_BYTES
    parts = [parse_report(layout, report) for report in reports_of(code, symbology, accuracy)]
    assert b"".join(part.data for part in parts if part) == code
    assert [part.continued for part in parts if part] == [True] * (len(parts) - 1) + [False]
    assert {(part.symbology, part.accuracy) for part in parts if part} == {(symbology, accuracy)}


@given(st.binary(max_size=200), st.lists(st.integers(1, 60), max_size=6))
def test_no_bytes_raise_and_records_do_not_depend_on_the_cut(noise: bytes, cuts: list[int]) -> None:
    stream = noise + HELLO + HidReport(reports_of(b"10D17")[0]).to_bytes()
    whole, pieces = HidStream(), HidStream()
    expected = whole.feed(stream)
    found: list[HidIdentity | HidReport] = []
    at = 0
    for cut in [*cuts, len(stream)]:
        found += pieces.feed(stream[at : at + cut])
        at += cut
    assert tuple(found) == expected
    session = find_driver(f"scan:{EXAMPLE}").session(ExpectedDevice("shoe", "S-9"))
    session.begin(0)
    for report in (noise[:REPORT_BYTES], noise):
        session.receive(0, HELLO + HidReport(report).to_bytes())


def test_what_is_no_record_is_counted_and_a_torn_one_is_awaited() -> None:
    records = HidStream()
    assert records.feed(b"\xff\x00" + HELLO[:-1]) == ()
    assert records.feed(HELLO[-1:]) == (HidIdentity("S-9", "1.00", DESCRIPTOR),)
    assert records.dropped == 2


def test_a_record_with_too_little_in_it_is_dropped() -> None:
    records = HidStream()
    assert records.feed(b"\x01\x00\x01\x05" + HELLO) == (HidIdentity("S-9", "1.00", DESCRIPTOR),)
    assert records.dropped == 4


@given(st.binary(max_size=120))
def test_a_descriptor_is_a_layout_or_is_refused(descriptor: bytes) -> None:
    try:
        layout = parse_descriptor(descriptor)
    except DescriptorError:
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
    with pytest.raises(DescriptorError, match=words):
        parse_descriptor(bytes.fromhex(text))


def test_long_items_ranges_and_pushed_pages_are_read_as_the_class_definition_says() -> None:
    text = "FE 02 F0 00 00 05 8C A4 05 01 75 08 95 02 19 30 29 31 81 02 B4 0B 01 01 8C 00 75 08 95 01 81 02"
    layout = parse_descriptor(bytes.fromhex(text))
    assert [places[0].offset for places in layout.fields[0].values()] == [0, 8, 16]
    assert list(layout.fields[0])[-1] == ACCURACY


@pytest.mark.parametrize("most", ["29 05", "2A FF FF"], ids=["ends before it begins", "too long"])
def test_a_range_of_usages_that_is_none_names_nothing(most: str) -> None:
    layout = parse_descriptor(bytes.fromhex(f"05 07 75 08 95 01 19 30 {most} 09 2C 81 02"))
    assert list(layout.fields[0]) == [0x07_002C]
