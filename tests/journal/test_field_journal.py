import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.journal.errors import JournalOrderError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.records import DevicePosition, EpochRecord, InputAnswer, StoredRow
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head
from testkit.journals.log_rows import RowWriter, log_of, writer_at


def head_of(epoch: str, number: int, held: str) -> Head:
    return Head(at=Position(epoch=epoch, number=number), hash=held)


async def test_rows_come_back_byte_for_byte_through_all_epochs(tmp_path: Path) -> None:
    rows = log_of(3, 1, 4)
    journal = await FieldJournal.open(tmp_path / "log")
    assert (journal.head, journal.place, journal.damage) == (None, 0, None)
    await journal.commit(rows[:2])
    await journal.commit(rows[2:])
    await journal.close()

    journal = await FieldJournal.open(tmp_path / "log")
    assert journal.head == head_of("e3", 4, rows[-1].hash)
    stored = await journal.rows_after(0, 100)
    assert [(s.at, s.hash, s.topic, s.body) for s in stored] == [(r.at, r.hash, r.topic, r.body) for r in rows]
    assert [s.place for s in stored] == list(range(1, 9))
    assert [s.place for s in await journal.rows_after(3, 2)] == [4, 5]
    assert stored[-1].head == journal.head
    assert await journal.epochs() == [
        EpochRecord("e1", None, 1),
        EpochRecord("e2", head_of("e1", 3, rows[2].hash), 4),
        EpochRecord("e3", head_of("e2", 1, rows[3].hash), 5),
    ]
    await journal.close()


async def test_only_rows_of_this_log_are_located(tmp_path: Path) -> None:
    rows = log_of(3, 3)
    journal = await FieldJournal.open(tmp_path / "log")
    await journal.commit(rows)
    for place, row in enumerate(rows, 1):
        assert await journal.locate(row.at, row.hash) == place
    assert await journal.locate(rows[0].at, rows[1].hash) is None
    assert await journal.locate(Position(epoch="e1", number=4), rows[2].hash) is None
    assert await journal.locate(Position(epoch="e9", number=1), rows[0].hash) is None
    await journal.close()


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(1, 5), min_size=1, max_size=30))
def test_commits_that_wait_together_share_transactions_and_keep_their_order(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    rows = log_of(sum(cuts))

    async def night() -> None:
        journal = await FieldJournal.open(tmp_path_factory.mktemp("log") / "log")
        start, parts = 0, []
        for cut in cuts:
            parts.append(rows[start : start + cut])
            start += cut
        await asyncio.gather(*(journal.commit(part) for part in parts))
        assert [s.body for s in await journal.rows_after(0, 1_000)] == [r.body for r in rows]
        await journal.close()

    asyncio.run(night())


async def test_close_waits_for_what_was_asked_and_a_caller_that_left_loses_nothing(tmp_path: Path) -> None:
    rows = log_of(600)
    journal = await FieldJournal.open(tmp_path / "log")
    waiting = [asyncio.create_task(journal.commit([row]), name=f"commit-{row.at.number}") for row in rows]
    await asyncio.sleep(0)
    for task in waiting[::7]:
        task.cancel()
    await journal.close()
    await asyncio.gather(*waiting, return_exceptions=True)
    journal = await FieldJournal.open(tmp_path / "log")
    assert journal.place == 600
    await journal.close()


async def test_idle_waits_for_a_commit_whose_caller_left(tmp_path: Path) -> None:
    """Else a log is signed as closed at one row, and the next one lands behind it."""
    journal = await FieldJournal.open(tmp_path / "log")
    leaving = asyncio.create_task(journal.commit(log_of(300)))
    await asyncio.sleep(0)
    leaving.cancel()
    await journal.idle()
    assert journal.place == 300
    await asyncio.gather(leaving, return_exceptions=True)
    await journal.close()


@pytest.mark.parametrize("broken", ["number", "predecessor", "old epoch", "epoch from two"])
async def test_rows_that_do_not_continue_the_head_are_refused_whole(tmp_path: Path, broken: str) -> None:
    rows = log_of(2, 2)
    good, writer = writer_at(rows[-1]).write()
    bad = {
        "number": replace(good, at=Position(epoch="e2", number=4)),
        "predecessor": replace(good, prevhash="0" * 64),
        "old epoch": writer_at(good).open("e1")[0],
        "epoch from two": replace(writer_at(good).open("e9")[0], at=Position(epoch="e9", number=2)),
    }[broken]
    batch = [good, bad] if broken in ("old epoch", "epoch from two") else [bad]
    journal = await FieldJournal.open(tmp_path / "log")
    await journal.commit(rows)
    with pytest.raises(JournalOrderError):
        await journal.commit(batch)
    assert (journal.place, journal.head) == (4, head_of("e2", 2, rows[-1].hash))
    await journal.commit([good, writer.write()[0]])
    assert journal.place == 6
    await journal.close()


async def test_device_marks_and_answers_are_committed_with_their_row_or_not_at_all(tmp_path: Path) -> None:
    rows = log_of(4)
    answer = InputAnswer("dealer", "kp1", "i7", "ab" * 32, rows[1].at)
    journal = await FieldJournal.open(tmp_path / "log")
    await journal.commit([rows[0], replace(rows[1], answer=answer)])
    await journal.commit([replace(rows[2], device="shoe", boot=5, counter=9)])
    with pytest.raises(JournalOrderError):
        await journal.commit(
            [
                replace(rows[3], device="shoe", boot=6, counter=1),
                replace(rows[3], answer=replace(answer, input_id="i8")),
            ]
        )
    assert await journal.device_marks() == {"shoe": DevicePosition(5, 9)}
    assert await journal.answer("dealer", "kp1", "i7") == answer
    for other in (("floor", "kp1", "i7"), ("dealer", "kp2", "i7"), ("dealer", "kp1", "i8")):
        assert await journal.answer(*other) is None
    await journal.commit([replace(rows[3], device="shoe", boot=6, counter=1)])
    assert await journal.device_marks() == {"shoe": DevicePosition(6, 1)}
    await journal.close()


async def test_the_first_answer_stays(tmp_path: Path) -> None:
    journal = await FieldJournal.open(tmp_path / "log")
    first = InputAnswer("dealer", "kp1", "i1", "ab" * 32, None, "stale")
    await journal.store_answer(first)
    await journal.store_answer(replace(first, reason="other"))
    row, _ = RowWriter().open("e1")
    await journal.commit([replace(row, answer=replace(first, at=row.at, reason=""))])
    assert await journal.answer("dealer", "kp1", "i1") == first
    await journal.close()


async def test_positions_and_meta_are_kept(tmp_path: Path) -> None:
    journal = await FieldJournal.open(tmp_path / "log")
    assert await journal.positions() == {}
    assert await journal.meta("gaming_day") is None
    for place in (3, 7):
        await journal.set_position("judge", place)
        await journal.set_meta("gaming_day", str(place))
    await journal.set_position("historian", 1)
    await journal.close()
    journal = await FieldJournal.open(tmp_path / "log")
    assert await journal.positions() == {"judge": 7, "historian": 1}
    assert await journal.meta("gaming_day") == "7"
    await journal.close()


async def test_growth_is_reported_once_rows_are_on_the_disk_and_before_their_writer_continues(tmp_path: Path) -> None:
    journal = await FieldJournal.open(tmp_path / "log")
    order: list[tuple[str, int]] = []

    def grown(rows: Sequence[StoredRow]) -> None:
        assert [row.place for row in rows] == [journal.place]
        with contextlib.closing(sqlite3.connect(tmp_path / "log")) as other:
            order.append(("grown", other.execute("SELECT max(place) FROM row").fetchone()[0]))

    journal.on_growth = grown
    for number, row in enumerate(log_of(3), 1):
        await journal.commit([row])
        order.append(("written", number))
    assert order == [(what, number) for number in (1, 2, 3) for what in ("grown", "written")]
    await journal.close()
