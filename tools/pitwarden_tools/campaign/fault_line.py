"""Faults of the network between service and broker, and of the devices and their lines."""

import asyncio
from collections.abc import Callable
from random import Random
from typing import Final

from pitwarden_simulators.demo.cables import Plug
from pitwarden_simulators.ports.line_faults import LineFault, combined
from pitwarden_tools.campaign.bad_lines import BAD_LINES
from pitwarden_tools.campaign.fault_kind import Do, Kind
from pitwarden_tools.campaign.rig import Rig


def _plug(rig: Rig, random: Random) -> Plug:
    return rig.plugs[random.choice(sorted(rig.plugs))]


async def _reset(rig: Rig, _random: Random) -> None:
    rig.wire.reset()


async def _blackholed(rig: Rig, random: Random) -> None:
    rig.wire.hold()
    await asyncio.sleep(random.uniform(0.2, 3))
    rig.wire.release()


async def _slow(rig: Rig, random: Random) -> None:
    rig.wire.delay_s = random.uniform(0.02, 0.3)
    await asyncio.sleep(random.uniform(0.5, 2))
    rig.wire.delay_s = 0


async def _refused(rig: Rig, random: Random) -> None:
    rig.wire.refuses = True
    rig.wire.reset()
    await asyncio.sleep(random.uniform(0.2, 2))
    rig.wire.refuses = False


async def _cut(rig: Rig, random: Random) -> None:
    rig.wire.cut_after = random.randint(1, 2_000)
    await asyncio.sleep(0.5)
    rig.wire.cut_after = None


async def _unplugged(rig: Rig, random: Random) -> None:
    plug = _plug(rig, random)
    plug.unplug()
    await asyncio.sleep(random.uniform(0.05, 1.5))
    plug.replug()


async def _unplugged_in_mid_frame(rig: Rig, random: Random) -> None:
    plug = _plug(rig, random)
    honest = plug.port.pump.to_host
    loop = asyncio.get_running_loop()

    def half(chunk: bytes) -> list[bytes]:
        plug.port.pump.to_host = honest
        loop.call_soon(plug.unplug)
        return [chunk[: random.randint(1, max(1, len(chunk) - 1))]]

    plug.port.pump.to_host = half
    # A heartbeat arrives each second, if no card does.
    await asyncio.sleep(random.uniform(1, 2))
    plug.port.pump.to_host = honest
    plug.unplug()
    plug.replug()


async def _rebooted(rig: Rig, random: Random) -> None:
    name = random.choice(sorted(rig.plugs))
    rig.built.devices[name].reboot()
    rig.plugs[name].wake()


async def _deaf(rig: Rig, random: Random) -> None:
    plug = _plug(rig, random)
    listen = plug.port.listen
    listen(on=False)
    await asyncio.sleep(random.uniform(0.5, 4))
    listen(on=True)


def _bad_line(make: Callable[[Random], LineFault]) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        pump = _plug(rig, random).port.pump
        pump.to_host = make(random)
        if random.random() < 0.5:  # noqa: PLR2004  every other time both ways
            pump.to_device = make(random)
        await asyncio.sleep(random.uniform(0.3, 2))
        pump.to_host = pump.to_device = combined()

    return do


KINDS: Final = (
    Kind("net_reset", "all connections to the broker are reset", _reset),
    Kind("net_blackhole", "nothing arrives for up to 3 s, then the connections are reset", _blackholed),
    Kind("net_slow", "each packet takes up to 300 ms more", _slow),
    Kind("net_refused", "the broker's port refuses connections for up to 2 s", _refused),
    Kind("net_cut", "the connections are cut in mid-packet", _cut),
    Kind("unplug", "a device's cable is pulled and plugged in again", _unplugged),
    Kind("unplug_mid_frame", "a device's cable is pulled in the middle of a frame", _unplugged_in_mid_frame),
    Kind("reboot", "a device starts anew", _rebooted),
    Kind("device_deaf", "a device reads nothing for up to 4 s", _deaf),
    *(Kind(line.name, line.what, _bad_line(line.make)) for line in BAD_LINES),
)
