"""An upgrade of the rules, member by member: other rules do not take a table over unless told, and older ones never."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from pitwarden.journal.records import ReceivedRow
from pitwarden.judge_group.assignment import JudgeFacts
from pitwarden.judge_group.claims import ClaimBook
from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.layout import DDL
from pitwarden.judge_group.member import GroupMember
from pitwarden.judge_group.seat import TableSeat
from pitwarden_client.events.table import Head
from testkit.clocks.waiting import until
from testkit.installation.postgresql import PostgresqlServer
from testkit.journals.log_rows import log_of
from testkit.journals.record_stores import GroupStore

TABLE, ROWS = "bench/t1", log_of(3)
VERSION = "0.2.0"


class Member:
    """Member of a group in a real database, with a seat for one table and no judge."""

    def __init__(self, store: GroupStore, rules: str, *, takes_older: bool = False) -> None:
        self.book = ClaimBook(time.monotonic)
        sessions = [store.session() for _ in range(4)]
        self.record = GroupRecord(sessions[0], sessions[1], self.book, (rules, VERSION))
        facts = JudgeFacts(rules, VERSION, takes_older=takes_older)
        self.member = GroupMember(rules, facts, GroupDirectory(*sessions[2:]), self.book, lease_s=3.0)
        self.seat = TableSeat(TABLE, ("key",), self._answers, is_wanted=True)
        self.member.join(self.seat)

    async def _answers(self) -> bool:
        return True

    async def judge(self, number: int) -> None:
        """Commit one row of the table, as its owner."""
        row = ROWS[number]
        await self.record.resume(TABLE)
        await self.record.store(TABLE, [ReceivedRow(row.at, row.hash, row.body)], [], Head(at=row.at, hash=row.hash))


@asynccontextmanager
async def running(one: Member) -> AsyncIterator[Member]:
    """Run the member; then its table is given back, as a stop does."""
    task = asyncio.create_task(one.member.run())
    try:
        yield one
        await one.member.give_back(one.seat)
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await one.record.close()
        await one.member.leave()


async def test_an_upgrade_goes_from_member_to_member_when_told_and_never_back(
    shared_postgresql: PostgresqlServer,
) -> None:
    store = GroupStore(shared_postgresql)
    session = store.session()
    await session.script(DDL)
    await session.close()
    async with running(Member(store, "1.0.0")) as old:
        await until(lambda: old.seat.claim is not None)
        await old.judge(0)
    async with running(Member(store, "1.1.0")) as untold:
        await until(lambda: untold.seat.refused != "")
        assert "takes_older_rules = false" in untold.seat.refused
        assert untold.member.counts.ownerless == (TABLE,)
        assert untold.seat.claim is None
    async with running(Member(store, "1.1.0", takes_older=True)) as told:
        await until(lambda: told.seat.claim is not None)
        await told.judge(1)
    async with running(Member(store, "1.0.0", takes_older=True)) as back:
        await until(lambda: back.seat.refused != "")
        assert "which are newer than this member's" in back.seat.refused
        assert back.seat.claim is None
    async with running(Member(store, "1.1.0")) as upgraded:
        await until(lambda: upgraded.seat.claim is not None)
        await upgraded.judge(2)
        assert [row.hash for row in await upgraded.record.rows_after(TABLE, None, 9)] == [row.hash for row in ROWS]
