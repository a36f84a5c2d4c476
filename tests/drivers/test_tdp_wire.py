"""Frames of TDP: all go over the wire and back, and no bytes raise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.frames_device import (
    FAMILIES,
    BacklogFrame,
    EventFrame,
    HeartbeatFrame,
    IdentityFrame,
    ReplyFrame,
)
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, IdentifyFrame, LampFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.wire import Frame, MalformedFrame, UnknownFrame, decode, encode

U32 = st.integers(0, 2**32 - 1)
BYTE = st.integers(0, 255)
TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=64)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(IdentifyFrame, U32, BYTE),
    st.builds(ResumeFrame, U32, U32),
    st.builds(AckFrame, U32, U32),
    st.builds(CommandFrame, U32, BYTE, U32),
    st.builds(LampFrame, BYTE, BYTE, BYTE, st.integers(0, 65_535)),
    st.builds(
        IdentityFrame,
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
    st.builds(lambda boot, last, then: BacklogFrame(boot, 1, last, then), U32, U32, U32),
    st.builds(EventFrame, U32, U32, BYTE, st.binary(max_size=200)),
    st.builds(ReplyFrame, U32, BYTE),
    st.builds(HeartbeatFrame, U32, U32, U32, U32),
    st.builds(ListBeginFrame, BYTE, U32, U32, st.integers(0, 832), U32),
    st.builds(ListItemsFrame, U32, st.integers(0, 65_535), st.binary(max_size=200)),
    st.builds(ListEndFrame, U32),
)


@given(FRAMES)
def test_every_frame_goes_over_the_wire_and_back(frame: Frame) -> None:
    (found,) = Framer().feed(encode(frame))
    assert isinstance(found, GoodFrame)
    assert decode(found.content) == frame


@given(st.one_of(BYTE.map(lambda kind: bytes([kind])), st.just(b"")), st.binary(max_size=300))
def test_any_content_is_a_frame_of_these_very_bytes_or_is_not_a_frame(kind: bytes, content: bytes) -> None:
    frame = decode(kind + content)
    assert isinstance(frame, UnknownFrame | MalformedFrame) or frame.to_bytes() == kind + content


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", UnknownFrame(0)),
        (b"\x55", UnknownFrame(0x55)),
        (b"\x03\x00", MalformedFrame(3)),
        (ListEndFrame(1).to_bytes() + b"\x00", MalformedFrame(0x93)),
        (BacklogFrame(1, 5, 3, 0).to_bytes(), MalformedFrame(0x82)),
        (BacklogFrame(1, 0, 3, 0).to_bytes(), MalformedFrame(0x82)),
        (ListBeginFrame(0x14, 1, 1, 833, 0).to_bytes(), MalformedFrame(0x91)),
        (IdentityFrame(1, "shoe", 0, 0, 1_000, "N42", "1").to_bytes(), MalformedFrame(0x81)),
        (IdentityFrame(1, "shoe", 1, 0, 1_000, "N42", "1").to_bytes().replace(b"N42", b"N\xe42"), MalformedFrame(0x81)),
        (IdentityFrame(1, "shoe", 1, 0, 1_000, "N42", "1").to_bytes().replace(b"N42", b"N\x1f2"), MalformedFrame(0x81)),
        (IdentityFrame(1, "shoe", 1, 0, 99, "N42", "1").to_bytes(), MalformedFrame(0x81)),
    ],
)
def test_what_is_no_frame_says_only_its_type(content: bytes, found: object) -> None:
    assert decode(content) == found
