"""Latency without faults: one judge with SQLite and one of a group, in turn, under the same rows of the same tables."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.service import make_keys
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.takeover.experiment import READY_S
from pitwarden_tools.takeover.fields import Fields
from pitwarden_tools.takeover.members import JudgeMember, direct
from pitwarden_tools.takeover.plan import TakeoverPlan
from pitwarden_tools.takeover.server import DatabaseServer
from pitwarden_tools.takeover.waiting import ended, until

SQLITE: Final = "SQLite"
GROUP: Final = "PostgreSQL"
PARTS: Final = 2
"""Times that each store is measured, alternately, since a busy machine changes meanwhile."""


@dataclass(frozen=True, slots=True)
class CalmResult:
    """Seconds of each row from its publication until its stored position was received, by store."""

    stored_s: dict[str, list[float]]


async def measure(plan: TakeoverPlan, mosquitto: str, folder: Path) -> CalmResult:
    """Measure both stores in the new `folder`, `plan.seconds` in all.

    Raises:
        TakeoverError: A server cannot be started, or a judge does not become ready.
    """
    found: dict[str, list[float]] = {SQLITE: [], GROUP: []}
    async with AsyncExitStack() as stack:
        server = stack.enter_context(DatabaseServer(folder / "postgresql"))
        broker = stack.enter_context(Broker(mosquitto, folder / "broker"))
        session = DatabaseSession(DatabaseSettings((f"127.0.0.1:{server.port}",), "postgres", "judge"), "calm", 10.0)
        stack.push_async_callback(session.close)
        await session.script(DDL)
        make_keys(folder / "keys")
        for part in range(PARTS):
            for store in (SQLITE, GROUP):
                place = folder / f"{store}-{part}"
                found[store] += await _part(plan, (broker.port, server.port), place, embedded=store == SQLITE)
    return CalmResult(found)


async def _part(plan: TakeoverPlan, ports: tuple[int, int], place: Path, *, embedded: bool) -> list[float]:
    names = [f"{place.name}-{number:03}" for number in range(plan.tables)]
    keys = place.parent / "keys"
    to_broker, to_database = (direct(port) for port in ports)
    member = JudgeMember(place.name, place, [to_broker], [to_database])
    member.write(names, plan.lease_s, embedded=embedded)
    pair = load_signing(keys / "field.key"), load_private(keys / "judge.key").public_key
    fields = Fields(BrokerSettings("127.0.0.1", ports[0]), names, pair, plan.rate)
    playing = asyncio.create_task(fields.run())
    try:
        await member.start()
        sides = fields.tables.values()
        await until(lambda: all(side.stored for side in sides), READY_S, "not every table is judged")
        for side in sides:
            side.stored_s.clear()
        await asyncio.sleep(plan.seconds / (2 * PARTS))
        return [seconds for side in sides for seconds in side.stored_s]
    finally:
        await ended(playing)
        await member.kill()
