"""The history in PostgreSQL holds each item once: over kills, a database that restarts, a table that trims."""

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import psycopg
import pytest

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import until
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.examples import python_example, said, started
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.installation.postgresql import PostgresqlServer

pytestmark = [pytest.mark.broker, pytest.mark.full]
KILLS = 5
TABLE = "tab-shielded"


@pytest.fixture
def night() -> tuple[PublishedMessage, ...]:
    """Return a night; it is played where no loop runs."""
    return published_night(TABLE, "2", 8, "stray_ten")


def ask(server: PostgresqlServer, question: str) -> list[tuple[object, ...]]:
    dsn = " ".join(f"{name.removeprefix('PG').lower()}={value}" for name, value in server.environment.items())
    with psycopg.connect(dsn.replace("database=", "dbname=")) as sql:
        return sql.execute(question.encode()).fetchall()


def stored(server: PostgresqlServer) -> int:
    try:
        [(count,)] = ask(server, "SELECT count(*) FROM history")
    except (psycopg.errors.UndefinedTable, psycopg.OperationalError):
        return 0
    assert isinstance(count, int)
    return count


def reported(folder: Path) -> int:
    """Return the place up to which the table knows that the historian has stored its log."""
    with contextlib.closing(sqlite3.connect(f"file:{folder / 'field.sqlite'}?mode=ro", uri=True)) as sql:
        found = sql.execute("SELECT place FROM consumer WHERE name = 'historian'").fetchone()
    return 0 if found is None else int(found[0])


def bodies(server: PostgresqlServer, chain: str) -> list[object]:
    found = ask(server, "SELECT chain, body FROM history ORDER BY number, body")
    return [body for of, body in found if of == chain]


def in_order(bodies: list[bytes], number: str) -> list[bytes]:
    return sorted(bodies, key=lambda body: (int(body.partition(f'"{number}":'.encode())[2].partition(b",")[0]), body))


async def test_five_kills_a_restarted_database_and_a_table_that_trims(
    broker: MosquittoBroker, postgresql: PostgresqlServer, tmp_path: Path, night: tuple[PublishedMessage, ...]
) -> None:
    words = python_example("history_postgresql.py", "127.0.0.1", str(broker.port), "silent", TABLE)
    async with replayed_table(TABLE, night, broker.port, tmp_path, ("historian",)) as table:
        share, kills = len(table.left) // (KILLS + 3), 0

        def everything(table: ReplayedTable = table) -> bool:
            return stored(postgresql) == len(table.rows) + len(table.outputs)

        for _ in range(KILLS):
            async with started(words, tmp_path, postgresql.environment):
                before = stored(postgresql)
                await table.publish_next(share)
                await until(lambda: stored(postgresql) > before, pause=0.01)  # noqa: B023
            kills += 1  # while it stores what the table has published by now
        async with started(words, tmp_path, postgresql.environment) as historian:
            await until(everything, pause=0.05)
            postgresql.stop("immediate")
            await table.publish_next(share)
            await said(historian, "no database")
            postgresql.start()
            await until(everything, pause=0.05)
            await until(lambda: reported(tmp_path) == len(table.rows), pause=0.05)
        assert await table.trim() == 0, "nothing stored is retained for ever"
        async with started(words, tmp_path, postgresql.environment):
            await table.publish_next()
            await until(everything, pause=0.05)
        assert kills == KILLS
        assert bodies(postgresql, "log") == in_order(table.rows, "tableseq")
        assert bodies(postgresql, "outputs") == in_order(table.outputs, "outputseq")
    assert ask(postgresql, "SELECT * FROM gap") == []
    [(kinds,)] = ask(
        postgresql, "SELECT count(DISTINCT kind) FROM history WHERE at > '2026-03-01' AND at < '2026-04-01'"
    )
    assert isinstance(kinds, int)
    assert kinds > 10


async def test_rows_that_a_table_has_forgotten_are_a_gap_on_record(
    broker: MosquittoBroker, postgresql: PostgresqlServer, tmp_path: Path, night: tuple[PublishedMessage, ...]
) -> None:
    words = python_example("history_postgresql.py", "127.0.0.1", str(broker.port), "silent", TABLE)
    async with replayed_table(TABLE, night, broker.port, tmp_path) as table:  # it waits for no historian
        await table.publish_next()
        left = await table.trim()
        async with started(words, tmp_path, postgresql.environment):
            await until(lambda: stored(postgresql) == left + len(table.outputs), pause=0.05)
    [(chain, reason)] = ask(postgresql, "SELECT chain, reason FROM gap")
    assert chain == "log"
    assert isinstance(reason, str)
    assert reason.endswith("are no longer kept")


async def test_what_is_missing_is_said(tmp_path: Path) -> None:
    async with started(python_example("history_postgresql.py"), tmp_path) as historian:
        assert "usage" in await said(historian, "history_postgresql.py")
        async with asyncio.timeout(10):
            assert await historian.wait() == 1
