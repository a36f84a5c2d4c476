"""Frames of TDP: all go over the wire and back, and no bytes raise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.framing.stuffed import Framer, Good
from pitwarden_drivers.tdp.frames_device import FAMILIES, Backlog, Event, Heartbeat, Identity, Reply
from pitwarden_drivers.tdp.frames_host import Ack, Command, Identify, Resume, Show
from pitwarden_drivers.tdp.frames_list import Begin, End, Items
from pitwarden_drivers.tdp.wire import Broken, Frame, Unknown, decode, encode

U32 = st.integers(0, 2**32 - 1)
BYTE = st.integers(0, 255)
TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=64)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(Identify, U32, BYTE),
    st.builds(Resume, U32, U32),
    st.builds(Ack, U32, U32),
    st.builds(Command, U32, BYTE, U32),
    st.builds(Show, BYTE, BYTE, BYTE, st.integers(0, 65_535)),
    st.builds(
        Identity,
        U32,
        st.sampled_from(FAMILIES),
        st.integers(1, 2**32 - 1),
        U32,
        st.integers(100, 10_000),
        TEXT,
        TEXT,
        BYTE,
        U32,
    ),
    st.builds(lambda boot, last, then: Backlog(boot, 1, last, then), U32, U32, U32),
    st.builds(Event, U32, U32, BYTE, st.binary(max_size=200)),
    st.builds(Reply, U32, BYTE),
    st.builds(Heartbeat, U32, U32, U32, U32),
    st.builds(Begin, BYTE, U32, U32, st.integers(0, 832), U32),
    st.builds(Items, U32, st.integers(0, 65_535), st.binary(max_size=200)),
    st.builds(End, U32),
)


@given(FRAMES)
def test_every_frame_goes_over_the_wire_and_back(frame: Frame) -> None:
    (found,) = Framer().feed(encode(frame))
    assert isinstance(found, Good)
    assert decode(found.content) == frame


@given(st.one_of(BYTE.map(lambda kind: bytes([kind])), st.just(b"")), st.binary(max_size=300))
def test_any_content_is_a_frame_of_these_very_bytes_or_is_not_a_frame(kind: bytes, content: bytes) -> None:
    frame = decode(kind + content)
    assert isinstance(frame, Unknown | Broken) or frame.to_bytes() == kind + content


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", Unknown(0)),
        (b"\x55", Unknown(0x55)),
        (b"\x03\x00", Broken(3)),
        (End(1).to_bytes() + b"\x00", Broken(0x93)),
        (Backlog(1, 5, 3, 0).to_bytes(), Broken(0x82)),
        (Backlog(1, 0, 3, 0).to_bytes(), Broken(0x82)),
        (Begin(0x14, 1, 1, 833, 0).to_bytes(), Broken(0x91)),
        (Identity(1, "shoe", 0, 0, 1_000, "N42", "1").to_bytes(), Broken(0x81)),
        (Identity(1, "shoe", 1, 0, 1_000, "N42", "1").to_bytes().replace(b"N42", b"N\xe42"), Broken(0x81)),
        (Identity(1, "shoe", 1, 0, 1_000, "N42", "1").to_bytes().replace(b"N42", b"N\x1f2"), Broken(0x81)),
        (Identity(1, "shoe", 1, 0, 99, "N42", "1").to_bytes(), Broken(0x81)),
    ],
)
def test_what_is_no_frame_says_only_its_type(content: bytes, found: object) -> None:
    assert decode(content) == found
