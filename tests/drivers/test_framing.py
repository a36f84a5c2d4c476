"""The framer against the line: any cut and any garbage between frames gives the same frames (B11)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.framing.stuffed import MAX_CONTENT, BadFrame, Framer, GoodFrame, encode_frame

CONTENT = st.binary(min_size=1, max_size=MAX_CONTENT)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in pairwise(edges)]


@given(st.lists(CONTENT, max_size=6), st.lists(st.binary(max_size=40), max_size=7), st.lists(st.integers(0, 4_000)))
def test_any_cut_and_any_garbage_between_frames_gives_the_same_frames(
    contents: list[bytes], garbage: list[bytes], places: list[int]
) -> None:
    noise = [*garbage, *([b""] * (len(contents) + 1 - len(garbage)))]
    wire = b"".join(dirt + encode_frame(content) for dirt, content in zip(noise, contents, strict=False)) + noise[-1]
    framer = Framer()
    found = [item for piece in cut(wire, places) for item in framer.feed(piece)]
    assert [item.content for item in found if isinstance(item, GoodFrame)] == contents
    assert sum(item.size for item in found) + framer.pending + wire.count(b"\x7e") >= len(wire)


@given(st.lists(CONTENT, min_size=3, max_size=3), st.integers(0, 600), st.integers(1, 255))
def test_one_damaged_byte_costs_one_frame_at_most(contents: list[bytes], place: int, flip: int) -> None:
    frames = [encode_frame(content) for content in contents]
    wire = bytearray(b"".join(frames))
    wire[len(frames[0]) + place % len(frames[1])] ^= flip
    found = [item.content for item in Framer().feed(bytes(wire)) if isinstance(item, GoodFrame)]
    assert found in ([contents[0], contents[2]], [contents[0], *contents[1:]])
    assert found != contents or wire != b"".join(frames)


@given(st.lists(st.binary(max_size=3_000), max_size=8))
def test_hostile_bytes_never_raise_and_never_grow(pieces: list[bytes]) -> None:
    framer = Framer()
    for piece in pieces:
        framer.feed(piece)
        assert len(framer._raw) <= 2 * (MAX_CONTENT + 4)  # noqa: SLF001  the bound is what this test is about


def test_a_babbling_device_costs_its_babble_and_not_the_frame_after_it() -> None:
    framer = Framer()
    for _ in range(200):
        assert framer.feed(b"\x41" * 1_000) == ()
    assert framer.pending == 200_000
    assert framer.feed(encode_frame(b"card")) == (BadFrame(200_000), GoodFrame(b"card", 10))


@pytest.mark.parametrize("content", [b"", bytes(MAX_CONTENT + 1)])
def test_a_frame_too_short_or_too_long_is_not_sent(content: bytes) -> None:
    with pytest.raises(ValueError, match="1 to 256 bytes"):
        encode_frame(content)


@pytest.mark.parametrize("byte", [0x00, 0x0D, 0x11, 0x13, 0x7D, 0x7E, 0xFF])
def test_bytes_that_lines_like_to_eat_arrive_and_flow_control_never_stands_on_the_wire(byte: int) -> None:
    wire = encode_frame(bytes((byte,)) * 4)
    assert not {0x11, 0x13} & set(wire)
    assert Framer().feed(wire) == (GoodFrame(bytes((byte,)) * 4, len(wire)),)


@pytest.mark.parametrize("raw", [b"\x7d", b"A\x7d", b"\x7d\x41", b"ABCD", b"\x7d\x7d"])
def test_a_wrong_escape_or_a_short_frame_is_bad(raw: bytes) -> None:
    assert Framer().feed(b"\x7e" + raw + b"\x7e") == (BadFrame(len(raw)),)
