"""One judge process as a member: what it shows, what a stop gives back, and what a reload refuses."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pitwarden.judge_group.directory import GroupDirectory
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.installation.postgresql import PostgresqlServer
from testkit.journals.record_stores import GroupStore
from testkit.processes.pit import METRICS, PITWARDEN, judging, samples, tables_of, write
from testkit.processes.service_manager import managed

pytestmark = pytest.mark.broker
ROWS = 30


def section(store: GroupStore) -> str:
    given = store.settings
    return (
        f'\n[judge_group]\naddresses = ["{given.addresses[0]}"]\ndatabase = "{given.database}"\nuser = "{given.user}"\n'
        'member = "judge-a"\n'
    )


@pytest.mark.full
async def test_a_member_shows_what_it_owns_and_gives_it_back_when_it_stops(
    broker: MosquittoBroker, shared_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    store = GroupStore(shared_postgresql)
    await (await store.open()).close()
    write(tmp_path, broker.port, "t1", "t2", more=section(store) + METRICS)
    session = store.session()
    directory = GroupDirectory(session, session)
    async with tables_of(tmp_path, broker.port, "t1", "t2") as tables, judging(tmp_path, 30.0) as manager:
        await tables.listening("t1", "t2")
        for name in ("t1", "t2"):
            tables.send(name, ROWS)
        await tables.judged(ROWS, "t1", "t2")
        said = await manager.until(lambda said: "2 of 2 tables judged" in said.get("STATUS", ""))
        assert "member judge-a of judge-a, lease held" in said["STATUS"]
        async with asyncio.timeout(30):  # on a busy machine a lease may lapse meanwhile; the tables come back
            while (found := await samples(tmp_path)).of("pitwarden_group_tables", "own") != 2:  # noqa: ASYNC110  a page
                await asyncio.sleep(0.2)
        assert found.of("pitwarden_group_tables", "none") == 0
        assert 0 < found.of("pitwarden_group_lease_seconds") <= 3
        assert [(one.owner, one.rules != "") for one in (await directory.survey(["bench/t1"])).values()] == [
            ("judge-a", True)
        ]
    assert not any(one.has_owner for one in (await directory.survey(["bench/t1", "bench/t2"])).values())
    assert await directory.members() == []
    assert tables.online == []  # the offline status left before the tables were given back
    await directory.close()


@pytest.mark.full
async def test_a_judge_that_is_stopped_for_longer_than_its_lease_says_nothing_when_it_wakes(
    broker: MosquittoBroker, shared_postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    store = GroupStore(shared_postgresql)
    await (await store.open()).close()
    write(tmp_path, broker.port, "t1", more=section(store))
    async with tables_of(tmp_path, broker.port, "t1") as tables, judging(tmp_path) as manager:
        await tables.listening("t1")
        tables.send("t1", ROWS)
        await tables.judged(ROWS, "t1")
        assert manager.process is not None
        manager.process.send_signal(signal.SIGSTOP)
        # Another member takes the table over while the first one cannot notice.
        await store.tamper("UPDATE place SET term = term + 1, run = 'other' WHERE tbl = 'bench/t1'")
        await store.tamper(
            "INSERT INTO member VALUES ('other', 'judge-b', '0.2.0', '', 'k', true, clock_timestamp() + interval '1h')"
        )
        tables.send("t1", ROWS)
        manager.process.send_signal(signal.SIGCONT)
        await tables.until(lambda: tables.online == [] or "table lost" in (tmp_path / "service.log").read_text())
        assert tables.states["t1"] == ROWS
    session = store.session()
    assert [row["n"] for row in await session.fetch("SELECT count(*) AS n FROM received")] == [ROWS]
    await session.close()


async def test_a_reload_that_would_change_the_group_is_refused(broker: MosquittoBroker, tmp_path: Path) -> None:
    write(tmp_path, broker.port, "t1")
    async with tables_of(tmp_path, broker.port, "t1") as tables, judging(tmp_path) as manager:
        await tables.listening("t1")
        file, since = tmp_path / "tables" / "t1.toml", len(manager.heard)
        file.write_text(file.read_text() + f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\n')
        assert manager.process is not None
        manager.process.send_signal(signal.SIGHUP)
        said = await manager.until(lambda said: "RELOAD REFUSED" in said.get("STATUS", ""), since=since)
        assert "t1.toml" in said["STATUS"]
        tables.send("t1", ROWS)
        await tables.judged(ROWS, "t1")


async def test_a_process_waits_for_a_database_that_is_away(broker: MosquittoBroker, tmp_path: Path) -> None:
    group = f'\n[judge_group]\naddresses = ["{tmp_path}"]\nuser = "judge"\nlease_seconds = 2\n'
    write(tmp_path, broker.port, "t1", more=group)
    command = [*PITWARDEN, "run", "--only", "judge", "--config", str(tmp_path / "tables")]
    async with managed(tmp_path, command) as manager:
        said = await manager.until(lambda said: "STATUS" in said)
        assert "NO LEASE" in said["STATUS"]
        assert manager.process is not None
        manager.process.terminate()
        assert await asyncio.wait_for(manager.process.wait(), 60) == os.EX_OK
