"""The table's log over a real journal: nothing leaves before its commit; a full disk costs time, never a row."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import pytest

from fake_clock import FakeClock
from pitwarden.events.codec import decode
from pitwarden.events.device import DeviceRestarted, ShoeCut
from pitwarden.events.envelope import LogEvent
from pitwarden.events.topics import Topics
from pitwarden.field import log
from pitwarden.field.epoch import FieldKeys, open_epoch
from pitwarden.field.log import TableLog
from pitwarden.field.pending import Pending
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_simulators.campaign.disk import fill, small_disk, why_not
from waiting import until

PLACE = Place("harbor", "ta01", simulated=True)
KEYS = FieldKeys(SigningKey.generate(), (PrivateKey.generate().public_key,))


class Bench:
    def __init__(self, journal: FieldJournal, table_log: TableLog, left: list[LogEvent], faults: list[str]) -> None:
        self.journal, self.log, self.left, self.faults = journal, table_log, left, faults

    async def stored(self) -> list[LogEvent]:
        return [decode(LogEvent, row.body) for row in await self.journal.rows_after(0, 10_000)]


@asynccontextmanager
async def running(table_log: TableLog) -> AsyncIterator[None]:
    task = asyncio.create_task(table_log.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def bench(path: Path, *, run: bool = True) -> AsyncIterator[Bench]:
    journal = await FieldJournal.open(path / "field.sqlite")
    await journal.reserve.keep()
    opening = await open_epoch(journal, PLACE, KEYS, FakeClock())
    left: list[LogEvent] = []
    faults: list[str] = []
    table_log = TableLog(
        journal,
        opening.rows,
        Topics("harbor", "ta01"),
        on_row=left.append,
        on_faults=lambda names: faults.append("+".join(names)),
        on_idle=lambda: None,
    )
    for pending in opening.first:
        table_log.offer(pending)
    try:
        async with running(table_log) if run else nullcontext():
            yield Bench(journal, table_log, left, faults)
    finally:
        await journal.close()


async def test_what_leaves_is_what_is_stored_in_order(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        for counter in range(1, 301):
            assert b.log.offer(Pending("shoe", PlainCard(Secret(counter % 52)), boot=1, counter=counter))
        await until(lambda: len(b.left) == 302)
        assert await b.stored() == b.left
        assert [row.tableseq for row in b.left] == list(range(1, 303))
        marks = await b.journal.device_marks()
        assert (marks["shoe"].boot, marks["shoe"].counter) == (1, 300)


async def test_a_row_has_left_only_after_its_commit(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        seen: list[int] = []

        def committed(row: LogEvent) -> None:
            assert b.journal.head is not None
            seen.append(b.journal.head.at.number - row.tableseq)

        b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=1, done=committed))
        await until(lambda: seen)
        assert seen[0] >= 0


async def test_a_full_disk_stops_the_numbers_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "RETRY_S", 0.001)
    async with bench(tmp_path) as b:
        await until(lambda: len(b.left) == 2)
        await b.journal.limit_pages(1)
        for counter in range(1, 201):
            b.log.offer(Pending("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
        await until(lambda: b.faults == ["journal_full"])
        left_while_full = len(b.left)
        for counter in range(201, 211):
            b.log.offer(Pending("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
        assert len(await b.stored()) == left_while_full
        await b.journal.limit_pages(None)
        await until(lambda: sum(row.data.kind == "shoe.card" for row in b.left) == 210)
        assert b.faults == ["journal_full", ""]
        assert [row.devicecounter for row in b.left if row.data.kind == "shoe.card"] == list(range(1, 211))
        assert [row.data.fault for row in b.left if row.data.kind == "log.fault"] == ["journal_full"]
        assert await b.stored() == b.left


@pytest.mark.skipif(why_not() != "", reason=f"no file system that is really full: {why_not()}")
async def test_a_file_system_that_is_really_full_stops_the_numbers_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "RETRY_S", 0.001)
    filler = tmp_path / "disk" / "filler"
    with small_disk(tmp_path / "disk", 6_000_000):
        async with bench(tmp_path / "disk") as b:
            await until(lambda: len(b.left) == 2)
            fill(filler)
            for counter in range(1, 201):
                b.log.offer(Pending("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
            await until(lambda: b.faults == ["journal_full"])
            assert len(await b.stored()) == len(b.left)
            filler.unlink()
            await until(lambda: len(b.left) == 203)
            assert [row.data.fault for row in b.left if row.data.kind == "log.fault"] == ["journal_full"]
            assert [row.devicecounter for row in b.left if row.data.kind == "shoe.card"] == list(range(1, 201))
            assert await b.stored() == b.left


async def test_an_overflow_is_said_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "QUEUE_ROWS", 5)
    async with bench(tmp_path, run=False) as b:
        taken = [b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=n)) for n in range(1, 11)]
        assert taken == [True] * 3 + [False] * 7  # two places are the epoch's own; the device keeps these seven
        assert not any(b.log.offer(Pending("shoe", DeviceRestarted(boot=2))) for _ in range(4))
        async with running(b.log):
            await b.log.idle()
        fault = b.left[-1].data
        assert fault.kind == "log.fault"
        assert (fault.fault, fault.lost) == ("queue_overflow", 4)


async def test_each_start_opens_an_epoch_behind_the_last_row(tmp_path: Path) -> None:
    async with bench(tmp_path) as first:
        first.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=1))
        await until(lambda: len(first.left) == 3)
        head = first.journal.head
    async with bench(tmp_path) as second:
        await until(lambda: len(second.left) == 2)
        opened = second.left[0]
        assert opened.data.kind == "epoch.opened"
        assert opened.data.parent == head
        assert opened.epoch != first.left[0].epoch
        assert opened.logms >= first.left[-1].logms
        assert head is not None
        assert opened.prevhash == head.hash


async def test_a_row_is_under_way_when_it_is_taken_and_a_burst_goes_in_few_commits(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.log.idle()
        commits: list[int] = []
        b.journal.on_growth = lambda: commits.append(b.journal.place)
        for counter in range(1, 101):
            b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=counter))
        await b.log.idle()
        assert commits == [3, 102]
        assert await b.stored() == b.left


async def test_a_row_that_an_ear_offers_follows_those_that_were_committed_with_it(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.log.idle()

        def again(row: LogEvent) -> None:
            b.log.offer(Pending("shoe", ShoeCut(), boot=2, counter=row.devicecounter))

        for counter in (1, 2, 3):
            b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=counter, done=again))
        await b.log.idle()
        assert [(row.deviceboot, row.devicecounter) for row in b.left[2:]] == [
            (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)
        ]  # fmt: skip
        assert await b.stored() == b.left


async def test_a_bug_in_who_hears_a_row_ends_the_log(tmp_path: Path) -> None:
    def broken(_row: LogEvent) -> None:
        raise ZeroDivisionError("a bug")

    async with bench(tmp_path, run=False) as b:
        b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=1, done=broken))
        with pytest.raises(ZeroDivisionError):
            await b.log.run()


async def test_a_log_that_ended_gives_no_more_numbers(tmp_path: Path) -> None:
    async with bench(tmp_path, run=False) as b:
        async with running(b.log):
            await b.log.idle()
            b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=1))
            b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=2))
        b.log.offer(Pending("shoe", ShoeCut(), boot=1, counter=3))
        await b.journal.idle()
        assert len(await b.stored()) == 3


async def test_a_poke_turns_the_log_with_its_journal(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        await b.log.idle()
        for _ in range(3):
            before = b.log.progress
            b.log.poke()
            await until(lambda: b.log.progress > before)  # noqa: B023  it is awaited here
        assert len(await b.stored()) == 2
