import asyncio
from pathlib import Path

from pitwarden.journal.errors import JournalFullError
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.records import NewRow, ReceivedRow, StoredOutput
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
