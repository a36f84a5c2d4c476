"""Meanings of TDP's frames: all that a device can say goes there and back; what cannot be is suspect."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_client.events import device as ev
from pitwarden_client.events.card_faces import FACES
from pitwarden_client.events.keypad import KEYS
from pitwarden_drivers.api import Family, PlainAnswer, PlainCard, PlainStack, Said, Secret
from pitwarden_drivers.framing.stuffed import Framer
from pitwarden_drivers.tdp import fields
from pitwarden_drivers.tdp.frames_device import FAMILIES, EventFrame
from pitwarden_drivers.tdp.frames_list import ListAssembler, ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.meaning import (
    KINDS,
    MAX_STACK,
    count_from_compartments,
    event_from_payload,
    frames_for_event,
    stack_from_faces,
)
from pitwarden_drivers.tdp.wire import encode

BYTE = st.integers(0, 255)
DECK = st.from_regex(r"\A[A-Za-z0-9_-]{1,64}\Z")
COUNT = st.integers(0, 9_999)
MAYBE = st.none() | COUNT
FACE = st.sampled_from(sorted(FACES)).map(Secret)
MODE = st.sampled_from(["shuffle", "sort"])
SAID: dict[Family, st.SearchStrategy[Said]] = {
    "shoe": st.one_of(
        st.builds(ev.ShoeLoaded, deck=DECK, count=MAYBE),
        st.builds(PlainCard, FACE, st.sampled_from([True, False, None]), st.none() | st.from_regex(r"\A[a-z]{1,16}\Z")),
        st.builds(PlainStack, COUNT),
        st.lists(FACE, min_size=1, max_size=MAX_STACK).map(lambda faces: PlainStack(len(faces), tuple(faces))),
        st.just(ev.ShoeCut()),
        st.just(ev.ShoeEmpty()),
        st.builds(ev.ShoeFault, fault=st.sampled_from(["jam", "stopped", "short"])),
        st.builds(ev.ShoeUnloaded, count=MAYBE),
    ),
    "shuffler": st.one_of(
        st.builds(ev.ShufflerStarted, deck=DECK, mode=MODE),
        st.builds(ev.ShufflerDone, deck=DECK, count=MAYBE, mode=MODE),
        st.builds(ev.ShufflerFault, deck=DECK, fault=st.sampled_from(["jam", "stopped", "incomplete"]), holding=MAYBE),
    ),
    "reader": st.one_of(
        st.just(ev.ReaderInserted()),
        st.just(ev.ReaderHolePlaced()),
        st.sampled_from([0, 1]).map(lambda bit: PlainAnswer(Secret(bit))),
        st.builds(ev.ReaderFault, fault=st.sampled_from(["jam", "no_answer", "hardware"])),
    ),
    "keypad": st.builds(
        ev.KeypadEntry, key=st.sampled_from(KEYS), digits=st.from_regex(r"[0-9]{0,16}", fullmatch=True)
    ),
}


def heard(
    family: Family, frames: tuple[EventFrame | ListBeginFrame | ListItemsFrame | ListEndFrame, ...]
) -> Said | None:
    """Return the event that a host reads from `frames`."""
    first = frames[0]
    if isinstance(first, EventFrame):
        return event_from_payload(family, first.kind, first.payload)
    assert isinstance(first, ListBeginFrame)
    gathering = ListAssembler(first)
    for part in frames[1:-1]:
        assert isinstance(part, ListItemsFrame)
        gathering.add(part)
    assert isinstance(frames[-1], ListEndFrame)
    whole = gathering.finish(frames[-1])
    return None if whole is None else stack_from_faces(family, whole)


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_all_that_a_device_can_say_goes_there_and_back(family: Family, data: st.DataObject) -> None:
    said = data.draw(SAID[family])
    assert heard(family, frames_for_event(7, 1, said)) == said


def test_every_event_that_a_device_originates_has_a_kind() -> None:
    makes = {kind.makes for kind in KINDS.values()}
    by_host = {"DeviceIdentified", "DeviceHealth", "DeviceGap", "DeviceRestarted", "DeviceCount", "DeviceUnknown"}
    by_host |= {"DeviceCommand", "DeviceSuspect"}
    by_map = {"DeviceCover", "DevicePower", "DeviceMaintenance", "DeviceMeter"}  # TDP 1 has no kinds for them
    plain = {"ShoeCard": PlainCard, "ShoeStack": PlainStack, "ReaderResult": PlainAnswer}
    for model in get_args(ev.DeviceEvent):
        assert model.__name__ in by_host | by_map or plain.get(model.__name__, model) in makes


@pytest.mark.parametrize("family", FAMILIES)
@given(kind=BYTE, payload=st.binary(max_size=80))
def test_no_payload_raises_and_what_cannot_be_is_suspect_without_its_bytes(
    family: Family, kind: int, payload: bytes
) -> None:
    said = event_from_payload(family, kind, payload)
    if kind not in KINDS:
        assert said == ev.DeviceUnknown(code=kind)
    if isinstance(said, ev.DeviceSuspect):
        assert payload.hex() not in said.reason or len(payload) < 2  # one byte in hexadecimal may stand in a word


@pytest.mark.parametrize(
    ("family", "kind", "payload"),
    [
        ("shoe", 0x12, "350200"),  # a face code that is no face
        ("shoe", 0x12, "130300"),  # a fourth kind of sensor
        ("shoe", 0x12, "1302"),  # too short
        ("shoe", 0x12, "13020000"),  # too long
        ("shoe", 0x12, "1302035245442"[:12]),  # a colour in capitals
        ("shoe", 0x13, "ffff"),  # a stack of unknown size
        ("shoe", 0x18, "2710"),  # ten thousand cards
        ("shoe", 0x11, "0120ffff"),  # a deck called space
        ("shoe", 0x11, "0107ffff"),  # a deck called BEL
        ("reader", 0x32, "02"),  # a third answer
        ("reader", 0x12, "130200"),  # a reader has no rank field
        ("shuffler", 0x17, "00"),
    ],
)
def test_a_payload_that_cannot_be_is_suspect(family: Family, kind: int, payload: str) -> None:
    assert isinstance(event_from_payload(family, kind, bytes.fromhex(payload)), ev.DeviceSuspect)


def test_a_stack_or_a_count_that_cannot_be_is_suspect() -> None:
    assert isinstance(stack_from_faces("shoe", bytes(MAX_STACK + 1)), ev.DeviceSuspect)
    assert isinstance(stack_from_faces("shoe", b"\x05\xff"), ev.DeviceSuspect)
    assert isinstance(stack_from_faces("reader", b"\x05"), ev.DeviceSuspect)
    assert isinstance(count_from_compartments("r", b"\x00"), ev.DeviceSuspect)
    assert isinstance(count_from_compartments("r", b"\x27\x0f\x00\x01"), ev.DeviceSuspect)
    assert count_from_compartments("r", b"\x00\x24\x00\x10") == ev.DeviceCount(request="r", count=52)


def test_what_no_device_originates_is_not_sent() -> None:
    with pytest.raises(ValueError, match="DeviceUnknown is not an event"):
        frames_for_event(1, 1, ev.DeviceUnknown(code=1))
    with pytest.raises(ValueError, match="64 printable ASCII"):
        fields.text("ä")


def test_no_repr_shows_a_card() -> None:
    frames = (
        *frames_for_event(1, 1, PlainCard(Secret(51))),
        *frames_for_event(1, 2, PlainStack(2, (Secret(50), Secret(51)))),
    )
    shown = repr(frames) + repr(Framer().feed(encode(*frames)))
    assert "payload" not in shown
    assert "items" not in shown
    assert "crc" not in shown
    assert "content" not in shown
    assert "51" not in repr(event_from_payload("shoe", 0x12, b"\x33\x02\x00"))
