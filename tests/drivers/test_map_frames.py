"""Frames of mapped devices: what goes in comes out in any cut, and what is no frame costs itself alone."""

import pytest
from crccheck.checksum import Checksum8, ChecksumXor8
from crccheck.crc import Crc16Arc, Crc16CcittFalse, Crc16Kermit, Crc16Modbus, Crc16Xmodem
from hypothesis import example, given
from hypothesis import strategies as st

from pitwarden_drivers.mapping.checksums import ChecksumKind, checksum
from pitwarden_drivers.mapping.frames import ControlToken, FrameBody, FrameCodec, FrameItem, FrameRejected
from pitwarden_drivers.mapping.link_rules import FrameCheckRule, FramingRule

TOKENS = {b"\x06": "good", b"\x15": "bad", b"\x04": "nothing"}
PLAIN = FramingRule(start="02", stop="03", check=FrameCheckRule(kind="xor8"))
LINED = FramingRule(
    start="3A",
    stop="0D 0A",
    check=FrameCheckRule(kind="sum8-negated", covers="body", written="hex", placed="before stop"),
)
ESCAPED = FramingRule(
    start="10 02",
    stop="10 03",
    body="hex",
    escape="10",
    check=FrameCheckRule(kind="crc16-arc", covers="body stop", order="little"),
)
UNCHECKED = FramingRule(start="02", stop="03")
RULES = [PLAIN, LINED, ESCAPED, UNCHECKED]
TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters=":"), min_size=1, max_size=30)


def codec(rule: FramingRule, longest: int = 80) -> FrameCodec:
    return FrameCodec(rule, longest, TOKENS)


def body_for(rule: FramingRule, text: str) -> str:
    return text if rule.body == "text" else text.encode().hex().upper()


@given(st.sampled_from(RULES), st.lists(TEXT, max_size=6), st.lists(st.integers(1, 9)), st.binary(max_size=3))
def test_any_cut_gives_the_same_frames(rule: FramingRule, texts: list[str], cuts: list[int], head: bytes) -> None:
    noise = bytes(byte for byte in head if byte not in b"\x02\x10\x06\x15\x04:")
    bodies = [body_for(rule, text) for text in texts]
    decoder = codec(rule)
    data = noise + b"".join(decoder.encode(body) for body in bodies)
    found = list[FrameItem]()
    for size in [*cuts, len(data)]:
        found += decoder.feed(data[:size])
        data = data[size:]
    assert found == [FrameBody(body) for body in bodies]
    assert decoder.dropped == len(noise)
    assert not decoder.holding


@given(st.binary(max_size=200))
@example(b"\x10\x03\x10\x10\x02")
def test_a_body_of_any_bytes_comes_through_its_escapes(body: bytes) -> None:
    decoder = codec(ESCAPED, 200)
    assert list(decoder.feed(decoder.encode(body.hex()))) == [FrameBody(body.hex().upper())]


@given(st.sampled_from(RULES), st.binary(max_size=400))
def test_whatever_comes_the_frame_after_a_pause_is_found_and_no_more_is_held_than_one(
    rule: FramingRule, noise: bytes
) -> None:
    decoder = codec(rule, 60)
    list(decoder.feed(noise))
    decoder.discard()
    assert not decoder.holding
    decoder.discard()
    body = body_for(rule, "AB")
    assert list(decoder.feed(decoder.encode(body))) == [FrameBody(body)]


def test_an_endless_frame_is_dropped_and_counted() -> None:
    decoder = codec(PLAIN, 20)
    assert list(decoder.feed(b"\x02" + b"A" * 1_000)) == [FrameRejected()]
    assert decoder.rejected == 1
    assert decoder.dropped == 1_001


def test_a_frame_that_begins_anew_ends_the_torn_one() -> None:
    decoder = codec(PLAIN)
    assert list(decoder.feed(b"\x02AB" + decoder.encode("CD"))) == [FrameRejected(), FrameBody("CD")]
    escaped = codec(ESCAPED)
    assert list(escaped.feed(b"\x10\x02AB" + escaped.encode("4344"))) == [FrameRejected(), FrameBody("4344")]
    assert list(escaped.feed(b"\x10\x02A\x10\x07B" + escaped.encode("43"))) == [FrameRejected(), FrameBody("43")]


def test_a_wrong_check_and_bytes_that_are_no_text_are_rejected() -> None:
    decoder = codec(PLAIN)
    assert list(decoder.feed(b"\x02M\x03\x00")) == [FrameRejected(b"\x4e", b"\x00")]
    assert list(codec(UNCHECKED).feed(b"\x02A\x80\x03")) == [FrameRejected()]


def test_control_bytes_stand_outside_frames_alone() -> None:
    decoder = codec(UNCHECKED)
    assert list(decoder.feed(b"\x06\x02A\x06B\x03\x15zz\x04")) == [
        ControlToken("good"), FrameRejected(), ControlToken("bad"), ControlToken("nothing"),
    ]  # fmt: skip


def test_a_check_in_small_letters_is_the_same_check() -> None:
    decoder = codec(LINED)
    frame = decoder.encode("4C")
    assert list(decoder.feed(frame.lower().replace(b"4c", b"4C", 1))) == [FrameBody("4C")]


def test_the_negated_sum_is_the_lrc_of_modbus_ascii() -> None:
    """Bytes and check add up to zero (Modbus over serial line, specification V1.02)."""
    assert checksum("sum8-negated", bytes.fromhex("01030000000A")) == 0xF2


@given(st.binary(max_size=64))
def test_the_checksums_agree_with_a_library_that_shares_no_code(data: bytes) -> None:
    others: dict[ChecksumKind, int] = {
        "xor8": ChecksumXor8.calc(data),
        "sum8": Checksum8.calc(data),
        "sum8-negated": -Checksum8.calc(data) & 0xFF,
        "crc16-ccitt": Crc16CcittFalse.calc(data),
        "crc16-xmodem": Crc16Xmodem.calc(data),
        "crc16-kermit": Crc16Kermit.calc(data),
        "crc16-modbus": Crc16Modbus.calc(data),
        "crc16-arc": Crc16Arc.calc(data),
    }
    for kind, value in others.items():
        assert checksum(kind, data) == value


@pytest.mark.parametrize(
    ("covers", "covered"),
    [("body", b"M"), ("body stop", b"M\x03"), ("start body", b"\x02M"), ("start body stop", b"\x02M\x03")],
)
def test_a_check_covers_what_the_map_says(covers: str, covered: bytes) -> None:
    rule = FramingRule.model_validate(
        {"start": "02", "stop": "03", "check": {"kind": "xor8", "covers": covers, "written": "byte"}}
    )
    assert FrameCodec(rule, 80, {}).encode("M") == b"\x02M\x03" + bytes((ChecksumXor8.calc(covered),))


@pytest.mark.timeout(30)
@pytest.mark.parametrize("noise", [b"\x10", b"A", b"\x04", b"\x02"])
def test_a_megabyte_of_noise_in_one_piece_takes_linear_time(noise: bytes) -> None:
    """Each byte can begin a mark of several bytes; a copy of the rest at each would take minutes."""
    decoder = FrameCodec(ESCAPED, 80, {b"\x04\x30\x37\x05": "nothing"})
    assert list(decoder.feed(noise * 1_000_000)) == []
    assert decoder.dropped >= 999_990


def test_an_escape_at_the_end_waits_for_what_it_escapes() -> None:
    decoder = codec(ESCAPED)
    frame = decoder.encode("10")
    assert list(decoder.feed(frame[:3])) == []
    assert list(decoder.feed(frame[3:])) == [FrameBody("10")]
