"""The commit is the fence: a judge that lost a table stores nothing of it, and what is not stored is not said."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from pitwarden.journal.errors import JournalFencedError, JournalUnreachableError, JournalUnwritableError
from pitwarden.journal.records import JudgeCheckpoint, NewRow, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.judge_group.directory import GroupDirectory
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSettings, check_layout
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from testkit.installation.postgresql import PostgresqlServer
from testkit.journals.log_rows import log_of
from testkit.journals.record_stores import GroupStore

ROWS = log_of(6)


def received(rows: list[NewRow]) -> list[ReceivedRow]:
    return [ReceivedRow(row.at, row.hash, row.body) for row in rows]


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


async def stored(record: GroupRecord, table: str, first: int, last: int) -> None:
    rows = ROWS[first:last]
    body = f"output {last}".encode()
    outputs = [StoredOutput(last, rows[-1].at, 0, digest(body), "t", body)]
    await record.store(table, received(rows), outputs, head(rows[-1]))


WRITES: list[Callable[[GroupRecord], Awaitable[object]]] = [
    lambda record: stored(record, "t1", 1, 2),
    lambda record: record.set_meta("t1", "distrust", "stale"),
    lambda record: record.put_snapshot("t1", SealedSnapshot(ROWS[0].at, "r", "p", b"stale")),
    lambda record: record.trim("t1", JudgeCheckpoint(head(ROWS[0]), "a", "b")),
]


@pytest.mark.parametrize("write", WRITES)
async def test_a_former_owner_changes_nothing(
    shared_postgresql: PostgresqlServer, write: Callable[[GroupRecord], Awaitable[object]]
) -> None:
    store = GroupStore(shared_postgresql)
    former = await store.open()
    await stored(former, "t1", 0, 1)
    owner = await store.open()
    await stored(owner, "t1", 1, 3)
    with pytest.raises(JournalFencedError):
        await write(former)
    with pytest.raises(JournalFencedError):  # it knows now that the table is not its own
        await former.position("t1")
    assert await owner.rows_after("t1", None, 9) == received(ROWS[:3])
    assert [one.seq for one in await owner.outputs_after("t1", 0, 9)] == [1, 3]
    assert (await owner.meta("t1", "distrust"), await owner.snapshots("t1")) == (None, [])
    await former.close()
    await owner.close()


async def test_a_former_owner_s_mark_of_published_outputs_is_not_stored(shared_postgresql: PostgresqlServer) -> None:
    store = GroupStore(shared_postgresql)
    former = await store.open()
    await stored(former, "t1", 0, 1)
    owner = await store.open()
    await former.set_published("t1", 1)
    await former.close()
    assert await owner.published("t1") == 0
    await owner.close()


async def test_only_the_lost_table_drops_out_of_a_common_commit(shared_postgresql: PostgresqlServer) -> None:
    store = GroupStore(shared_postgresql)
    record = await store.open()
    await store.tamper("UPDATE place SET term = term + 1, run = 'other' WHERE tbl = 't2'")
    results = await asyncio.gather(
        *(stored(record, table, 0, 1) for table in ("t1", "t2", "t3")), return_exceptions=True
    )
    assert [type(one) for one in results] == [type(None), JournalFencedError, type(None)]
    assert await record.rows_after("t3", None, 9) == received(ROWS[:1])
    await record.close()


async def test_a_commit_whose_answer_was_lost_is_found_and_not_stored_again(
    shared_postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = GroupStore(shared_postgresql)
    record = await store.open()
    fetch = DatabaseSession.fetch

    async def answer_is_lost(session: DatabaseSession, statement: str, *values: object) -> object:
        found = await fetch(session, statement, *values)
        if "INSERT INTO received" not in statement:
            return found
        raise JournalUnreachableError("the answer is lost")

    monkeypatch.setattr(DatabaseSession, "fetch", answer_is_lost)
    with pytest.raises(JournalUnreachableError):
        await stored(record, "t1", 0, 2)
    monkeypatch.undo()
    await stored(record, "t1", 0, 2)
    await stored(record, "t1", 2, 3)
    assert await record.rows_after("t1", None, 9) == received(ROWS[:3])
    assert await record.last_output("t1") == OutputHead(3, digest(b"output 3"))
    await record.close()


async def test_a_table_goes_on_under_a_new_term_and_what_was_written_late_under_the_old_one_is_fenced(
    shared_postgresql: PostgresqlServer,
) -> None:
    store = GroupStore(shared_postgresql)
    record = await store.open()
    await asyncio.gather(*(stored(record, table, 0, 2) for table in ("t1", "t2", "t3")))
    mine, lost, ahead = (record.claim_of(table) for table in ("t1", "t2", "t3"))
    await store.tamper("UPDATE place SET term = term + 1, run = 'other' WHERE tbl = 't2'")
    await store.tamper("UPDATE place SET ord = 1 WHERE tbl = 't3'")  # as after a failover that lost a row
    session = store.session()
    directory, before = GroupDirectory(session, session), mine.term
    terms = await directory.resume([mine, lost, ahead])
    assert list(terms) == ["t1"]
    assert terms["t1"] > before
    late = record.store("t1", received(ROWS[2:3]), [], head(ROWS[2]))  # under the term that it knows
    with pytest.raises(JournalFencedError):
        await late
    assert await session.fetch("SELECT 1 FROM received WHERE record = 't1' AND ord > 2") == []
    assert await directory.resume([mine]) == {}
    await directory.close()
    await record.close()


async def test_a_commit_that_met_the_new_term_is_stored_under_it(
    shared_postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = GroupStore(shared_postgresql)
    record = await store.open()
    await stored(record, "t1", 0, 1)
    claim, session = record.claim_of("t1"), store.session()
    directory, before = GroupDirectory(session, session), claim.term
    terms = await directory.resume([claim])
    fetch, tried = DatabaseSession.fetch, list[object]()

    async def met(session: DatabaseSession, statement: str, *values: object) -> object:
        if "INSERT INTO received" in statement:
            tried.append(values[1])
            claim.term = terms["t1"]  # while the statement is under way with the one before
        return await fetch(session, statement, *values)

    monkeypatch.setattr(DatabaseSession, "fetch", met)
    await stored(record, "t1", 1, 2)
    assert tried == [[before], [terms["t1"]]]
    assert await record.rows_after("t1", None, 9) == received(ROWS[:2])
    await directory.close()
    await record.close()


async def test_no_commit_begins_after_the_end_of_the_lease(shared_postgresql: PostgresqlServer) -> None:
    store = GroupStore(shared_postgresql)
    record = await store.open()
    book = record._book  # noqa: SLF001  which the member of the same process changes
    book.is_lapsed = True
    with pytest.raises(JournalUnreachableError, match="the lease has ended"):
        await stored(record, "t1", 0, 1)
    book.is_lapsed = False
    await stored(record, "t1", 0, 1)
    assert await record.rows_after("t1", None, 9) == received(ROWS[:1])
    await record.close()


async def test_a_killed_server_costs_no_row(postgresql: PostgresqlServer) -> None:
    store = GroupStore(postgresql)
    record = await store.open()
    await stored(record, "t1", 0, 1)
    postgresql.stop("immediate")
    with pytest.raises(JournalUnreachableError):
        await stored(record, "t1", 1, 2)
    postgresql.start()
    await stored(record, "t1", 1, 2)
    assert await record.rows_after("t1", None, 9) == received(ROWS[:2])
    await record.close()


async def test_the_first_writable_server_is_used(shared_postgresql: PostgresqlServer) -> None:
    given = GroupStore(shared_postgresql).settings
    nobody = DatabaseSettings(("127.0.0.1:1", "/nowhere", *given.addresses), given.database, given.user)
    session = DatabaseSession(nobody, "test", 2.0)
    assert [row["n"] for row in await session.fetch("SELECT 1 AS n")] == [1]
    assert session.address == given.addresses[0]
    with pytest.raises(JournalUnwritableError, match="pitwarden group sql"):
        await check_layout(session)
    await session.close()


async def test_a_proxy_that_accepts_and_closes_does_not_keep_the_next_address_from_being_tried(
    shared_postgresql: PostgresqlServer,
) -> None:
    tries = 0

    def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tries
        tries += 1
        writer.transport.abort()

    given = GroupStore(shared_postgresql).settings
    async with await asyncio.start_server(close, "127.0.0.1", 0) as proxy:
        address = f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        session = DatabaseSession(replace(given, addresses=(address, *given.addresses)), "test", 2.0)
        assert [row["n"] for row in await session.fetch("SELECT 1 AS n")] == [1]
        assert (session.address, tries) == (given.addresses[0], 1)
        await session.close()


async def test_an_error_says_neither_values_nor_passwords(shared_postgresql: PostgresqlServer) -> None:
    session = GroupStore(shared_postgresql).session()
    with pytest.raises(JournalUnwritableError) as error:
        await session.fetch("SELECT $1::text::int", "a secret")
    assert "secret" not in str(error.value)
    await session.close()
