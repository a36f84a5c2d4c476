"""Rows a second that one judge and two judges of a group carry, each held to the same share of a core.

Each table sends its next row when the one before is stored, so the judges are never idle. At one row a second of each
table, a number of rows a second is a number of tables.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.service import make_keys
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.takeover.cpu_share import CpuShare
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.experiment import READY_S
from pitwarden_tools.takeover.fields import Fields
from pitwarden_tools.takeover.members import JudgeMember, direct
from pitwarden_tools.takeover.plan import TakeoverPlan
from pitwarden_tools.takeover.server import USER, DatabaseServer
from pitwarden_tools.takeover.waiting import ended, until

COUNTS: Final = (1, 2)
PARTS: Final = 3
"""Times that each number of judges is measured, alternately, since a busy machine changes meanwhile."""
SETTLING_S: Final = 3.0
"""Time after which a share of the processor shows: the kernel counts it in periods of a tenth of a second."""
_POLL_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class CapacityResult:
    """Rows a second in each part, by number of judges."""

    rows_s: dict[int, list[float]]


async def measure_capacity(plan: TakeoverPlan, share: float, mosquitto: str, folder: Path) -> CapacityResult:
    """Measure in the new `folder`, `plan.seconds` in all.

    Raises:
        TakeoverError: A server cannot be started, no control group can be made, or a judge does not become ready.
    """
    found: dict[int, list[float]] = {count: [] for count in COUNTS}
    with DatabaseServer(folder / "postgresql") as server, Broker(mosquitto, folder / "broker") as broker:
        session = DatabaseSession(DatabaseSettings((f"127.0.0.1:{server.port}",), "postgres", USER), "capacity", 10.0)
        await session.script(DDL)
        make_keys(folder / "keys")
        for part in range(PARTS):
            for count in COUNTS:
                place = folder / f"part-{part}-{count}"
                found[count].append(await _part(plan, (broker.port, server.port), place, session, (count, share)))
        await session.close()
    return CapacityResult(found)


async def _part(
    plan: TakeoverPlan, ports: tuple[int, int], place: Path, session: DatabaseSession, judges: tuple[int, float]
) -> float:
    count, share = judges
    keys, names = place.parent / "keys", [f"{place.name}-{number:03}" for number in range(plan.tables)]
    members = [
        JudgeMember(f"judge-{number}", place.parent / f"{place.name}-{number}", [direct(ports[0])], [direct(ports[1])])
        for number in range(count)
    ]
    for member in members:
        member.write(names, plan.lease_s)
    pair = load_signing(keys / "field.key"), load_private(keys / "judge.key").public_key
    fields = Fields(BrokerSettings("127.0.0.1", ports[0]), names, pair, rate=0)
    async with AsyncExitStack() as stack:
        playing = asyncio.create_task(fields.run())
        stack.push_async_callback(ended, playing)
        for member in members:
            stack.push_async_callback(member.kill)
            await member.start()
        sides = fields.tables.values()
        await until(lambda: all(side.stored for side in sides), READY_S, "not every table is judged")
        await _shared(GroupDirectory(session, session), names, count)
        # From now on: a start has little to do with what a judge carries.
        for member in members:
            held = stack.enter_context(CpuShare(member.folder.name, share))
            stack.push_async_callback(member.kill)  # before its control group is removed
            if member.process is not None:
                held.hold(member.process.pid)
        await asyncio.sleep(SETTLING_S)
        return await _rows_s(fields, plan.seconds / (len(COUNTS) * PARTS))


async def _shared(directory: GroupDirectory, names: list[str], count: int) -> None:
    """Wait until `count` members own the same number of tables, or almost."""
    try:
        async with asyncio.timeout(READY_S):
            while True:
                places = await directory.survey(f"{SITE}/{name}" for name in names)
                owners = [place.owner for place in places.values() if place.has_owner]
                numbers = [owners.count(owner) for owner in set(owners)]
                if len(owners) == len(names) and len(numbers) == count and max(numbers) - min(numbers) <= 1:
                    return
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise TakeoverError(f"{count} judges do not share the tables within {READY_S:.0f} s") from None


async def _rows_s(fields: Fields, seconds: float) -> float:
    loop = asyncio.get_running_loop()
    begun, before = loop.time(), sum(side.stored for side in fields.tables.values())
    await asyncio.sleep(seconds)
    return (sum(side.stored for side in fields.tables.values()) - before) / (loop.time() - begun)
