"""Kinds of simulated faults. Each is injected before an action of the people and ends by itself.

A kind returns whether its fault truly came: one that waited in vain for its edge does not count.
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from pitwarden_client.mqtt.errors import AccessRefusedError, LinkDownError
from pitwarden_simulators.ports.line_faults import (
    LineFault,
    babble,
    delay,
    drop,
    duplicate,
    garble,
    only_first,
    split,
)
from pitwarden_tools.campaign import hostile
from pitwarden_tools.simulation.cables import SimulatedCable, half_a_frame, silence
from pitwarden_tools.simulation.faults import HALVES, ArmedFault, Edge, Half
from pitwarden_tools.simulation.files import FULL, OK, WRITE_FAILED
from pitwarden_tools.simulation.process import SimulatedProcess
from pitwarden_tools.simulation.rig import SimulatedRig

Inject = Callable[[SimulatedRig, Random], Awaitable[bool]]

# Simulated seconds for which a fault waits for its edge.
WAIT_S: Final = 8.0
_STEP_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class SimulatedKind:
    """Kind of fault. `restarts`: whether a half is started again by it."""

    name: str
    what: str
    inject: Inject
    restarts: bool = False


async def _fired(rig: SimulatedRig, fault: ArmedFault) -> bool:
    """Wait until an armed fault fires, or take it back."""
    rig.faults.arm(fault)
    for _ in range(int(WAIT_S / _STEP_S)):
        if fault.fired:
            break
        await asyncio.sleep(_STEP_S)
    return rig.faults.withdraw(fault)


def _armed(edge: Edge, what: str, longest_s: float = 0.0) -> Inject:
    """Return a fault of one message, of one connection or of one write."""

    async def inject(rig: SimulatedRig, random: Random) -> bool:
        fault = ArmedFault(edge, what, random.choice(HALVES), random.randint(0, 6), random.uniform(0, longest_s))
        if edge in {"open", "subscribe"}:
            fault.after = 0
            _reset(rig, fault.half)
        return await _fired(rig, fault)

    return inject


def _reset(rig: SimulatedRig, half: Half | None) -> None:
    for connection in list(rig.broker.connections):
        if half in {None, connection.half}:
            connection.broken("the network was reset")


async def _connection_reset(rig: SimulatedRig, random: Random) -> bool:
    _reset(rig, random.choice((*HALVES, None)))
    return True


async def _half_open(rig: SimulatedRig, random: Random) -> bool:
    """Let nothing through a connection any more, without an end."""
    if not rig.broker.connections:
        return False
    random.choice(rig.broker.connections).stall(random.uniform(6, 20))
    return True


async def _refused(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.refuses = random.choice((LinkDownError("refused"), AccessRefusedError("the login is refused")))
    _reset(rig, None)
    await asyncio.sleep(random.uniform(0.2, 5))
    rig.broker.refuses = None
    return True


def _broker_restarted(*, forgets: bool) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        rig.broker.down = True
        rig.broker.restart(forgets=forgets)
        await asyncio.sleep(random.uniform(0.1, 20))
        rig.broker.down = False
        return True

    return inject


async def _broker_frozen(rig: SimulatedRig, random: Random) -> bool:
    seconds = random.uniform(0.2, 5)
    rig.broker.frozen_until = asyncio.get_running_loop().time() + seconds
    await asyncio.sleep(seconds)
    return True


async def _network_slow(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.slower_s = random.uniform(0.05, 1)
    await asyncio.sleep(random.uniform(0.5, 5))
    rig.broker.slower_s = 0.0
    return True


def _dying(edge: Edge, *, power: bool = False) -> Inject:
    """Return the death of a half, or of both by a power cut, at a turn of the loop, in a write or in a sync."""

    async def inject(rig: SimulatedRig, random: Random) -> bool:
        half = random.choice(HALVES)
        what = "killed_by_power" if power else "killed"
        came = await _fired(rig, ArmedFault(edge, what, half, random.randint(0, 40 if edge == "turn" else 8)))
        if not came:
            return False
        process = rig.processes[half]
        process.die(power=power)  # at a turn of the loop nothing has died yet
        dead = list(rig.processes.values()) if power else [process]
        for each in dead:
            each.die(power=power)
        await _again(dead, random)
        return True

    return inject


async def _again(dead: list[SimulatedProcess], random: Random) -> None:
    for process in dead:
        await process.kill()
    await asyncio.sleep(random.uniform(0, 3))
    for process in dead:
        await process.start()


async def _killed_while_starting(rig: SimulatedRig, random: Random) -> bool:
    process = rig.processes[random.choice(HALVES)]
    for _ in range(2):
        await process.kill()
        await process.start()
        await asyncio.sleep(random.uniform(0, 0.05))
    await _again([process], random)
    return True


async def _all_killed(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.restart(forgets=True)
    for process in rig.processes.values():
        process.die()
    await _again(list(rig.processes.values()), random)
    return True


async def _stopped(rig: SimulatedRig, random: Random) -> bool:
    process = rig.processes[random.choice(HALVES)]
    await process.stop()
    await asyncio.sleep(random.uniform(0, 3))
    await process.start()
    return True


def _disk(error: int) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        process = rig.processes[random.choice(HALVES)]
        process.disk_error = error
        await asyncio.sleep(random.uniform(0.3, 6))
        process.disk_error = OK
        return True

    return inject


async def _disk_slow(rig: SimulatedRig, random: Random) -> bool:
    process = rig.processes[random.choice(HALVES)]
    process.slow_s = random.uniform(0.05, 1.5)
    await asyncio.sleep(random.uniform(0.5, 5))
    process.slow_s = 0.0
    return True


def _plug(rig: SimulatedRig, random: Random) -> SimulatedCable:
    return rig.plugs[random.choice(sorted(rig.plugs))]


async def _unplugged(rig: SimulatedRig, random: Random) -> bool:
    plug = _plug(rig, random)
    plug.unplug()
    await asyncio.sleep(random.uniform(0.05, 4))
    plug.replug()
    return True


async def _unplugged_in_mid_frame(rig: SimulatedRig, random: Random) -> bool:
    plug = _plug(rig, random)
    plug.spoil(half_a_frame(plug, random.randint(1, 20)))
    await asyncio.sleep(random.uniform(1, 2))
    plug.repair()
    plug.unplug()
    plug.replug()
    return True


async def _rebooted(rig: SimulatedRig, random: Random) -> bool:
    _plug(rig, random).reboot()
    return True


async def _deaf(rig: SimulatedRig, random: Random) -> bool:
    plug = _plug(rig, random)
    plug.modem.pump.to_device = silence
    await asyncio.sleep(random.uniform(0.5, 8))
    plug.repair()
    return True


async def _mute(rig: SimulatedRig, random: Random) -> bool:
    plug = _plug(rig, random)
    plug.modem.pump.to_host = silence
    await asyncio.sleep(random.uniform(0.5, 8))
    plug.repair()
    return True


def _bad_line(make: Callable[[Random], LineFault]) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        plug = _plug(rig, random)
        both_ways = random.random() < 0.5  # noqa: PLR2004  every other time
        plug.spoil(make(random), make(random) if both_ways else None)
        await asyncio.sleep(random.uniform(0.3, 4))
        plug.repair()
        return True

    return inject


def _hostile(send: Callable[[SimulatedRig, Random], Awaitable[None]]) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        await send(rig, random)
        return True

    return inject


async def _retained_input(rig: SimulatedRig, random: Random) -> bool:
    """Leave a retained input at the broker for a field half that starts."""
    topic = rig.topics.input("dealer", "dealer-9")
    await hostile.say(rig, topic, hostile.stale_input(random), retain=True)
    rig.processes["field"].die()
    await _again([rig.processes["field"]], random)
    await asyncio.sleep(1.5)
    await hostile.say(rig, topic, b"", retain=True)
    return True


async def _retained_order(rig: SimulatedRig, random: Random) -> bool:
    """Leave a retained command at the broker for a field half that starts."""
    topic = rig.topics.command("shoe")
    await hostile.say(rig, topic, hostile.lock_order(rig, random), retain=True)
    rig.processes["field"].die()
    await _again([rig.processes["field"]], random)
    await asyncio.sleep(1.5)
    await hostile.say(rig, topic, b"", retain=True)
    return True


def _clock_stepped(least_ms: int, most_ms: int) -> Inject:
    async def inject(rig: SimulatedRig, random: Random) -> bool:
        by = random.randint(least_ms, most_ms)
        rig.clock.stepped_ms += by
        await asyncio.sleep(random.uniform(0.5, 5))
        rig.clock.stepped_ms -= by
        return True

    return inject


async def _clock_unsynchronised(rig: SimulatedRig, random: Random) -> bool:
    rig.clock.synchronised = False
    await asyncio.sleep(random.uniform(0.5, 10))
    rig.clock.synchronised = True
    return True


KINDS: Final[tuple[SimulatedKind, ...]] = (
    SimulatedKind("publish_lost", "a message is lost before the broker takes it, and the connection",
                  _armed("publish", "publish_lost")),
    SimulatedKind("answer_lost", "the broker takes a message, and its answer and the connection are lost",
                  _armed("publish", "answer_lost")),
    SimulatedKind("answer_late", "the broker's answer to a message comes up to 10 s late",
                  _armed("publish", "answer_late", 10)),
    SimulatedKind("taken_twice", "the broker takes a message twice", _armed("publish", "taken_twice")),
    SimulatedKind("publish_refused", "the broker refuses a message", _armed("publish", "publish_refused")),
    SimulatedKind("delivery_lost", "a message to a half is lost, and the connection",
                  _armed("deliver", "delivery_lost")),
    SimulatedKind("delivered_late", "a message to a half, and all behind it, come up to 10 s late",
                  _armed("deliver", "delivered_late", 10)),
    SimulatedKind("delivered_twice", "a message to a half comes twice", _armed("deliver", "delivered_twice")),
    SimulatedKind("delivered_again", "a message to a half comes again, behind later ones",
                  _armed("deliver", "delivered_again_later", 10)),
    SimulatedKind("connection_reset", "connections to the broker are reset", _connection_reset),
    SimulatedKind("half_open", "nothing passes a connection until the keepalive notices", _half_open),
    SimulatedKind("open_times_out", "the broker does not answer a new connection",
                  _armed("open", "no_answer", 3)),
    SimulatedKind("login_refused", "the broker refuses a login once", _armed("open", "login_refused")),
    SimulatedKind("port_refused", "the broker refuses all connections for up to 5 s", _refused),
    SimulatedKind("subscription_refused", "the broker refuses a subscription once",
                  _armed("subscribe", "subscription_refused")),
    SimulatedKind("subscription_lost", "the broker does not answer a subscription",
                  _armed("subscribe", "no_answer")),
    SimulatedKind("broker_restarted", "the broker is away for up to 20 s, and kept what was retained",
                  _broker_restarted(forgets=False)),
    SimulatedKind("broker_forgot", "the broker is away for up to 20 s, and kept nothing",
                  _broker_restarted(forgets=True)),
    SimulatedKind("broker_frozen", "the broker does nothing for up to 5 s", _broker_frozen),
    SimulatedKind("network_slow", "each message takes up to 1 s more each way", _network_slow),
    SimulatedKind("killed_at_turn", "a half is killed between two steps of its loop", _dying("turn"), restarts=True),
    SimulatedKind("killed_in_write", "a half is killed in a write of its journal", _dying("write"), restarts=True),
    SimulatedKind("killed_in_sync", "a half is killed in a sync of its journal", _dying("sync"), restarts=True),
    SimulatedKind("power_at_turn", "power fails between two steps; unsynced writes are lost in part",
                  _dying("turn", power=True), restarts=True),
    SimulatedKind("power_in_write", "power fails in a write; unsynced writes are lost in part",
                  _dying("write", power=True), restarts=True),
    SimulatedKind("power_in_sync", "power fails in a sync; unsynced writes are lost in part",
                  _dying("sync", power=True), restarts=True),
    SimulatedKind("killed_starting", "a half is killed twice while it starts", _killed_while_starting, restarts=True),
    SimulatedKind("all_killed", "both halves are killed, and the broker forgets", _all_killed, restarts=True),
    SimulatedKind("stopped", "a half is stopped in order and started again", _stopped, restarts=True),
    SimulatedKind("disk_full", "the disk of a half is full for up to 6 s", _disk(FULL)),
    SimulatedKind("disk_unwritable", "each write of a half fails for up to 6 s", _disk(WRITE_FAILED)),
    SimulatedKind("disk_readonly", "the file system of a half is read-only for up to 6 s",
                  _disk(sqlite3.SQLITE_READONLY)),
    SimulatedKind("write_failed", "one write of a journal fails", _armed("write", "write_failed")),
    SimulatedKind("short_write", "half of one write of a journal is made, then the disk is full",
                  _armed("write", "short_write")),
    SimulatedKind("sync_failed", "one sync of a journal fails", _armed("sync", "sync_failed")),
    SimulatedKind("disk_slow", "each call of a journal takes up to 1.5 s more", _disk_slow),
    SimulatedKind("unplugged", "a device's cable is pulled for up to 4 s", _unplugged),
    SimulatedKind("unplugged_mid_frame", "a device's cable is pulled in the middle of a frame",
                  _unplugged_in_mid_frame),
    SimulatedKind("rebooted", "a device starts anew", _rebooted),
    SimulatedKind("deaf", "a device hears nothing for up to 8 s", _deaf),
    SimulatedKind("mute", "nothing of a device arrives for up to 8 s", _mute),
    SimulatedKind("line_garbled", "bits of a device's line are changed", _bad_line(lambda r: garble(r, 0.5))),
    SimulatedKind("line_dropped", "chunks of a device's line are lost", _bad_line(lambda r: drop(r, 0.5))),
    SimulatedKind("line_doubled", "chunks of a device's line come twice", _bad_line(lambda r: duplicate(r, 0.5))),
    SimulatedKind("line_split", "chunks of a device's line come in pieces", _bad_line(split)),
    SimulatedKind("line_late", "chunks of a device's line come late", _bad_line(lambda _r: only_first(delay(1), 20))),
    SimulatedKind("line_babble", "noise between the chunks of a device's line", _bad_line(lambda r: babble(r, 200))),
    SimulatedKind("junk", "20 messages of junk on the table's topics", _hostile(hostile.send_junk)),
    SimulatedKind("oversize", "messages of 300 kB", _hostile(hostile.send_oversize)),
    SimulatedKind("rows_again", "20 old rows of the log are published again", _hostile(hostile.send_rows_again)),
    SimulatedKind("input_again", "recorded inputs are sent again", _hostile(hostile.send_input_again)),
    SimulatedKind("input_stale", "an input that acted on another epoch", _hostile(hostile.send_stale_input)),
    SimulatedKind("input_retained", "a retained input waits for the field half", _retained_input, restarts=True),
    SimulatedKind("order_stale", "a command that acted on another epoch", _hostile(hostile.send_stale_order)),
    SimulatedKind("order_retained", "a retained command waits for the field half", _retained_order, restarts=True),
    SimulatedKind("order_for_nobody", "commands for what may not be locked", _hostile(hostile.send_order_for_nobody)),
    SimulatedKind("order_again", "recorded commands of the judge are sent again", _hostile(hostile.send_order_again)),
    SimulatedKind("clock_forward", "the clock is up to an hour ahead for up to 5 s", _clock_stepped(1_000, 3_600_000)),
    SimulatedKind("clock_back", "the clock is up to an hour behind for up to 5 s", _clock_stepped(-3_600_000, -1_000)),
    SimulatedKind("clock_unsynchronised", "nothing keeps the clock right for up to 10 s", _clock_unsynchronised),
)  # fmt: skip
BY_NAME: Final = {kind.name: kind for kind in KINDS}
"""Kinds by their names: a plan names them, so that it can be sent to another process."""
