"""Checks of clauses 1, 4, 6 and 7: events in order, once, stored until they are acknowledged; lists complete."""

from pitwarden_client.events.device import DeviceSuspect, DeviceUnknown
from pitwarden_drivers.tdp.frames_device import BacklogFrame, EventFrame
from pitwarden_drivers.tdp.frames_host import AckFrame, ResumeFrame
from pitwarden_drivers.tdp.frames_list import STACK, ListAssembler, ListBeginFrame, ListEndFrame, ListItemsFrame
from pitwarden_drivers.tdp.meaning import event_from_payload, stack_from_faces
from pitwarden_simulators.conformance.channel import (
    ANSWER_MS,
    BenchChannel,
    NotPlayedError,
    ReceivedFrame,
    check,
    counters,
    must,
)

KEPT = 64
_NEVER = 0xFFFFFFF0


async def order(talk: BenchChannel) -> None:
    """Check the answer to Resume and the order of its events."""
    found = await talk.caused(5)
    backlog, heard = await talk.resume(found.boot, 0)
    wanted = list(range(backlog.first, backlog.last + 1))
    check(counters(heard) == wanted, f"Backlog says {backlog.first} to {backlog.last}, {len(counters(heard))} came")
    backlog, heard = await talk.resume(found.boot, found.newest - 2)
    check(counters(heard) == [found.newest - 1, found.newest], "a Resume behind the last but two gave other events")


async def live(talk: BenchChannel) -> None:
    """Check that new events are sent at once."""
    found = await talk.identify()
    await talk.resume(found.boot, found.newest)
    talk.operator.cause(1)
    end = talk.wire.now + talk.operator.patience_ms
    while talk.wire.now < end:
        if found.newest + 1 in counters(await talk.listen(ANSWER_MS)):
            return
    check((await talk.identify()).newest == found.newest, "a new event was not sent until it was asked for")
    raise NotPlayedError("no event was sensed")


async def once(talk: BenchChannel) -> None:
    """Check that the device never repeats an event by itself."""
    found = await talk.caused(2)
    await talk.resume(found.boot, 0)
    heard = await talk.listen(3 * found.heartbeat_ms)
    check(not counters(heard), "an event came again that nobody asked for")


async def replaced(talk: BenchChannel) -> None:
    """Check that a second Resume replaces the first."""
    found = await talk.caused(3)
    talk.send(ResumeFrame(found.boot, 0), ResumeFrame(found.boot, found.newest - 1))
    fits = lambda frame: frame.first == found.newest  # noqa: E731  the Backlog of the second
    must(await talk.first(BacklogFrame, 5 * ANSWER_MS, fits), "the second of two Resume was not answered")
    heard = await talk.listen(ANSWER_MS)
    check(counters(heard) == [found.newest], "behind the second Backlog came what the first Resume asked for")


async def forgotten(talk: BenchChannel) -> None:
    """Check that acknowledged events are deleted."""
    found = await talk.caused(3)
    talk.send(AckFrame(found.boot, found.newest - 1))
    backlog, _ = await talk.resume(found.boot, 0)
    check(backlog.first <= found.newest, "an event was forgotten that nobody acknowledged")
    check(backlog.first == found.newest, f"events from {backlog.first} on are kept after Ack of {found.newest - 1}")


async def foreign_ack(talk: BenchChannel) -> None:
    """Check that an Ack for an unknown boot is ignored."""
    found = await talk.caused(1)
    before, _ = await talk.resume(found.boot, 0)
    talk.send(AckFrame(_NEVER, _NEVER))
    after, _ = await talk.resume(found.boot, 0)
    check(before.first == after.first, "an Ack for an unknown boot made the device forget")


async def unknown_boot(talk: BenchChannel) -> None:
    """Check the Backlog of an unknown boot."""
    found = await talk.identify()
    backlog, heard = await talk.resume(0, 0)
    check((backlog.first, backlog.last) == (0, 0), "Backlog of an unknown boot is not 0, 0")
    check(0 < backlog.then <= found.boot, f"Backlog of an unknown boot leads to boot {backlog.then}")
    check(not counters(heard), "events came of a boot that is unknown")


async def keeps(talk: BenchChannel) -> None:
    """Check that at least 64 events are stored."""
    found = await talk.identify()
    await talk.caused(KEPT)
    backlog, heard = await talk.resume(found.boot, found.newest, 2 * ANSWER_MS)
    check(backlog.first == found.newest + 1, f"of {KEPT} events the first {backlog.first - found.newest - 1} are gone")
    check(len(counters(heard)) >= KEPT, f"of {KEPT} events {len(counters(heard))} came")


async def kinds(talk: BenchChannel) -> None:
    """Check the family and the payload of each event."""
    found = await talk.caused(2)
    _, heard = await talk.resume(found.boot, 0)
    for frame in heard:
        if isinstance(frame, EventFrame):
            said = event_from_payload(found.family, frame.kind, frame.payload)
            check(not isinstance(said, DeviceUnknown), f"event kind 0x{frame.kind:02X} is not in the table")
            check(not isinstance(said, DeviceSuspect), getattr(said, "reason", ""))


async def stacks(talk: BenchChannel) -> None:
    """Check that a stack is one complete list."""
    found = await talk.caused(8)
    _, heard = await talk.resume(found.boot, 0)
    if not any(isinstance(frame, ListBeginFrame) for frame in heard):
        raise NotPlayedError("the device dispenses no stacks, or does not read them")
    for content in lists(heard, STACK):
        check(not isinstance(stack_from_faces(found.family, content), DeviceSuspect), "a stack holds what is no face")


def lists(frames: list[ReceivedFrame], subject: int) -> list[bytes]:
    """Return the contents of all lists of `subject`.

    Raises:
        BrokenObligationError: A list is incomplete.
    """
    whole: list[bytes] = []
    gathering: ListAssembler | None = None
    for frame in frames:
        match frame:
            case ListBeginFrame():
                check(gathering is None, "a list began within another")
                gathering = ListAssembler(frame)
            case ListItemsFrame() if gathering is not None:
                gathering.add(frame)
            case ListEndFrame() if gathering is not None:
                content = must(gathering.finish(frame), "a list's size or checksum is not what Begin says")
                whole += [content] if gathering.begin.subject == subject else []
                gathering = None
            case EventFrame():
                check(gathering is None, "an Event came within a list")
            case _:
                pass
    check(gathering is None, "a list has no End")
    return whole
