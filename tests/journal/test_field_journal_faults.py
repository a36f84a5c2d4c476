"""A field journal that is full, locked, opened twice, broken in its order, or left behind by a killed process."""

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from pitwarden.journal.errors import JournalFullError, JournalLockedError, JournalOrderError
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.field_store import FieldStore
from testkit.journals.log_rows import log_of


async def test_a_full_journal_takes_nothing_in_part_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    rows = log_of(400)
    journal = await FieldJournal.open(tmp_path / "log")
    await journal.commit(rows[:1])
    await journal.limit_pages(40)
    outcomes = [await asyncio.gather(journal.commit([row]), return_exceptions=True) for row in rows[1:]]
    committed = 1 + sum(outcome is None for (outcome,) in outcomes)
    assert {type(outcome) for (outcome,) in outcomes[committed - 1 :]} == {JournalFullError, JournalOrderError}
    assert isinstance(outcomes[committed - 1][0], JournalFullError)
    assert 1 < committed < 400
    assert journal.place == committed
    assert len(await journal.rows_after(0, 1_000)) == committed
    await journal.limit_pages(None)
    await journal.commit(rows[journal.place :])
    assert [s.body for s in await journal.rows_after(0, 1_000)] == [r.body for r in rows]
    await journal.close()


async def test_a_commit_behind_a_failed_one_fails_too(tmp_path: Path) -> None:
    rows = log_of(700)
    journal = await FieldJournal.open(tmp_path / "log")
    broken = replace(rows[0], prevhash="1" * 64)
    outcomes = await asyncio.gather(
        journal.commit([broken]), *(journal.commit([row]) for row in rows[1:]), return_exceptions=True
    )
    assert {type(outcome) for outcome in outcomes} == {JournalOrderError}
    behind = {str(outcome) for outcome in outcomes[1:]}  # at once: a locked file would cost each its own wait
    assert behind == {f"numbered on top of rows that were not committed: {outcomes[0]}"}
    assert journal.place == 0
    await journal.commit(rows)
    await journal.close()


async def test_a_locked_journal_waits_then_says_so_and_loses_nothing(tmp_path: Path) -> None:

    rows = log_of(2)
    journal = await FieldJournal.open(tmp_path / "log", busy_ms=20)
    await journal.commit(rows[:1])
    backup = sqlite3.connect(tmp_path / "log", isolation_level=None)
    backup.execute("BEGIN IMMEDIATE")
    with pytest.raises(JournalLockedError, match="locked"):
        await journal.commit(rows[1:])
    assert journal.place == 1
    backup.execute("ROLLBACK")
    backup.close()
    await journal.commit(rows[1:])
    assert journal.place == 2
    await journal.close()


async def test_a_second_process_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    journal = await FieldJournal.open(tmp_path / "log")
    with pytest.raises(JournalLockedError, match="another process has this journal open"):
        await FieldJournal.open(tmp_path / "log")
    await journal.close()
    await (await FieldJournal.open(tmp_path / "log")).close()


def test_nothing_is_lost_with_the_process(tmp_path: Path) -> None:
    rows = log_of(5)
    store = FieldStore(tmp_path / "log")
    store.append(rows[:3])
    copy = tmp_path / "copy"
    for part in ("", "-wal"):
        copy.with_name(copy.name + part).write_bytes((tmp_path / f"log{part}").read_bytes())
    store.close()
    after = FieldStore(copy)  # the files as a SIGKILL leaves them
    assert [s.body for s in after.rows_after(0, 10)] == [r.body for r in rows[:3]]
    after.close()
