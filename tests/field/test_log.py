"""The table's log over a real journal: nothing leaves before its commit."""

from pathlib import Path

import pytest

from pitwarden.field.log.row_builder import PendingRow
from pitwarden_client.events.device import ShoeCut
from pitwarden_client.events.envelope import LogEvent
from pitwarden_drivers.api import PlainCard, Secret
from testkit.clocks.waiting import until
from testkit.journals.table_log import running, table_log_bench


async def test_what_leaves_is_what_is_stored_in_order(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as b:
        for counter in range(1, 301):
            assert b.log.offer(PendingRow("shoe", PlainCard(Secret(counter % 52)), boot=1, counter=counter))
        await until(lambda: len(b.left) == 302)
        assert await b.stored() == b.left
        assert [row.tableseq for row in b.left] == list(range(1, 303))
        marks = await b.journal.device_marks()
        assert (marks["shoe"].boot, marks["shoe"].counter) == (1, 300)


async def test_a_row_has_left_only_after_its_commit(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as b:
        seen: list[int] = []

        def committed(row: LogEvent) -> None:
            assert b.journal.head is not None
            seen.append(b.journal.head.at.number - row.tableseq)

        b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=1, done=committed))
        await until(lambda: seen)
        assert seen[0] >= 0


async def test_each_start_opens_an_epoch_behind_the_last_row(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as first:
        first.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=1))
        await until(lambda: len(first.left) == 3)
        head = first.journal.head
    async with table_log_bench(tmp_path) as second:
        await until(lambda: len(second.left) == 2)
        opened = second.left[0]
        assert opened.data.kind == "epoch.opened"
        assert opened.data.parent == head
        assert opened.epoch != first.left[0].epoch
        assert opened.logms >= first.left[-1].logms
        assert head is not None
        assert opened.prevhash == head.hash


async def test_a_row_is_under_way_when_it_is_taken_and_a_burst_goes_in_few_commits(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as b:
        await b.log.idle()
        await b.journal.idle()  # the empty commit of the log's first turn is over too
        commits: list[int] = []
        b.journal.on_growth = lambda _: commits.append(b.journal.place)
        for counter in range(1, 101):
            b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=counter))
        await b.log.idle()
        assert commits == [3, 102]
        assert await b.stored() == b.left


async def test_a_row_that_an_ear_offers_follows_those_that_were_committed_with_it(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as b:
        await b.log.idle()

        def again(row: LogEvent) -> None:
            b.log.offer(PendingRow("shoe", ShoeCut(), boot=2, counter=row.devicecounter))

        for counter in (1, 2, 3):
            b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=counter, done=again))
        await b.log.idle()
        assert [(row.deviceboot, row.devicecounter) for row in b.left[2:]] == [
            (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)
        ]  # fmt: skip
        assert await b.stored() == b.left


async def test_a_bug_in_a_handler_of_a_row_ends_the_log(tmp_path: Path) -> None:
    def broken(_row: LogEvent) -> None:
        raise ZeroDivisionError("a bug")

    async with table_log_bench(tmp_path, run=False) as b:
        b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=1, done=broken))
        with pytest.raises(ZeroDivisionError):
            await b.log.run()


async def test_a_log_that_ended_gives_no_more_numbers(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path, run=False) as b:
        async with running(b.log):
            await b.log.idle()
            b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=1))
            b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=2))
        b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=3))
        await b.journal.idle()
        assert len(await b.stored()) == 3


async def test_a_poke_turns_the_log_with_its_journal(tmp_path: Path) -> None:
    async with table_log_bench(tmp_path) as b:
        await b.log.idle()
        for _ in range(3):
            before = b.log.progress
            b.log.wake()
            await until(lambda: b.log.progress > before)  # noqa: B023  it is awaited here
        assert len(await b.stored()) == 2
