"""Frames of TDP 1 to bytes and back (SPEC.md). The adversary is whoever holds the line: no bytes raise here."""

from dataclasses import dataclass
from typing import Final

from pitwarden_drivers.framing.stuffed import encode_frame
from pitwarden_drivers.tdp.fields import BodyReader, MalformedBodyError
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, HostFrame, IdentifyFrame, LampFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame, ListEndFrame, ListItemsFrame

DeviceFrame = (
    IdentityFrame
    | BacklogFrame
    | EventFrame
    | ReplyFrame
    | HeartbeatFrame
    | ListBeginFrame
    | ListItemsFrame
    | ListEndFrame
)
Frame = HostFrame | DeviceFrame


@dataclass(frozen=True, slots=True)
class UnknownFrame:
    """A frame whose type TDP 1 does not define."""

    type: int


@dataclass(frozen=True, slots=True)
class MalformedFrame:
    """A frame with a good checksum whose body is not what its type says: a fault of the sender, not of the line."""

    type: int


TYPES: Final[dict[int, type[Frame]]] = {
    kind.TYPE: kind
    for kind in (
        IdentifyFrame,
        ResumeFrame,
        AckFrame,
        CommandFrame,
        LampFrame,
        IdentityFrame,
        BacklogFrame,
        EventFrame,
        ReplyFrame,
        HeartbeatFrame,
        ListBeginFrame,
        ListItemsFrame,
        ListEndFrame,
    )
}


def decode(content: bytes) -> Frame | UnknownFrame | MalformedFrame:
    """The frame that `content`, as the framer gives it, holds; never raises."""
    kind = TYPES.get(content[0]) if content else None
    if kind is None:
        return UnknownFrame(content[0] if content else 0)
    cursor = BodyReader(content, at=1)
    try:
        frame = kind.from_bytes(cursor)
        cursor.done()
    except MalformedBodyError:
        return MalformedFrame(content[0])
    return frame


def encode(*frames: Frame) -> bytes:
    """`frames` as they go over the line."""
    return b"".join(encode_frame(frame.to_bytes()) for frame in frames)
