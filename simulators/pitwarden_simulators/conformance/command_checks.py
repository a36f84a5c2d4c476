"""Checks of clause 8: commands, counts, late and repeated requests; and of what a restart must preserve and change."""

from pitwarden_drivers.tdp.frames_device import EventFrame, ReplyFrame
from pitwarden_drivers.tdp.frames_host import CommandFrame
from pitwarden_drivers.tdp.frames_list import COUNT
from pitwarden_simulators.conformance.channel import ANSWER_MS, BenchChannel, NotPlayedError, check, must
from pitwarden_simulators.conformance.event_checks import lists

LOCK, UNLOCK, REPORT_COUNT, NONE = 1, 2, 3, 99
DONE, REFUSED, LATCHED, TOO_LATE = range(4)
_FAULTS = frozenset({0x17, 0x23, 0x33})
_PAST_MS = 1_000


async def _reply(talk: BenchChannel, command: CommandFrame) -> int:
    talk.send(command)
    reply = await talk.first(ReplyFrame, 4 * ANSWER_MS, lambda frame: frame.request == command.request)
    return must(reply, f"no Reply with request {command.request} within two seconds").result


def _request(talk: BenchChannel) -> int:
    talk.request += 1
    return talk.request & 0xFFFFFFFF


async def answered(talk: BenchChannel) -> None:
    """Check that a command is answered once."""
    await talk.identify()
    request = _request(talk)
    result = await _reply(talk, CommandFrame(request, LOCK))
    check(result in {DONE, REFUSED, LATCHED}, f"the result of lock is {result}")
    more = [frame for frame in await talk.listen(ANSWER_MS) if isinstance(frame, ReplyFrame)]
    check(not more, "a command was answered twice")
    await _reply(talk, CommandFrame(_request(talk), UNLOCK))


async def repeated(talk: BenchChannel) -> None:
    """Check that a repeated request is answered again."""
    await talk.identify()
    command = CommandFrame(_request(talk), LOCK)
    first = await _reply(talk, command)
    check(await _reply(talk, command) == first, "a repeated request was answered differently")


async def undefined(talk: BenchChannel) -> None:
    """Check that an undefined code is refused."""
    await talk.identify()
    result = await _reply(talk, CommandFrame(_request(talk), NONE))
    check(result == REFUSED, f"an unknown code was answered with {result}, not 1")


async def late(talk: BenchChannel) -> None:
    """Check that a command past its deadline is not executed."""
    found = await talk.identify()
    if found.clock == 0:
        raise NotPlayedError("the device has no clock")
    result = await _reply(talk, CommandFrame(_request(talk), LOCK, (found.clock - _PAST_MS) % 2**32 or 1))
    check(result == TOO_LATE, f"a command that was too late was answered with {result}, not 3")
    ahead = CommandFrame(_request(talk), LOCK, (found.clock + 10 * _PAST_MS) % 2**32 or 1)
    check(await _reply(talk, ahead) != TOO_LATE, "a command in time was answered with 3")


async def counted(talk: BenchChannel) -> None:
    """Check the list of a count, and its place before the Reply."""
    await talk.identify()
    request = _request(talk)
    talk.send(CommandFrame(request, REPORT_COUNT))
    heard = await talk.listen(2 * ANSWER_MS)
    ends = [at for at, frame in enumerate(heard) if isinstance(frame, ReplyFrame) and frame.request == request]
    check(len(ends) == 1, f"a count request was answered {len(ends)} times")
    reply = heard[ends[0]]
    done = isinstance(reply, ReplyFrame) and reply.result == DONE
    check(not lists(heard[ends[0] :], COUNT), "the list of a count came behind its Reply")
    found = lists(heard[: ends[0]], COUNT)
    check(len(found) == int(done), f"{len(found)} lists came with a count")
    check(all(len(content) % 2 == 0 for content in found), "a count's compartments have two bytes each")


async def restarted(talk: BenchChannel) -> None:
    """Check the boot id, the numbers and the old events after a restart."""
    before = await talk.caused(2)
    if not talk.operator.restart():
        raise NotPlayedError("nobody restarts the device")
    end = talk.wire.now + talk.operator.patience_ms
    after = await talk.identify()
    while after.boot == before.boot and after.newest >= before.newest and talk.wire.now < end:
        await talk.listen(ANSWER_MS)
        after = await talk.identify()
    check(after.boot != before.boot, "after a restart the boot id is the same")
    backlog, _ = await talk.resume(before.boot, before.newest - 1)
    there = (backlog.first, backlog.last) == (before.newest, before.newest)
    check(there or (backlog.first, backlog.last) == (0, 0), "what is kept of the boot before is neither there nor gone")
    check(backlog.then == after.boot, f"Backlog of the boot before leads to {backlog.then}, not to {after.boot}")


async def latched(talk: BenchChannel) -> None:
    """Check that a fault stays latched over unlock and restart."""
    before = await talk.identify()
    if not talk.operator.fault():
        raise NotPlayedError("nobody makes a fault")
    end = talk.wire.now + talk.operator.patience_ms
    while (now := await talk.identify()).newest == before.newest:
        if talk.wire.now >= end:
            raise NotPlayedError("no fault was sensed")
        await talk.listen(ANSWER_MS)
    check(await _reply(talk, CommandFrame(_request(talk), UNLOCK)) == LATCHED, "unlock was not refused with 2")
    if not talk.operator.restart():
        raise NotPlayedError("nobody restarts the device")
    end = talk.wire.now + talk.operator.patience_ms
    while (after := await talk.identify()).boot == now.boot and talk.wire.now < end:
        await talk.listen(ANSWER_MS)
    _, heard = await talk.resume(after.boot, 0)
    said = any(isinstance(frame, EventFrame) and frame.kind in _FAULTS for frame in heard)
    check(said, "a latched fault was not said again under the new boot")
