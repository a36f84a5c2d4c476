"""Faults at the table and on its bus: cables and devices, and messages of a foreign client."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final

from pitwarden_simulators.ports.line_faults import LineFault
from pitwarden_tools.campaign import hostile
from pitwarden_tools.campaign.bad_lines import BAD_LINES
from pitwarden_tools.simulation.cables import SimulatedCable, half_a_frame, silence
from pitwarden_tools.simulation.kind import Inject, SimulatedKind
from pitwarden_tools.simulation.machine_faults import restarted
from pitwarden_tools.simulation.rig import SimulatedRig


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


async def _suspended(rig: SimulatedRig, random: Random) -> bool:
    """Let nothing pass a line either way: the host's USB port sleeps, and the device continues to sense."""
    plug = _plug(rig, random)
    plug.modem.pump.to_host = plug.modem.pump.to_device = silence
    await asyncio.sleep(random.uniform(1, 15))
    plug.repair()
    return True


async def _browned_out(rig: SimulatedRig, random: Random) -> bool:
    """Let the voltage drop: all devices are lost at once, reboot, and return one by one in any order."""
    plugs = random.sample(sorted(rig.plugs), len(rig.plugs))
    for name in plugs:
        rig.plugs[name].unplug()
    for name in plugs:
        await asyncio.sleep(random.uniform(0.05, 1.5))
        rig.plugs[name].reboot()
        rig.plugs[name].replug()
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
    await restarted([rig.processes["field"]], random)
    await asyncio.sleep(1.5)
    await hostile.say(rig, topic, b"", retain=True)
    return True


async def _retained_order(rig: SimulatedRig, random: Random) -> bool:
    """Leave a retained command at the broker for a field half that starts."""
    topic = rig.topics.command("shoe")
    await hostile.say(rig, topic, hostile.lock_order(rig, random), retain=True)
    rig.processes["field"].die()
    await restarted([rig.processes["field"]], random)
    await asyncio.sleep(1.5)
    await hostile.say(rig, topic, b"", retain=True)
    return True


TABLE_KINDS: Final[tuple[SimulatedKind, ...]] = (
    SimulatedKind("unplugged", "a device's cable is pulled for up to 4 s", _unplugged),
    SimulatedKind("unplugged_mid_frame", "a device's cable is pulled in the middle of a frame",
                  _unplugged_in_mid_frame),
    SimulatedKind("rebooted", "a device starts anew", _rebooted),
    SimulatedKind("deaf", "a device hears nothing for up to 8 s", _deaf),
    SimulatedKind("mute", "nothing of a device arrives for up to 8 s", _mute),
    SimulatedKind("suspended", "a device's USB port sleeps for up to 15 s", _suspended),
    SimulatedKind("browned_out", "all devices are lost, reboot and return one by one", _browned_out),
    SimulatedKind("junk", "20 messages of junk on the table's topics", _hostile(hostile.send_junk)),
    SimulatedKind("oversize", "messages of 300 kB", _hostile(hostile.send_oversize)),
    SimulatedKind("rows_again", "20 old rows of the log are published again", _hostile(hostile.send_rows_again)),
    SimulatedKind("input_again", "recorded inputs are sent again", _hostile(hostile.send_input_again)),
    SimulatedKind("input_stale", "an input that acted on another epoch", _hostile(hostile.send_stale_input)),
    SimulatedKind("input_retained", "a retained input waits for the field half", _retained_input),
    SimulatedKind("order_stale", "a command that acted on another epoch", _hostile(hostile.send_stale_order)),
    SimulatedKind("order_retained", "a retained command waits for the field half", _retained_order),
    SimulatedKind("order_for_nobody", "commands for what may not be locked", _hostile(hostile.send_order_for_nobody)),
    SimulatedKind("order_again", "recorded commands of the judge are sent again", _hostile(hostile.send_order_again)),
    *(SimulatedKind(line.name, line.what, _bad_line(line.make)) for line in BAD_LINES),
)  # fmt: skip
