"""The table's log when nothing more can be taken: a full disk costs time, never a row."""

from pathlib import Path

import pytest

from pitwarden.field.log import sequencer as log
from pitwarden.field.log.row_builder import PendingRow
from pitwarden_client.events.device import DeviceRestarted, ShoeCut
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_tools.campaign.disk import fill, small_disk, why_not
from testkit.clocks.waiting import until
from testkit.journals.table_log import running, table_log_bench


async def test_a_full_disk_stops_the_numbers_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "RETRY_S", 0.001)
    async with table_log_bench(tmp_path) as b:
        await until(lambda: len(b.left) == 2)
        await b.journal.limit_pages(1)
        for counter in range(1, 201):
            b.log.offer(PendingRow("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
        await until(lambda: b.faults == ["journal_full"])
        left_while_full = len(b.left)
        for counter in range(201, 211):
            b.log.offer(PendingRow("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
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
        async with table_log_bench(tmp_path / "disk") as b:
            await until(lambda: len(b.left) == 2)
            fill(filler)
            for counter in range(1, 201):
                b.log.offer(PendingRow("shoe", PlainCard(Secret(3)), boot=1, counter=counter))
            await until(lambda: b.faults == ["journal_full"])
            assert len(await b.stored()) == len(b.left)
            filler.unlink()
            await until(lambda: len(b.left) == 203)
            assert [row.data.fault for row in b.left if row.data.kind == "log.fault"] == ["journal_full"]
            assert [row.devicecounter for row in b.left if row.data.kind == "shoe.card"] == list(range(1, 201))
            assert await b.stored() == b.left


async def test_an_overflow_is_said_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "QUEUE_ROWS", 5)
    async with table_log_bench(tmp_path, run=False) as b:
        taken = [b.log.offer(PendingRow("shoe", ShoeCut(), boot=1, counter=n)) for n in range(1, 11)]
        assert taken == [True] * 3 + [False] * 7  # two places are the epoch's own; the device keeps these seven
        assert not any(b.log.offer(PendingRow("shoe", DeviceRestarted(boot=2))) for _ in range(4))
        async with running(b.log):
            await b.log.idle()
        fault = b.left[-1].data
        assert fault.kind == "log.fault"
        assert (fault.fault, fault.lost) == ("queue_overflow", 4)
