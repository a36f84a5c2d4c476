"""Defects that depend on earlier frames, each with a memory of its own."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame, HeartbeatFrame, IdentityFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, CommandFrame, IdentifyFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.wire import Frame, decode, encode
from pitwarden_simulators.conformance.defect import Defect, every


def thirds() -> Defect:
    """Return a defect that omits two of three heartbeats."""
    beats = count()
    return Defect(outward=every(HeartbeatFrame, lambda frame: (frame,) if next(beats) % 3 == 0 else ()))


def repeating() -> Defect:
    """Return a defect that repeats the last event with each heartbeat."""
    last: list[EventFrame] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, EventFrame):
            last[:] = [frame]
        return (frame, *last) if isinstance(frame, HeartbeatFrame) else (frame,)

    return Defect(outward=outward)


def impatient() -> Defect:
    """Return a defect that follows each Identify with a Resume that no host sent, and swallows its Backlog."""
    own: list[int] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, IdentityFrame):
            own[:] = [frame.boot]
        return (frame,)

    def inward(frame: Frame) -> Iterable[Frame]:
        early = (ResumeFrame(own[0], 0),) if own and isinstance(frame, IdentifyFrame) else ()
        return (frame, *early)

    return Defect(inward, outward)


def first_resume_wins() -> Defect:
    """Return a defect that answers the second of two Resumes with the events of the first."""

    def bytes_in(data: bytes) -> bytes:
        found = [decode(one.content) for one in Framer().feed(data) if isinstance(one, GoodFrame)]
        resumes = [frame for frame in found if isinstance(frame, ResumeFrame)]
        return encode(resumes[1], resumes[0]) if len(resumes) == 2 else data  # noqa: PLR2004  two, as the summary states

    return Defect(bytes_in=bytes_in)


def sleepy() -> Defect:
    """Return a defect that delays new events until they are requested."""
    asked: list[int] = [0]

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, BacklogFrame):
            asked[0] = frame.last
        return () if isinstance(frame, EventFrame) and frame.counter > asked[0] else (frame,)

    return Defect(outward=outward)


def once_only() -> Defect:
    """Return a defect that answers no repeated request."""
    seen: set[int] = set()

    def inward(frame: Frame) -> Iterable[Frame]:
        if not isinstance(frame, CommandFrame):
            return (frame,)
        known = frame.request in seen
        seen.add(frame.request)
        return () if known else (frame,)

    return Defect(inward)


def reply_first() -> Defect:
    """Return a defect that sends a count's list after its Reply."""
    held: list[Frame] = []

    def outward(frame: Frame) -> Iterable[Frame]:
        if (
            isinstance(frame, ListBeginFrame | ListItemsFrame | ListEndFrame)
            and (not isinstance(frame, ListBeginFrame) or frame.boot == 0)
            and (held or isinstance(frame, ListBeginFrame))
        ):
            held.append(frame)
            return ()
        if isinstance(frame, ReplyFrame) and held:
            late, held[:] = tuple(held), []
            return (frame, *late)
        return (frame,)

    return Defect(outward=outward)


def acks_all() -> Defect:
    """Return a defect that deletes all events at an Ack for any boot."""
    own: list[int] = [0]

    def outward(frame: Frame) -> Iterable[Frame]:
        if isinstance(frame, IdentityFrame):
            own[0] = frame.boot
        return (frame,)

    return Defect(
        every(AckFrame, lambda frame: (frame if frame.boot == own[0] else AckFrame(own[0], 2**32 - 1),)), outward
    )


def changing() -> Defect:
    """Return a defect that changes the firmware in each identity."""
    counts = count()
    return Defect(outward=every(IdentityFrame, lambda one: (replace(one, firmware=f"1.{next(counts)}"),)))
