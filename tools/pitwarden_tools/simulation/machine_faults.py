"""Faults of the machine: processes that die, disks that fail, clocks that are wrong."""

import asyncio
import sqlite3
from collections.abc import Callable
from random import Random
from typing import Final

from pitwarden.system.clock import DAY_MS
from pitwarden_tools.simulation.faults import HALVES, ArmedFault, Edge
from pitwarden_tools.simulation.files import FULL, OK, WRITE_FAILED
from pitwarden_tools.simulation.kind import Inject, SimulatedKind, armed, fired
from pitwarden_tools.simulation.process import SimulatedProcess
from pitwarden_tools.simulation.rig import SimulatedRig

# A GPS receiver transmits its week in ten bits; the kernel calls a clock synchronized that follows it.
_ROLLOVER_MS: Final = 1_024 * 7 * DAY_MS


def _dying(edge: Edge, *, power: bool = False) -> Inject:
    """Return the death of a half, or of both by a power cut, at a turn of the loop, in a write or in a sync."""

    async def inject(rig: SimulatedRig, random: Random) -> bool:
        half = random.choice(HALVES)
        what = "killed_by_power" if power else "killed"
        came = await fired(rig, ArmedFault(edge, what, half, random.randint(0, 40 if edge == "turn" else 8)))
        if not came:
            return False
        process = rig.processes[half]
        process.die(power=power)  # at a turn of the loop nothing has died yet
        dead = list(rig.processes.values()) if power else [process]
        for each in dead:
            each.die(power=power)
        if power:
            rig.machine.reboot()
        await restarted(dead, random)
        return True

    return inject


async def restarted(dead: list[SimulatedProcess], random: Random) -> None:
    """Bury these processes, and start them again after up to 3 s."""
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
    await restarted([process], random)
    return True


async def _all_killed(rig: SimulatedRig, random: Random) -> bool:
    rig.broker.restart(forgets=True)
    for process in rig.processes.values():
        process.die()
    await restarted(list(rig.processes.values()), random)
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


def _clock_stepped(steps_ms: Callable[[Random], int]) -> Inject:
    """Return a step of UTC that is taken back later. Every other time a half starts meanwhile."""

    async def inject(rig: SimulatedRig, random: Random) -> bool:
        by = steps_ms(random)
        rig.clock.stepped_ms += by
        if random.random() < 0.5:  # noqa: PLR2004  every other time
            process = rig.processes[random.choice(HALVES)]
            process.die()
            await restarted([process], random)
        await asyncio.sleep(random.uniform(0.5, 5))
        rig.clock.stepped_ms -= by
        return True

    return inject


async def _clock_unsynchronised(rig: SimulatedRig, random: Random) -> bool:
    rig.clock.synchronised = False
    await asyncio.sleep(random.uniform(0.5, 10))
    rig.clock.synchronised = True
    return True


MACHINE_KINDS: Final[tuple[SimulatedKind, ...]] = (
    SimulatedKind("killed_at_turn", "a half is killed between two steps of its loop", _dying("turn")),
    SimulatedKind("killed_in_write", "a half is killed in a write of its journal", _dying("write")),
    SimulatedKind("killed_in_sync", "a half is killed in a sync of its journal", _dying("sync")),
    SimulatedKind("power_at_turn", "power fails between two steps; unsynced writes are lost in part",
                  _dying("turn", power=True)),
    SimulatedKind("power_in_write", "power fails in a write; unsynced writes are lost in part",
                  _dying("write", power=True)),
    SimulatedKind("power_in_sync", "power fails in a sync; unsynced writes are lost in part",
                  _dying("sync", power=True)),
    SimulatedKind("killed_starting", "a half is killed twice while it starts", _killed_while_starting),
    SimulatedKind("all_killed", "both halves are killed, and the broker forgets", _all_killed),
    SimulatedKind("stopped", "a half is stopped in order and started again", _stopped),
    SimulatedKind("disk_full", "the disk of a half is full for up to 6 s", _disk(FULL)),
    SimulatedKind("disk_unwritable", "each write of a half fails for up to 6 s", _disk(WRITE_FAILED)),
    SimulatedKind("disk_readonly", "the file system of a half is read-only for up to 6 s",
                  _disk(sqlite3.SQLITE_READONLY)),
    SimulatedKind("write_failed", "one write of a journal fails", armed("write", "write_failed")),
    SimulatedKind("short_write", "half of one write of a journal is made, then the disk is full",
                  armed("write", "short_write")),
    SimulatedKind("sync_failed", "one sync of a journal fails", armed("sync", "sync_failed")),
    SimulatedKind("disk_slow", "each call of a journal takes up to 1.5 s more", _disk_slow),
    SimulatedKind("clock_forward", "the clock is up to an hour ahead for up to 8 s, also at a start",
                  _clock_stepped(lambda random: random.randint(1_000, 3_600_000))),
    SimulatedKind("clock_back", "the clock is up to an hour behind for up to 8 s, also at a start",
                  _clock_stepped(lambda random: -random.randint(1_000, 3_600_000))),
    SimulatedKind("clock_rolled_over", "the clock is 1,024 weeks ahead or behind for up to 8 s, also at a start",
                  _clock_stepped(lambda random: random.choice((-_ROLLOVER_MS, _ROLLOVER_MS)))),
    SimulatedKind("clock_unsynchronised", "nothing keeps the clock right for up to 10 s", _clock_unsynchronised),
)  # fmt: skip
