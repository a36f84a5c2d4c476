"""Codec of TDP 1 frames (SPEC.md).

Threat: any device or person on the line, so no bytes make the decoder raise.
"""

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
    """Frame whose type TDP 1 does not define."""

    type: int


@dataclass(frozen=True, slots=True)
class MalformedFrame:
    """Frame with a good checksum and a body that its type does not allow: a fault of the sender, not of the line."""

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
    """Return the frame in `content`, the output of the framer; never raises."""
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
    """Return the bytes of `frames` on the line."""
    return b"".join(encode_frame(frame.to_bytes()) for frame in frames)
