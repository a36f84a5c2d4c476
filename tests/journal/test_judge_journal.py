import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.journal.errors import JournalFullError, JournalOrderError
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_store import KEPT_SNAPSHOTS, JudgeStore
from pitwarden.journal.records import NewRow, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from testkit.journals.log_rows import log_of


def received(rows: list[NewRow]) -> list[ReceivedRow]:
    return [ReceivedRow(row.at, row.hash, row.body) for row in rows]


def output(seq: int, cause: NewRow, index: int = 0) -> StoredOutput:
    body = f"output {seq}".encode()
    return StoredOutput(seq, cause.at, index, digest(body), "t/irregularities", body)


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


async def test_rows_outputs_and_position_come_back_for_each_table_by_itself(tmp_path: Path) -> None:
    rows, other = log_of(3, 2), log_of(2)
    outputs = [output(1, rows[1]), output(2, rows[1], 1), output(3, rows[4])]
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert (await journal.position("t1"), await journal.last_output("t1"), await journal.followed("t1")) == (
        None,
        None,
        [],
    )
    await journal.store("t1", received(rows[:2]), outputs[:2], head(rows[1]))
    await journal.store("t2", received(other), [output(1, other[0])], head(other[1]))
    await journal.store("t1", received(rows[2:]), outputs[2:], head(rows[4]))
    await journal.close()

    journal = await JudgeJournal.open(tmp_path / "judge")
    assert journal.damage is None
    assert (await journal.position("t1"), await journal.position("t2")) == (head(rows[4]), head(other[1]))
    assert await journal.rows_after("t1", None, 100) == received(rows)
    assert await journal.rows_after("t1", rows[2].at, 100) == received(rows[3:])
    assert await journal.rows_after("t1", rows[0].at, 2) == received(rows[1:3])
    assert await journal.rows_after("t1", Position(epoch="e9", number=1), 100) == []
    assert await journal.followed("t1") == ["e1", "e2"]
    assert await journal.outputs_of("t1", rows[1].at, rows[1].at) == outputs[:2]
    assert await journal.outputs_of("t1", rows[0].at, rows[0].at) == []
    assert await journal.outputs_of("t1", rows[0].at, rows[-1].at) == outputs
    assert await journal.last_output("t1") == OutputHead(3, outputs[2].hash)
    await journal.close()


async def test_what_was_committed_and_not_published_is_published_as_it_was(tmp_path: Path) -> None:
    rows = log_of(3)
    outputs = [output(seq, rows[0]) for seq in range(1, 6)]
    journal = await JudgeJournal.open(tmp_path / "judge")
    await journal.store("t1", received(rows), outputs, head(rows[2]))
    assert await journal.published("t1") == 0
    for seq in (1, 2):
        await journal.set_published("t1", seq)
    await journal.close()
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert await journal.outputs_after("t1", await journal.published("t1"), 100) == outputs[2:]
    assert await journal.outputs_after("t1", 0, 2) == outputs[:2]
    assert await journal.outputs_after("t2", 0, 2) == []
    await journal.close()


@pytest.mark.parametrize("twice", ["row", "output"])
async def test_nothing_counts_twice_and_a_refused_batch_leaves_nothing(tmp_path: Path, twice: str) -> None:
    rows = log_of(3)
    journal = await JudgeJournal.open(tmp_path / "judge")
    await journal.store("t1", received(rows[:1]), [output(1, rows[0])], head(rows[0]))
    batch = rows[:2] if twice == "row" else rows[1:2]
    with pytest.raises(JournalOrderError):
        await journal.store("t1", received(batch), [output(1 if twice == "output" else 2, rows[1])], head(rows[1]))
    assert await journal.position("t1") == head(rows[0])
    assert await journal.rows_after("t1", None, 10) == received(rows[:1])
    assert await journal.last_output("t1") == OutputHead(1, output(1, rows[0]).hash)
    await journal.close()


async def test_a_full_disk_leaves_rows_outputs_and_position_together(tmp_path: Path) -> None:
    rows = log_of(300)
    journal = await JudgeJournal.open(tmp_path / "judge")
    await journal.limit_pages(60)
    done = 0
    for row in rows:
        (outcome,) = await asyncio.gather(
            journal.store("t1", received([row]), [output(done + 1, row)], head(row)), return_exceptions=True
        )
        if outcome is not None:
            assert isinstance(outcome, JournalFullError)
            break
        done += 1
    assert 0 < done < 300
    assert await journal.position("t1") == head(rows[done - 1])
    assert len(await journal.rows_after("t1", None, 1_000)) == done
    last = await journal.last_output("t1")
    assert last is not None
    assert last.seq == done
    await journal.limit_pages(None)
    await journal.store("t1", received(rows[done:]), [], head(rows[-1]))
    assert await journal.rows_after("t1", None, 1_000) == received(rows)
    await journal.close()


async def test_a_row_that_cannot_be_read_keeps_its_bytes(tmp_path: Path) -> None:
    (row,) = received(log_of(1))
    journal = await JudgeJournal.open(tmp_path / "judge")
    await journal.store("t1", [replace(row, damaged=True)], [], Head(at=row.at, hash=row.hash))
    assert await journal.rows_after("t1", None, 10) == [replace(row, damaged=True)]
    await journal.close()


async def test_the_newest_snapshots_are_kept(tmp_path: Path) -> None:
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert await journal.snapshots("t1") == []
    snapshots = [SealedSnapshot(Position(epoch="e1", number=n), "1.0", "ab" * 32, b"box %d" % n) for n in range(1, 7)]
    for snapshot in snapshots:
        await journal.put_snapshot("t1", snapshot)
        await journal.put_snapshot("t2", snapshots[0])
    assert await journal.snapshots("t1") == snapshots[: -KEPT_SNAPSHOTS - 1 : -1]
    assert len(await journal.snapshots("t2")) == KEPT_SNAPSHOTS
    assert "box 1" not in repr(snapshots)
    await journal.close()


async def test_meta_is_kept_for_each_table(tmp_path: Path) -> None:
    journal = await JudgeJournal.open(tmp_path / "judge")
    assert await journal.meta("t1", "announced") is None
    await journal.set_meta("t1", "announced", "a")
    await journal.set_meta("t1", "announced", "b")
    assert (await journal.meta("t1", "announced"), await journal.meta("t2", "announced")) == ("b", None)
    await journal.close()


def test_nothing_is_lost_with_the_process(tmp_path: Path) -> None:
    rows = log_of(2)
    store = JudgeStore(tmp_path / "judge")
    store.store("t1", received(rows), [output(1, rows[0])], head(rows[1]))
    copy = tmp_path / "copy"
    for part in ("", "-wal"):
        copy.with_name(copy.name + part).write_bytes((tmp_path / f"judge{part}").read_bytes())
    store.close()
    after = JudgeStore(copy)  # the files as a SIGKILL leaves them
    assert after.rows_after("t1", None, 10) == received(rows)
    assert after.outputs_after("t1", 0, 10) == [output(1, rows[0])]
    after.close()


async def test_a_table_that_contradicts_the_record_keeps_no_other_from_the_disk(tmp_path: Path) -> None:
    journal = await JudgeJournal.open(tmp_path / "judge")
    rows = log_of(2)
    await journal.store("t1", received(rows[:1]), [], head(rows[0]))
    calls = [journal.store(table, received(rows[:1]), [], head(rows[0])) for table in ("t1", "t2", "t1", "t3")]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [isinstance(result, JournalOrderError) for result in results] == [True, False, True, False]
    assert await journal.position("t2") == await journal.position("t3") == head(rows[0])
    await journal.close()


def test_what_was_judged_on_a_row_is_found_without_looking_at_the_rest(tmp_path: Path) -> None:
    rows = log_of(500)
    store, looked = JudgeStore(tmp_path / "judge"), [0]
    store.database.within.set_progress_handler(lambda: looked.__setitem__(0, looked[0] + 1), 1)
    steps = []
    for some in (rows[:20], rows[20:]):
        outputs = [output(row.at.number, row) for row in some]
        store.store("t1", received(some), outputs, head(some[-1]))
        before = looked[0]
        assert store.outputs_of("t1", some[-1].at, some[-1].at) == outputs[-1:]
        steps.append(looked[0] - before)
    store.close()
    assert steps[0] == steps[1]
