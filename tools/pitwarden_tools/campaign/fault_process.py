"""Faults of processes and of the broker: killed, stopped, frozen, started again."""

import asyncio
from random import Random
from typing import Final, Literal

from pitwarden_tools.campaign.fault_kind import Do, Kind
from pitwarden_tools.campaign.rig import Rig

Half = Literal["field", "judge"]


def _killed(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        part = rig.processes.part(half)
        await rig.processes.kill(part)
        await asyncio.sleep(random.uniform(0, 0.5))
        await rig.processes.start(part)

    return do


def _killed_while_starting(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        part = rig.processes.part(half)
        for _ in range(2):
            await rig.processes.kill(part)
            await rig.processes.start(part)
            await asyncio.sleep(random.uniform(0.1, 1.5))

    return do


def _stopped(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        part = rig.processes.part(half)
        await rig.processes.stop(part)
        await asyncio.sleep(random.uniform(0, 0.5))
        await rig.processes.start(part)

    return do


def _frozen(half: Half) -> Do:
    async def do(rig: Rig, random: Random) -> None:
        part = rig.processes.part(half)
        rig.processes.freeze(part)
        await asyncio.sleep(random.uniform(0.2, 3))
        rig.processes.thaw(part)

    return do


async def _all_killed(rig: Rig, _random: Random) -> None:
    for part in rig.processes.parts:
        await rig.processes.kill(part)
    rig.broker.kill()
    await asyncio.to_thread(rig.broker.start)
    for part in rig.processes.parts:
        await rig.processes.start(part)


async def _broker_killed(rig: Rig, random: Random) -> None:
    rig.broker.kill()
    await asyncio.sleep(random.uniform(0, 2))
    await asyncio.to_thread(rig.broker.start)


async def _broker_frozen(rig: Rig, random: Random) -> None:
    rig.broker.freeze()
    await asyncio.sleep(random.uniform(0.2, 3))
    rig.broker.thaw()


KINDS: Final = (
    Kind("kill_field", "SIGKILL to the field half, started again", _killed("field")),
    Kind("kill_judge", "SIGKILL to the judge, started again", _killed("judge")),
    Kind("kill_starting_field", "SIGKILL to the field half twice, the second time while it starts",
         _killed_while_starting("field")),
    Kind("kill_starting_judge", "SIGKILL to the judge twice, the second time while it starts",
         _killed_while_starting("judge")),
    Kind("kill_all", "SIGKILL to everything, the broker too: a power cut", _all_killed),
    Kind("stop_field", "SIGTERM to the field half, started again", _stopped("field")),
    Kind("stop_judge", "SIGTERM to the judge, started again", _stopped("judge")),
    Kind("freeze_field", "SIGSTOP to the field half for up to 3 s", _frozen("field")),
    Kind("freeze_judge", "SIGSTOP to the judge for up to 3 s", _frozen("judge")),
    Kind("broker_killed", "SIGKILL to the broker, started again with nothing kept", _broker_killed),
    Kind("broker_frozen", "SIGSTOP to the broker for up to 3 s", _broker_frozen),
)  # fmt: skip
