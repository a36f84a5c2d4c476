"""The contract of a judge's record, which both of its stores keep: a file of SQLite, and a database of a group."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.journal.errors import JournalDamagedError, JournalOrderError
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.journal.judge_store import KEPT_SNAPSHOTS
from pitwarden.journal.records import JudgeCheckpoint, NewRow, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.judge.persistence import JudgeSigner
from pitwarden.seal.keys import PrivateKey
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from testkit.journals.log_rows import log_of
from testkit.journals.record_stores import GroupStore, RecordStore, SqliteStore


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RecordStore]:
    if request.param == "sqlite":
        yield SqliteStore(tmp_path / "judge")
    else:
        yield GroupStore(request.getfixturevalue("shared_postgresql"))


def received(rows: list[NewRow]) -> list[ReceivedRow]:
    return [ReceivedRow(row.at, row.hash, row.body) for row in rows]


def output(seq: int, cause: NewRow, index: int = 0) -> StoredOutput:
    body = f"output {seq}".encode()
    return StoredOutput(seq, cause.at, index, digest(body), "t/irregularities", body)


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


async def reopened(store: RecordStore, record: JudgeRecord) -> JudgeRecord:
    await record.close()
    return await store.open()


async def test_rows_outputs_and_position_come_back_for_each_table_by_itself(store: RecordStore) -> None:
    rows, other = log_of(3, 2), log_of(2)
    outputs = [output(1, rows[1]), output(2, rows[1], 1), output(3, rows[4])]
    record = await store.open()
    assert (await record.position("t1"), await record.last_output("t1")) == (None, None)
    assert (await record.followed("t1"), await record.published("t1")) == ([], 0)
    await record.store("t1", received(rows[:2]), outputs[:2], head(rows[1]))
    await record.store("t2", received(other), [output(1, other[0])], head(other[1]))
    await record.store("t1", received(rows[2:]), outputs[2:], head(rows[4]))

    record = await reopened(store, record)
    assert record.damage is None
    assert (await record.position("t1"), await record.position("t2")) == (head(rows[4]), head(other[1]))
    assert await record.rows_after("t1", None, 100) == received(rows)
    assert await record.rows_after("t1", rows[2].at, 100) == received(rows[3:])
    assert await record.rows_after("t1", rows[0].at, 2) == received(rows[1:3])
    assert await record.rows_after("t1", Position(epoch="e9", number=1), 100) == []
    assert await record.followed("t1") == ["e1", "e2"]
    assert await record.outputs_of("t1", rows[1].at, rows[1].at) == outputs[:2]
    assert await record.outputs_of("t1", rows[0].at, rows[0].at) == []
    assert await record.outputs_of("t1", rows[0].at, rows[-1].at) == outputs
    assert await record.last_output("t1") == OutputHead(3, outputs[2].hash)
    await record.close()


async def test_what_was_committed_and_not_published_is_published_as_it_was(store: RecordStore) -> None:
    rows = log_of(3)
    outputs = [output(seq, rows[0]) for seq in range(1, 6)]
    record = await store.open()
    await record.store("t1", received(rows[:2]), outputs, head(rows[1]))
    assert await record.published("t1") == 0
    for seq in (1, 2):
        await record.set_published("t1", seq)
    # The mark may wait for the next commit: what is after a lost mark is published again, byte for byte.
    await record.store("t1", received(rows[2:]), [], head(rows[2]))
    record = await reopened(store, record)
    assert await record.outputs_after("t1", await record.published("t1"), 100) == outputs[2:]
    assert await record.outputs_after("t1", 0, 2) == outputs[:2]
    assert await record.outputs_after("t2", 0, 2) == []
    await record.close()


@pytest.mark.parametrize("twice", ["row", "output"])
async def test_nothing_counts_twice_and_a_refused_batch_leaves_nothing(store: RecordStore, twice: str) -> None:
    rows = log_of(3)
    record = await store.open()
    await record.store("t1", received(rows[:1]), [output(1, rows[0])], head(rows[0]))
    batch = rows[:2] if twice == "row" else rows[1:2]
    with pytest.raises(JournalOrderError):
        await record.store("t1", received(batch), [output(1 if twice == "output" else 2, rows[1])], head(rows[1]))
    assert await record.position("t1") == head(rows[0])
    assert await record.rows_after("t1", None, 10) == received(rows[:1])
    assert await record.last_output("t1") == OutputHead(1, output(1, rows[0]).hash)
    await record.store("t1", received(rows[1:]), [output(2, rows[1])], head(rows[2]))
    assert await record.rows_after("t1", None, 10) == received(rows)
    await record.close()


async def test_a_table_that_contradicts_the_record_keeps_no_other_from_being_stored(store: RecordStore) -> None:
    rows = log_of(2)
    record = await store.open()
    await record.store("t1", received(rows[:1]), [], head(rows[0]))
    calls = [record.store(table, received(rows[:1]), [], head(rows[0])) for table in ("t1", "t2", "t1", "t3")]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert [isinstance(result, JournalOrderError) for result in results] == [True, False, True, False]
    assert await record.position("t2") == await record.position("t3") == head(rows[0])
    await record.close()


async def test_a_row_that_cannot_be_read_keeps_its_bytes(store: RecordStore) -> None:
    (row,) = received(log_of(1))
    odd = replace(row, body=b"\x00\xff no JSON", hash=digest(b"\x00\xff no JSON"), damaged=True)
    record = await store.open()
    await record.store("t1", [odd], [], Head(at=row.at, hash=odd.hash))
    assert await record.rows_after("t1", None, 10) == [odd]
    await record.close()


async def test_a_changed_row_is_not_given_to_the_judge(store: RecordStore) -> None:
    rows = log_of(1_100)  # more than an opening checks
    record = await store.open()
    await record.store("t1", received(rows), [], head(rows[-1]))
    await record.close()
    await store.tamper("UPDATE received SET body = {body} WHERE record = 't1' AND number = 1")
    record = await store.open()
    with pytest.raises(JournalDamagedError):
        await record.rows_after("t1", None, 10)
    await record.close()


async def test_the_newest_snapshots_are_kept(store: RecordStore) -> None:
    record = await store.open()
    assert await record.snapshots("t1") == []
    snapshots = [SealedSnapshot(Position(epoch="e1", number=n), "1.0", "ab" * 32, b"box %d" % n) for n in range(1, 7)]
    rows = log_of(6)
    for table in ("t1", "t2"):
        await record.store(table, received(rows), [], head(rows[5]))
    for snapshot in snapshots:
        await record.put_snapshot("t1", snapshot)
        await record.put_snapshot("t2", snapshots[0])
    assert await record.snapshots("t1") == snapshots[: -KEPT_SNAPSHOTS - 1 : -1]
    assert len(await record.snapshots("t2")) == KEPT_SNAPSHOTS
    await record.close()


async def test_meta_is_kept_for_each_table(store: RecordStore) -> None:
    record = await store.open()
    assert await record.meta("t1", "announced") is None
    await record.set_meta("t1", "announced", "a")
    await record.set_meta("t1", "announced", "b")
    assert (await record.meta("t1", "announced"), await record.meta("t2", "announced")) == ("b", None)
    await record.close()


def aged(rows: list[NewRow], *, key_rows: set[int]) -> list[ReceivedRow]:
    """Return the rows with a time of one day each; those at `key_rows` announce a key."""
    made = []
    for day, row in enumerate(rows, 1):
        kind = "key.announced" if day in key_rows else "clock.tick"
        body = f'{{"time":"2026-01-{day:02}T00:00:00Z","data":{{"kind":"{kind}"}}}}'.encode()
        made.append(ReceivedRow(row.at, digest(body), body))
    return made


async def test_old_rows_go_behind_a_snapshot_with_the_outputs_that_are_published(store: RecordStore) -> None:
    rows = aged(log_of(9), key_rows={1, 4, 7})
    outputs = [StoredOutput(n, row.at, 0, digest(b"o%d" % n), "t", b"o%d" % n) for n, row in enumerate(rows, 1)]
    record = await store.open()
    await record.store("t1", rows[:8], outputs[:8], Head(at=rows[7].at, hash=rows[7].hash))
    await record.set_published("t1", 2)
    await record.store("t1", rows[8:], outputs[8:], Head(at=rows[8].at, hash=rows[8].hash))
    assert await record.trim_boundary("t1", "2026-01-08") is None  # nothing to start from
    await record.put_snapshot("t1", SealedSnapshot(rows[7].at, "r", "p", b"box"))
    assert await record.key_rows("t1") == [rows[0].body, rows[3].body, rows[6].body]
    boundary = await record.trim_boundary("t1", "2026-01-06")
    assert boundary == Head(at=rows[2].at, hash=rows[2].hash)  # the oldest key whose row is kept is day 4's
    assert await record.trim("t1", JudgeCheckpoint(boundary, "a", "b")) == 3
    assert await record.rows_after("t1", None, 100) == rows[3:]
    assert await record.outputs_after("t1", 0, 100) == outputs[2:]  # output 3 is not published yet
    assert await record.meta("t1", "trimmed") == f"e1 3 {rows[2].hash} a b"
    assert await record.trim("t1", JudgeCheckpoint(boundary, "a", "b")) == 0
    await record.close()


OWN, OTHER = PrivateKey(b"1" * 32), PrivateKey(b"2" * 32)
FORGED = "UPDATE output SET body = {body}, hash = {hash} WHERE record = 't1' AND seq = 1"
CUT = "DELETE FROM output WHERE record = 't1' AND seq = 1"


@pytest.mark.parametrize("act", ["nothing", "forged", "cut", "other key"])
async def test_only_a_past_that_the_judge_has_signed_goes_on(store: RecordStore, act: str) -> None:
    rows = log_of(3)
    record = await store.open()
    assert (await record.begin_signing("t1", JudgeSigner((OWN,), "s", "t1"))).state == "none"
    await record.store("t1", received(rows[:2]), [output(1, rows[0])], head(rows[1]))
    await record.set_meta("t1", "distrust", "x")
    await record.close()
    if act in ("forged", "cut"):
        await store.tamper(FORGED if act == "forged" else CUT)
    record = await store.open()
    past = await record.begin_signing("t1", JudgeSigner((OTHER if act == "other key" else OWN,), "s", "t1"))
    if act == "nothing":
        assert (past.state, await record.meta("t1", "distrust")) == ("signed", "x")
    else:
        assert past.state == "set_aside"
        assert "it is kept as t1" in past.reason
        assert (await record.position("t1"), await record.last_output("t1"), await record.meta("t1", "distrust")) == (
            None,
            None,
            None,
        )
        assert (await record.rows_after("t1", None, 9), await record.published("t1")) == ([], 0)
        await record.store("t1", received(rows), [output(1, rows[0])], head(rows[2]))
        record = await reopened(store, record)
        assert await record.rows_after("t1", None, 9) == received(rows)
    await record.close()
