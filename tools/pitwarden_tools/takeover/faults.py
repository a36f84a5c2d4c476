"""Faults of the experiment, one after the other, and the seconds until the tables that each hit are judged again."""

import asyncio
import random
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Final

from pitwarden.judge_group.directory import GroupDirectory
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.takeover.errors import TakeoverError
from pitwarden_tools.takeover.fields import Fields
from pitwarden_tools.takeover.members import KEEPALIVE_S, JudgeMember
from pitwarden_tools.takeover.nodes import BrokerNodes
from pitwarden_tools.takeover.plan import TakeoverPlan
from pitwarden_tools.takeover.server import DatabasePair
from pitwarden_tools.takeover.waiting import ended, in_thread, until

STUCK_S: Final = 90.0
"""Time after which tables that a fault hit count as lost: nothing but a bug, or a stopped machine, takes so long."""
DETECTED_S: Final = 1.0
"""Time from the end of a primary to the promotion. The house's failover manager decides it; Patroni's is longer."""
_Act = Callable[[JudgeMember], Coroutine[object, object, None]]


class FaultRig:
    """Servers, members and fields under faults."""

    def __init__(
        self, plan: TakeoverPlan, servers: tuple[DatabasePair, BrokerNodes], members: list[JudgeMember],
        fields: Fields, directory: GroupDirectory,
    ) -> None:  # fmt: skip
        self._plan, self._members, self._fields, self._directory = plan, members, fields, directory
        self._databases, self._brokers = servers
        self._random = random.Random(plan.seed)
        self._loop = asyncio.get_running_loop()
        self.takeovers: dict[str, list[float]] = defaultdict(list)
        """Seconds of each table that a fault of this kind hit, or of the last table where it hit all of them."""
        self.committed = Counter[str]()
        self.stuck = 0
        """Tables that no member judged for STUCK_S."""

    async def commit_faults(self) -> None:
        """Commit faults until the time of the plan is over and each kind came; none comes twice before all did."""
        kinds: list[str] = []
        of_one: dict[str, _Act] = {
            "kill": self._kill, "stop": self._stop, "database": self._database, "broker": self._broker,
        }  # fmt: skip
        of_all = {"restart": self._restart, "failover": self._fail_over, "node": self._node, "freeze": self._freeze}
        end = self._loop.time() + self._plan.seconds
        while self._loop.time() < end or not self.committed.keys() >= set(self._plan.kinds):
            kinds = kinds or self._random.sample(self._plan.kinds, len(self._plan.kinds))
            kind = kinds.pop()
            self.committed[kind] += 1
            if kind in of_one:
                await self._hit(kind, of_one[kind])
            else:
                await self._hit_all(kind, of_all[kind])
            await asyncio.sleep(self._random.uniform(1.0, 3.0))

    async def _hit(self, kind: str, act: _Act) -> None:
        """Commit a fault of one member with tables, and measure until each of them has another owner.

        A new owner that says so and stores nothing has not taken a table over.
        """
        places = (await self._directory.survey(await self._directory.tables())).values()
        owners = {place.owner for place in places if place.has_owner}
        # None owns a table only where the fault before left them stuck, which is a difference already.
        member = self._random.choice([one for one in self._members if one.name in owners] or self._members)
        owned = [place.table.removeprefix(f"{SITE}/") for place in places if place.owner == member.name]
        sides, at = [self._fields.tables[name] for name in owned], self._loop.time()
        before = [(side, side.run) for side in sides]
        async with self._acting(act(member)):
            self.stuck += await self._until(
                lambda: sum(side.run == run or not side.is_judged for side, run in before)
            )  # fmt: skip
            self.takeovers[kind] += [side.owned_s - at for side, run in before if side.run != run and side.is_judged]

    async def _hit_all(self, kind: str, act: Callable[[], Coroutine[object, object, None]]) -> None:
        """Commit a fault of a server, and measure until every table has had a row stored after it."""
        at = self._loop.time()
        before = {name: side.stored for name, side in self._fields.tables.items()}
        moved: dict[str, float] = {}

        def left() -> int:
            for name, side in self._fields.tables.items():
                if name not in moved and side.moved_s > at and side.stored > before[name]:
                    moved[name] = side.moved_s
            return len(before) - len(moved)

        async with self._acting(act()):
            # A row that was on its way when the fault came does not show that the table is judged again.
            await asyncio.sleep(self._plan.in_flight_s)
            before.update({name: side.stored for name, side in self._fields.tables.items()})
            self.stuck += await self._until(left)
            if len(moved) == len(before):
                self.takeovers[kind].append(max(moved.values()) - at)

    @asynccontextmanager
    async def _acting(self, act: Coroutine[object, object, None]) -> AsyncIterator[None]:
        """Act during the block, and wait for the end of both. A block that is cancelled ends the act too."""
        acting = asyncio.create_task(act)
        try:
            yield
            await acting
        finally:
            await ended(acting)

    async def _until(self, left: Callable[[], int]) -> int:
        """Wait until `left()` is 0, at most STUCK_S; return what it is then."""
        try:
            await until(lambda: not left(), STUCK_S, "tables are not judged")
        except TakeoverError:
            return left()
        return 0

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
        for wire in member.databases:
            wire.hold()
        await asyncio.sleep(self._out_s())
        for wire in member.databases:
            wire.release()

    async def _broker(self, member: JudgeMember) -> None:
        for wire in member.brokers:
            wire.hold()
        await asyncio.sleep(self._out_s() + 2 * KEEPALIVE_S)
        for wire in member.brokers:
            wire.release()

    async def _restart(self) -> None:
        primary = self._databases.primary
        await in_thread(primary.kill)
        await asyncio.sleep(self._random.uniform(0, 2))
        await in_thread(primary.start)

    async def _fail_over(self) -> None:
        await in_thread(self._databases.primary.kill)
        await asyncio.sleep(DETECTED_S)
        await in_thread(self._databases.fail_over)
        await asyncio.sleep(self._out_s())
        await in_thread(self._databases.rejoin)

    async def _node(self) -> None:
        node = self._random.choice(self._brokers.nodes)
        await in_thread(node.kill)
        await asyncio.sleep(self._out_s())
        await in_thread(node.start)

    async def _freeze(self) -> None:
        node = self._random.choice(self._brokers.nodes)
        node.freeze()
        try:
            await asyncio.sleep(self._out_s() + 2 * KEEPALIVE_S)
        finally:
            node.thaw()

    def _out_s(self) -> float:
        """Return how long a member or a server is out: past the end of a lease."""
        return self._plan.lease_s + self._random.uniform(0.6, 4.0)
