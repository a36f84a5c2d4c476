"""Event kinds of TDP 1 as a table (SPEC.md section 6): the payload of each kind, and the event that it becomes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pitwarden_client.events import device as ev
from pitwarden_client.events.keypad import KEYS, MOST_DIGITS
from pitwarden_drivers.api import Family, PlainAnswer, PlainCard, PlainStack, Said, Secret
from pitwarden_drivers.tdp.fields import (
    BACK,
    BIT,
    COUNT,
    DECK,
    FACE,
    MAX_COUNT,
    MAYBE_COUNT,
    UP,
    BodyReader,
    Codec,
    MalformedBodyError,
    choice,
    text_matching,
)
from pitwarden_drivers.tdp.frames_device import EventFrame
from pitwarden_drivers.tdp.frames_list import STACK, ListBeginFrame, ListEndFrame, ListItemsFrame, list_frames

# Cards of one stack: eight decks of 52.
MAX_STACK: Final = 416
_Layout = tuple[tuple[str, Codec[Any]], ...]  # the codecs of one table have as many types as it has columns


@dataclass(frozen=True, slots=True)
class _Kind:
    family: Family
    makes: type[Said]
    layout: _Layout = ()

    @property
    def build(self) -> Callable[..., Said]:
        return self.makes


_MODE: Final = choice("shuffle", "sort")
KINDS: Final[dict[int, _Kind]] = {
    0x11: _Kind("shoe", ev.ShoeLoaded, (("deck", DECK), ("count", MAYBE_COUNT))),
    0x12: _Kind("shoe", PlainCard, (("face", FACE), ("up", UP), ("back", BACK))),
    0x13: _Kind("shoe", PlainStack, (("count", COUNT),)),
    0x15: _Kind("shoe", ev.ShoeCut),
    0x16: _Kind("shoe", ev.ShoeEmpty),
    0x17: _Kind("shoe", ev.ShoeFault, (("fault", choice("jam", "stopped", "short")),)),
    0x18: _Kind("shoe", ev.ShoeUnloaded, (("count", MAYBE_COUNT),)),
    0x21: _Kind("shuffler", ev.ShufflerStarted, (("deck", DECK), ("mode", _MODE))),
    0x22: _Kind("shuffler", ev.ShufflerDone, (("deck", DECK), ("count", MAYBE_COUNT), ("mode", _MODE))),
    0x23: _Kind(
        "shuffler",
        ev.ShufflerFault,
        (("deck", DECK), ("fault", choice("jam", "stopped", "incomplete")), ("holding", MAYBE_COUNT)),
    ),
    0x31: _Kind("reader", ev.ReaderInserted),
    0x32: _Kind("reader", PlainAnswer, (("bit", BIT),)),
    0x33: _Kind("reader", ev.ReaderFault, (("fault", choice("jam", "no_answer", "hardware")),)),
    0x34: _Kind("reader", ev.ReaderHolePlaced),
    0x41: _Kind(
        "keypad", ev.KeypadEntry, (("key", choice(*KEYS)), ("digits", text_matching(rf"[0-9]{{0,{MOST_DIGITS}}}")))
    ),
}
_CODES: Final = {kind.makes: code for code, kind in KINDS.items()}


def event_from_payload(family: Family, kind: int, payload: bytes) -> Said:
    """Return the event of a payload from a device of `family`; a DeviceUnknown for a kind that is not in the table.

    A DeviceSuspect, which never repeats the bytes, stands for an invalid payload or a kind of another family.
    """
    known = KINDS.get(kind)
    if known is None:
        return ev.DeviceUnknown(code=kind)
    if known.family != family:
        return ev.DeviceSuspect(reason=f"a {family} sent event kind 0x{kind:02X}, which a {known.family} sends")
    cursor = BodyReader(payload)
    try:
        fields = {name: codec.read(cursor) for name, codec in known.layout}
        cursor.done()
        return known.build(**fields)
    except MalformedBodyError:
        return ev.DeviceSuspect(reason=f"event kind 0x{kind:02X} came with a payload that cannot be")


def stack_from_faces(family: Family, faces: bytes) -> Said:
    """Return the event of a complete list of faces."""
    if family != "shoe":
        return ev.DeviceSuspect(reason=f"a {family} sent a stack, which a shoe sends")
    if len(faces) > MAX_STACK:
        return ev.DeviceSuspect(reason="a stack of more than 416 cards")
    cursor = BodyReader(faces)
    try:
        secrets: tuple[Secret, ...] = tuple(FACE.read(cursor) for _ in faces)
    except MalformedBodyError:
        return ev.DeviceSuspect(reason="a stack came with a face code that is not in the list")
    return PlainStack(len(secrets), secrets)


def count_from_compartments(request: str, compartments: bytes) -> ev.DeviceCount | ev.DeviceSuspect:
    """Return the count in a complete list of compartments: how many cards the device holds."""
    cursor = BodyReader(compartments)
    try:
        count = sum(COUNT.read(cursor) for _ in range(0, len(compartments), 2))
    except MalformedBodyError:
        return ev.DeviceSuspect(reason="a count came with a compartment that cannot be")
    if count > MAX_COUNT:
        return ev.DeviceSuspect(reason="a count above 9,999 cards")
    return ev.DeviceCount(request=request, count=count)


def frames_for_event(
    boot: int, counter: int, said: Said
) -> tuple[EventFrame | ListBeginFrame | ListItemsFrame | ListEndFrame, ...]:
    """Return the frames in which a device sends `said` as its event `counter`.

    Raises:
        ValueError: No device originates such an event.
    """
    if isinstance(said, PlainStack) and said.faces:
        return list_frames(STACK, boot, counter, bytes(secret.value for secret in said.faces))
    code = _CODES.get(type(said))
    if code is None:
        raise ValueError(f"{type(said).__name__} is not an event that a TDP device originates")
    payload = b"".join(codec.write(getattr(said, name)) for name, codec in KINDS[code].layout)
    return (EventFrame(boot, counter, code, payload),)
