"""Checks of clauses 4 and 5: identity, heartbeats and the clock."""

from pitwarden_drivers.tdp.frames_device import HeartbeatFrame, IdentityFrame
from pitwarden_simulators.conformance.channel import ANSWER_MS, BenchChannel, NotPlayedError, beats, check, counters

# Tolerance for a device's timer and a UART's buffer.
_SLACK = 1.25
_BEATS = 4
_CLOCK_SHARE = 0.2


async def token(talk: BenchChannel) -> None:
    """Check that Identify is answered at once, with its token."""
    asked = talk.wire.now
    await talk.identify()
    check(talk.wire.now - asked <= ANSWER_MS, "Identity came more than half a second after Identify")


async def silent(talk: BenchChannel) -> None:
    """Check the silence from Identify to the next Resume."""
    await talk.caused(1)
    heard = await talk.listen(2 * ANSWER_MS)
    check(not counters(heard), "an event was sent before Resume")


async def newest(talk: BenchChannel) -> None:
    """Check `newest` of the identity."""
    found = await talk.caused(2)
    backlog, _ = await talk.resume(found.boot, 0)
    check(backlog.last == found.newest, f"Identity says newest {found.newest}, Backlog ends at {backlog.last}")


async def period(talk: BenchChannel) -> None:
    """Check the period of the heartbeats."""
    found = await talk.identify()
    longest = int(found.heartbeat_ms * _SLACK) + 50
    for _ in range(_BEATS):
        check(await talk.first(HeartbeatFrame, longest) is not None, f"no Heartbeat for {longest} ms")


async def sent(talk: BenchChannel) -> None:
    """Check `sent` and `oldest` of the heartbeats."""
    found = await talk.caused(1)
    await talk.resume(found.boot, 0)
    paused = await talk.caused(1)
    beat = next(iter(beats(await talk.listen(2 * paused.heartbeat_ms))), None)
    if beat is None:
        raise NotPlayedError("no heartbeat came")
    check(beat.boot == paused.boot, "a Heartbeat names another boot than Identity")
    check(beat.sent < paused.newest, f"Heartbeat says {beat.sent} was sent, but {paused.newest} was not asked for")
    check(0 < beat.oldest <= beat.sent + 1, f"Heartbeat says the oldest kept is {beat.oldest} of {beat.sent} sent")


async def clock(talk: BenchChannel) -> None:
    """Check the clock of the heartbeats."""
    first, at = await talk.identify(), talk.wire.now
    await talk.listen(2 * first.heartbeat_ms)
    last, then = await talk.identify(), talk.wire.now
    if first.clock == 0 and last.clock == 0:
        raise NotPlayedError("the device has no clock")
    ran = (last.clock - first.clock) % 2**32
    check(
        0 not in {first.clock, last.clock} and abs(ran - (then - at)) <= _CLOCK_SHARE * (then - at) + 50,
        f"the clock ran {ran} ms while {then - at} ms passed",
    )


async def steady(talk: BenchChannel) -> None:
    """Check that the identity does not change."""
    one, other = await talk.identify(), await talk.identify()
    same: list[tuple[object, ...]] = [(who.family, who.serial, who.firmware, who.boot) for who in (one, other)]
    check(same[0] == same[1], "two Identity of one boot differ")
    check(isinstance(one, IdentityFrame) and one.serial != "", "the serial number is empty")
