"""The experiment: play rows, commit faults at random, settle, and measure each takeover."""

import asyncio
import random
import signal
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.member import UNLINKED_S
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings
from pitwarden.seal.keys import load_private, load_signing
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.campaign.broker import Broker
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.fields import Fields
from pitwarden_tools.takeover.members import KEEPALIVE_S, JudgeMember, new_members
from pitwarden_tools.takeover.proof import Proof, prove
from pitwarden_tools.takeover.server import DatabaseServer

KINDS: Final = ("kill", "stop", "database", "broker", "restart")
READY_S: Final = 300.0
SETTLE_S: Final = 120.0
_POLL_S: Final = 0.1
_Act = Callable[[JudgeMember], Coroutine[object, object, None]]


@dataclass(frozen=True, slots=True)
class TakeoverPlan:
    """Size of one experiment. `rate` is in rows a second and table; `kinds` are the faults to choose from."""

    seed: int = 1
    judges: int = 3
    tables: int = 50
    rate: float = 1.0
    seconds: float = 1_800.0
    lease_s: int = 3
    kinds: Sequence[str] = KINDS


@dataclass(slots=True)
class TakeoverResult:
    """Result of one experiment."""

    proof: Proof
    takeovers: dict[str, list[float]]
    """Seconds from each kind of fault until each table that it hit was judged again."""
    faults: int
    stored_s: list[float] = field(default_factory=list)
    """Seconds of each row from its publication until it was stored."""


async def play(plan: TakeoverPlan, mosquitto: str, folder: Path) -> TakeoverResult:
    """Play `plan` in the new `folder`.

    Raises:
        TakeoverError: A server cannot be started, or no judge becomes ready.
    """
    names = [f"t{number:03}" for number in range(plan.tables)]
    async with AsyncExitStack() as stack:
        server = stack.enter_context(DatabaseServer(folder / "postgresql"))
        broker = stack.enter_context(Broker(mosquitto, folder / "broker"))
        settings = DatabaseSettings((f"127.0.0.1:{server.port}",), "postgres", "judge")
        session = DatabaseSession(settings, "takeover", 10.0)
        stack.push_async_callback(session.close)
        await session.script(DDL)
        members = await new_members(
            stack, folder, names, (broker.port, server.port), count=plan.judges, lease_s=plan.lease_s
        )
        keys = load_signing(folder / "keys" / "field.key"), load_private(folder / "keys" / "judge.key").public_key
        fields = Fields(broker.port, names, keys, plan.rate)
        playing = asyncio.create_task(fields.run())
        stack.push_async_callback(ended, playing)
        for member in members:
            await member.start()
        await until(lambda: all(side.stored for side in fields.tables.values()), READY_S, "not every table is judged")
        rig = _Rig(plan, server, members, fields, GroupDirectory(session, session))
        await rig.commit_faults()
        fields.playing = False
        await until(fields.is_settled, SETTLE_S, "not every row was stored after the last fault")
        await asyncio.sleep(plan.lease_s)  # what is still to be published again
        stored_s = [seconds for side in fields.tables.values() for seconds in side.stored_s]
        proof = await prove(session, fields, members[0].folder / "tables", folder / "keys")
        return TakeoverResult(proof, rig.takeovers, rig.faults, stored_s)


async def ended(task: "asyncio.Task[None]") -> None:
    """Cancel `task`, and return once it has ended."""
    task.cancel()
    await asyncio.wait({task})


async def until(true: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Wait until `true()` holds.

    Raises:
        TakeoverError: It does not within `seconds`; `otherwise` is the sentence.
    """
    try:
        async with asyncio.timeout(seconds):
            while not true():  # noqa: ASYNC110  what is waited for changes in several places
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise TakeoverError(f"{otherwise} within {seconds:.0f} s") from None


class _Rig:
    """Faults, one after the other, and the time until the tables that each hit are judged again."""

    def __init__(
        self, plan: TakeoverPlan, server: DatabaseServer, members: list[JudgeMember], fields: Fields,
        directory: GroupDirectory,
    ) -> None:  # fmt: skip
        self._plan, self._server, self._members, self._fields = plan, server, members, fields
        self._directory, self._random = directory, random.Random(plan.seed)
        self._loop = asyncio.get_running_loop()
        self.takeovers: dict[str, list[float]] = defaultdict(list)
        self.faults = 0

    async def commit_faults(self) -> None:
        """Commit faults until the time of the plan is over; each kind once before any comes twice."""
        kinds: list[str] = []
        acts: dict[str, _Act] = {
            "kill": self._kill, "stop": self._stop, "database": self._database, "broker": self._broker,
        }  # fmt: skip
        until = self._loop.time() + self._plan.seconds
        while self._loop.time() < until:
            kinds = kinds or self._random.sample(self._plan.kinds, len(self._plan.kinds))
            kind = kinds.pop()
            self.faults += 1
            if kind == "restart":
                await self._restart()
            else:
                member = self._random.choice(self._members)
                await self._hit(kind, member, acts[kind])
            await asyncio.sleep(self._random.uniform(1.0, 3.0))

    async def _hit(self, kind: str, member: JudgeMember, act: _Act) -> None:
        owned = [
            place.table.removeprefix(f"{SITE}/")
            for place in (await self._directory.survey(await self._directory.tables())).values()
            if place.has_owner and place.owner == member.name
        ]
        sides = [self._fields.tables[name] for name in owned]
        runs, at = [side.run for side in sides], self._loop.time()
        acting = asyncio.create_task(act(member))
        await until(
            lambda: all(side.run != run for side, run in zip(sides, runs, strict=True)), READY_S,
            f"the tables of {member.name} have no new owner after {kind}",
        )  # fmt: skip
        self.takeovers[kind] += [side.owned_s - at for side in sides]
        await acting

    async def _kill(self, member: JudgeMember) -> None:
        await member.kill()
        await asyncio.sleep(self._out_s())
        await member.start()

    async def _stop(self, member: JudgeMember) -> None:
        member.signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(self._out_s())
        finally:
            member.signal(signal.SIGCONT)

    async def _database(self, member: JudgeMember) -> None:
        member.database.hold()
        await asyncio.sleep(self._out_s())
        member.database.release()

    async def _broker(self, member: JudgeMember) -> None:
        member.broker.hold()
        await asyncio.sleep(self._out_s() + 2 * KEEPALIVE_S + UNLINKED_S)
        member.broker.release()

    async def _restart(self) -> None:
        at = self._loop.time()
        before = {name: side.stored for name, side in self._fields.tables.items()}
        await asyncio.to_thread(self._server.kill)
        await asyncio.sleep(self._random.uniform(0, 2))
        await asyncio.to_thread(self._server.start)
        sides = self._fields.tables
        await until(
            lambda: all(sides[name].stored > stored for name, stored in before.items()), READY_S,
            "not every table was stored again after a restart of the database",
        )  # fmt: skip
        self.takeovers["restart"] += [max(side.moved_s for side in sides.values()) - at]

    def _out_s(self) -> float:
        """Return how long a member is out: past the end of its lease."""
        return self._plan.lease_s + self._random.uniform(0.6, 4.0)
