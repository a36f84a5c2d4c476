"""Frames of TDP 1 to bytes and back (SPEC.md). The adversary is whoever holds the line: no bytes raise here."""

from dataclasses import dataclass
from typing import Final

from pitwarden_drivers.framing.stuffed import wrap
from pitwarden_drivers.tdp.fields import Cursor, Malformed
from pitwarden_drivers.tdp.frames_device import Backlog, Event, Heartbeat, Identity, Reply
from pitwarden_drivers.tdp.frames_host import Ack, Command, HostFrame, Identify, Resume, Show
from pitwarden_drivers.tdp.frames_list import Begin, End, Items

DeviceFrame = Identity | Backlog | Event | Reply | Heartbeat | Begin | Items | End
Frame = HostFrame | DeviceFrame


@dataclass(frozen=True, slots=True)
class Unknown:
    """A frame whose type TDP 1 does not define."""

    type: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A frame with a good checksum whose body is not what its type says: a fault of the sender, not of the line."""

    type: int


TYPES: Final[dict[int, type[Frame]]] = {
    kind.TYPE: kind
    for kind in (Identify, Resume, Ack, Command, Show, Identity, Backlog, Event, Reply, Heartbeat, Begin, Items, End)
}


def decode(content: bytes) -> Frame | Unknown | Broken:
    """The frame that `content`, as the framer gives it, holds; never raises."""
    kind = TYPES.get(content[0]) if content else None
    if kind is None:
        return Unknown(content[0] if content else 0)
    cursor = Cursor(content, at=1)
    try:
        frame = kind.from_bytes(cursor)
        cursor.done()
    except Malformed:
        return Broken(content[0])
    return frame


def encode(*frames: Frame) -> bytes:
    """`frames` as they go over the line."""
    return b"".join(wrap(frame.to_bytes()) for frame in frames)
