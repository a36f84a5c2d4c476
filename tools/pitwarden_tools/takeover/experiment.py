"""The experiment: play rows, commit faults at random, settle, and compare everything that was published and stored."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.faults import FaultRig
from pitwarden_tools.takeover.fields import Fields
from pitwarden_tools.takeover.members import new_members
from pitwarden_tools.takeover.nodes import BrokerNodes
from pitwarden_tools.takeover.plan import TakeoverPlan
from pitwarden_tools.takeover.proof import AUDIT, Proof, prove
from pitwarden_tools.takeover.server import USER, DatabasePair, DatabaseServer
from pitwarden_tools.takeover.waiting import ended, in_thread, until

READY_S: Final = 300.0
SETTLE_S: Final = 120.0
REPLAYS: Final = 20
"""Rounds of requests for verdicts that a lost broker node did not deliver."""
_REPLAY_S: Final = 1.0


@dataclass(slots=True)
class TakeoverResult:
    """Result of one experiment."""

    proof: Proof
    takeovers: dict[str, list[float]]
    """Seconds from each kind of fault until each table that it hit had another owner, which has stored a row since.

    Of a fault that hits all tables: until each of them had a row stored.
    """
    faults: dict[str, int]
    stored_s: list[float] = field(default_factory=list)
    """Seconds of each row from its publication until it was stored."""


async def play(plan: TakeoverPlan, mosquitto: str, folder: Path) -> TakeoverResult:
    """Play `plan` in the new `folder`.

    Raises:
        TakeoverError: A server cannot be started, or no judge becomes ready.
    """
    names = [f"t{number:03}" for number in range(plan.tables)]
    async with AsyncExitStack() as stack:
        servers = [stack.enter_context(DatabaseServer(folder / "database-1"))]
        if "failover" in plan.kinds:
            standby = DatabaseServer(folder / "database-2")
            stack.callback(standby.kill)
            servers.append(standby)
        databases = DatabasePair(servers, synchronous=plan.synchronous)
        brokers = stack.enter_context(BrokerNodes(mosquitto, folder / "broker", plan.brokers))
        settings = DatabaseSettings(tuple(f"127.0.0.1:{each.port}" for each in servers), "postgres", USER)
        session = DatabaseSession(settings, "takeover", 10.0)
        stack.push_async_callback(session.close)
        await session.script(DDL + AUDIT)
        await in_thread(databases.replicate)
        members = await new_members(
            stack, folder, names, (brokers.ports, [each.port for each in servers]), count=plan.judges,
            lease_s=plan.lease_s, mutant=plan.mutant,
        )  # fmt: skip
        keys = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key").public_key
        fields = Fields(brokers.settings, names, keys, plan.rate)
        playing = asyncio.create_task(fields.run())
        stack.push_async_callback(ended, playing)
        for member in members:
            await member.start()
        await until(lambda: all(side.stored for side in fields.tables.values()), READY_S, "not every table is judged")
        rig = FaultRig(plan, (databases, brokers), members, fields, GroupDirectory(session, session))
        await rig.commit_faults()
        fields.playing = False
        unsettled = await _settled(fields)
        await asyncio.sleep(plan.lease_s)  # what is still to be published again
        replayed = await _replayed(session, fields)
        stored_s = [seconds for side in fields.tables.values() for seconds in side.stored_s]
        proof = await prove(session, fields, members[0].folder / "tables", folder / "keys")
        proof.replayed = replayed
        proof.add("tables that no member judged", rig.stuck)
        proof.add("rows never stored", unsettled)
        return TakeoverResult(proof, dict(rig.takeovers), dict(rig.committed), stored_s)


async def _settled(fields: Fields) -> int:
    """Wait until every row is stored; return how many are not after SETTLE_S."""
    try:
        await until(fields.is_settled, SETTLE_S, "not every row was stored")
    except TakeoverError:
        return sum(len(side.rows) - side.stored for side in fields.tables.values())
    return 0


async def _replayed(session: DatabaseSession, fields: Fields) -> int:
    """Request, as each consumer does, the verdicts that a lost broker node never delivered; return how many came.

    A broker acknowledges a verdict before its bridge has passed it on. The judge's log is complete, and its consumers
    see the gap.
    """
    found = 0
    for attempt in range(REPLAYS):
        missing = 0
        for name, side in fields.tables.items():
            rows = await session.fetch("SELECT seq, hash FROM output WHERE record = $1", f"{SITE}/{name}")
            kept = {row["seq"]: row["hash"] for row in rows}
            gaps = [number for number in kept if number not in side.verdicts]
            missing += len(gaps)
            if gaps:
                before = min(gaps) - 1
                fields.request(name, before, kept.get(before))
        found = missing if attempt == 0 else found
        if not missing:
            return found
        await asyncio.sleep(_REPLAY_S)
    return found
