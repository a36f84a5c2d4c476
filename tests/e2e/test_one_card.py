"""One card from a simulated shoe's pty to its reveal, over a real broker; and either half killed on the way."""

import sqlite3
from pathlib import Path

import pytest

from pitwarden_client.events.codec import decode
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import Irregularity, Reveal
from pitwarden_client.verification.commitment import verify_reveal
from pitwarden_simulators.table.setup import CB_AUTO, TAB_SHIELDED
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.processes.live_table import BOTH, LiveTable, table

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(120)]


def log_rows(rig: LiveTable) -> list[LogEvent]:
    with sqlite3.connect(rig.folder / "journals" / "field.sqlite") as sql:
        return [decode(LogEvent, body) for (body,) in sql.execute("SELECT body FROM row ORDER BY place")]


def judged(rig: LiveTable) -> list[bytes]:
    with sqlite3.connect(rig.folder / "journals" / "judge.sqlite") as sql:
        return [body for (body,) in sql.execute("SELECT body FROM received ORDER BY place")]


def check_whole(rig: LiveTable) -> None:
    """Every card that left a shoe is in the log once, the judge has the log as it is, and every reveal is true."""
    rows = log_rows(rig)
    rig.recorder.check_chain()
    assert not rig.recorder.complaints
    device_rows = [(row.source, row.deviceboot, row.devicecounter) for row in rows if row.devicecounter]
    assert len(set(device_rows)) == len(device_rows), "a device event stands twice in the log"
    shoe = [row.devicecounter for row in rows if row.source.endswith("/shoe") and row.devicecounter]
    assert shoe == list(range(1, len(shoe) + 1)), "an event of the shoe is missing"
    assert len(shoe) == rig.built.devices["shoe"].memory.newest
    check_reveals(rig, {(row.epoch, row.tableseq): row for row in rows})


def check_reveals(rig: LiveTable, rows: dict[tuple[str, int], LogEvent]) -> None:
    reveals = [output.data for output in rig.recorder.said() if isinstance(output.data, Reveal)]
    assert reveals
    assert len({(reveal.epoch, reveal.event, reveal.index) for reveal in reveals}) == len(reveals)
    for reveal in reveals:
        row = rows[reveal.epoch, reveal.event]
        assert isinstance(row.data, ShoeCard)
        assert verify_reveal(row.source, reveal, row.data.face.commitment)


async def test_a_card_from_the_pty_to_its_reveal(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(2)
        assert await rig.stop() == 0
        check_whole(rig)
        assert [row.prevhash for row in log_rows(rig)[1:]] == hashes(rig)[:-1]
        await rig.recorder.until(lambda: not online(rig), PATIENCE_S, "both halves' goodbyes")


def online(rig: LiveTable) -> set[str]:
    return {half for half, status in rig.recorder.status.items() if status.online}


def hashes(rig: LiveTable) -> list[str]:
    with sqlite3.connect(rig.folder / "journals" / "field.sqlite") as sql:
        return [held for (held,) in sql.execute("SELECT hash FROM row ORDER BY place")]


@pytest.mark.parametrize("half", ["field", "judge", BOTH])
async def test_a_half_killed_in_mid_round_loses_nothing_and_repeats_nothing(
    half: str, broker: MosquittoBroker, tmp_path: Path
) -> None:
    halves = [BOTH] if half == BOTH else ["field", "judge"]
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        for each in halves:
            await rig.start(each)
        await rig.ready()

        async def kill_and_start() -> None:
            await rig.kill(half)
            rig.recorder.state = None
            epochs = len(rig.recorder.epochs)
            await rig.start(half)
            await rig.ready(epochs + (half != "judge"))
            if half != "judge":
                rig.people.forget()

        rig.people.interruptions = dict.fromkeys((16, 21, 38, 39, 60), kill_and_start)
        await rig.play(3)
        assert not rig.people.interruptions
        for each in halves:
            assert await rig.stop(each) == 0
        check_whole(rig)
        assert len(rig.recorder.epochs) == (6 if half != "judge" else 1)
        assert judged(rig) == bodies(rig)[: len(judged(rig))]
        irregular = [output.data for output in rig.recorder.said() if isinstance(output.data, Irregularity)]
        # These people deal on while a field half that starts anew shows no light: that is said, and nothing else.
        assert {one.catalogue for one in irregular} <= {"PW-PERMIT"}


def bodies(rig: LiveTable) -> list[bytes]:
    with sqlite3.connect(rig.folder / "journals" / "field.sqlite") as sql:
        return [body for (body,) in sql.execute("SELECT body FROM row ORDER BY place")]


async def test_a_broker_killed_in_mid_round_costs_time_and_no_row(broker: MosquittoBroker, tmp_path: Path) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()

        async def kill_broker() -> None:
            broker.kill()
            broker.start()
            rig.recorder.state = None
            rig.recorder.status.clear()
            await rig.connect()
            await rig.ready()
            # What a broker that was killed had retained is gone: each half says it anew.
            await rig.recorder.until(lambda: online(rig) >= {"field"}, PATIENCE_S, "the field half's link")

        rig.people.interruptions = {24: kill_broker}
        await rig.play(2)
        assert await rig.stop() == 0
        assert judged(rig) == bodies(rig)[: len(judged(rig))]
        devices = [(row.source, row.devicecounter) for row in log_rows(rig) if row.devicecounter]
        assert len(set(devices)) == len(devices)
        assert sum(source.endswith("/shoe") for source, _ in devices) == rig.built.devices["shoe"].memory.newest
        assert not rig.recorder.complaints


@pytest.mark.parametrize("what", ["wiped", "restored"])
async def test_a_wiped_or_restored_field_disk_says_log_forked(
    what: str, broker: MosquittoBroker, tmp_path: Path
) -> None:
    async with table(CB_AUTO, broker, tmp_path) as rig:
        await rig.start("judge")
        await rig.start("field")
        await rig.ready()
        old = tmp_path / "old.sqlite"
        journal = tmp_path / "journals" / "field.sqlite"
        await rig.play(1)
        await rig.stop("field")
        old.write_bytes(journal.read_bytes())
        await rig.start("field")
        await rig.ready(epochs=2)
        await rig.stop("field")
        for part in ("", "-wal", "-shm"):
            journal.with_name(journal.name + part).unlink(missing_ok=True)
        if what == "restored":
            journal.write_bytes(old.read_bytes())
        await rig.start("field")

        def forked() -> bool:
            state = rig.recorder.state
            return state is not None and any(
                "house policy: log.forked" in each.clauses for each in state.irregularities
            )

        await rig.recorder.until(forked, PATIENCE_S, "log.forked")
        assert rig.recorder.state is not None
        assert not rig.recorder.state.permit.granted

        def said() -> bool:
            return any(row.data.kind == "log.fault" and row.data.fault == "forked" for row in log_rows(rig))

        # The judge may be the first to see it.
        await rig.recorder.until(said, PATIENCE_S, "the field half's own word for it")
