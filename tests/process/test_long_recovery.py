"""A judge recovers a long journal: devices do not wait, no display shows an old permit, a stop is obeyed."""

import os
import signal
from pathlib import Path

import pytest

from pitwarden.journal.database import WRITTEN_BY
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.device import ShoeCard
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.outputs import Irregularity, TableState
from pitwarden_client.events.status import LogHead, PartStatus
from pitwarden_client.events.table import PermitApplied
from pitwarden_client.state import TableView
from pitwarden_drivers.api import PlainCard, Secret
from pitwarden_simulators.table.setup import TAB_SHIELDED
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.processes.live_table import LiveTable, table
from testkit.processes.service_manager import managed, stop_twice
from testkit.processes.upgraded_table import (
    check_orderly_end,
    closed,
    failed,
    held_service,
    judged,
    logged,
    mark_upgraded,
    release_fold,
    table_before_upgrade,
)
from testkit.tables.table_file import small_table

FOLDING = "NOT JUDGED YET"
pytestmark = [pytest.mark.broker, pytest.mark.slow]


def newest_head(rig: LiveTable) -> str:
    """Return the epoch of the last head that was received."""
    heads = [payload for topic, payload in rig.recorder.raw if topic == rig.recorder.topics.head]
    return decode(LogHead, heads[-1]).at.epoch


def display(rig: LiveTable, since: int) -> TableView:
    """Return what a display shows that was switched on at `since`, a place in the recorder's messages."""
    now = TableView(link_fault="")
    for topic, payload in rig.recorder.raw[since:]:
        if topic == rig.recorder.topics.state:
            now.heard_state(decode(TableState, payload))
        elif topic == rig.recorder.topics.head:
            now.head = decode(LogHead, payload)
        elif "/events/" in topic:
            now.heard_row(decode(LogEvent, payload).logms, 1)
    now.field_half, now.judge_half = rig.recorder.status["field"], rig.recorder.status["judge"]
    return now


async def test_a_card_drawn_during_recovery_is_published_at_once_and_judged_after_it(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    async with table(TAB_SHIELDED, broker, tmp_path) as rig:
        await rig.start()
        await rig.ready()
        await rig.play(1)
        assert await rig.stop() == 0
        seen, folded = rig.recorder, mark_upgraded(tmp_path)
        await seen.until(lambda: not seen.status["judge"].online, PATIENCE_S, "the judge's goodbye")
        await rig.publish(seen.topics.status("judge"), encode(PartStatus(online=True, run="lost")), retain=True)
        await rig.connect()  # as after a power cut that the broker survived with all that it retained, and not the will
        since = len(seen.raw)
        async with managed(tmp_path, held_service(tmp_path)) as manager:
            ready = await manager.until(lambda said: "READY" in said)
            assert FOLDING in ready["STATUS"]
            shoe = rig.built.devices["shoe"].memory
            shoe.emit(PlainCard(Secret(7)))
            rig.plugs["shoe"].wake()
            await seen.until(lambda: seen.stored("shoe") == (shoe.boot, shoe.newest), PATIENCE_S, "the card on the bus")
            await seen.until(lambda: not shoe.kept, PATIENCE_S, "the shoe's card to be acknowledged")
            await seen.until(lambda: newest_head(rig) == seen.epochs[-1], PATIENCE_S, "the head of the new epoch")
            assert len(judged(tmp_path)) == folded
            shown = display(rig, since)
            assert shown.state is not None
            assert shown.state.permit.granted, "the state of the last run is what must not be believed"
            assert "the state is from before the controller's last start" in shown.stale(1)
            release_fold(manager)
            card = max(row for row in seen.rows if row[0] == seen.epochs[-1])
            await seen.until(lambda: seen.state is not None and seen.judged() >= card[1], PATIENCE_S, "the verdict")
            assert await stop_twice(manager) == 0
        assert judged(tmp_path) == logged(tmp_path)[: len(judged(tmp_path))]
        cards = [row for row in map(decode_row, judged(tmp_path)) if isinstance(row.data, ShoeCard)]
        assert sum((row.deviceboot, row.devicecounter) == (shoe.boot, shoe.newest) for row in cards) == 1
        seen.check_chain()
        said = [(one.epoch, one.tableseq, one.data) for one in seen.said()]
        about = [data for *at, data in said if at == [cards[-1].epoch, cards[-1].tableseq]]
        assert [one.catalogue for one in about if isinstance(one, Irregularity)] == ["PW-PERMIT"]
        now = [row for row in map(decode_row, logged(tmp_path)) if row.epoch == seen.epochs[-1]]
        assert not [row for row in now if isinstance(row.data, PermitApplied) and row.tableseq < cards[-1].tableseq]


def decode_row(body: bytes) -> LogEvent:
    return decode(LogEvent, body)


async def test_a_stop_during_recovery_is_orderly_and_the_next_start_recovers(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    await table_before_upgrade(tmp_path, broker.port)
    rows = len(judged(tmp_path))
    async with managed(tmp_path, held_service(tmp_path)) as manager:
        await manager.until(lambda said: "READY" in said)
        await until(lambda: len(logged(tmp_path)) > rows, pause=0.02)
        assert await stop_twice(manager) == os.EX_OK
    signed = closed(tmp_path)
    assert signed == len(logged(tmp_path)) > rows
    assert len(judged(tmp_path)) == rows
    async with managed(tmp_path, held_service(tmp_path), name="again") as manager:
        await manager.until(lambda said: "READY" in said)
        release_fold(manager)
        await until(lambda: len(judged(tmp_path)) > signed, pause=0.02)
        assert await stop_twice(manager) == os.EX_OK
    assert judged(tmp_path) == logged(tmp_path)[: len(judged(tmp_path))]


async def test_a_broker_that_a_reload_names_meanwhile_is_the_judges_too(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    await table_before_upgrade(tmp_path, 1)
    rows = len(judged(tmp_path))
    async with managed(tmp_path, held_service(tmp_path)) as manager:
        await manager.until(lambda said: "READY" in said)
        small_table(tmp_path, port=broker.port)
        since = release_fold(manager, signal.SIGHUP)
        assert "RELOADING" in await manager.until(lambda said: "RELOADING" in said or "READY" in said, since=since)
        said = await manager.until(lambda said: "READY" in said, since=since)
        assert FOLDING in said["STATUS"]
        release_fold(manager)
        await until(lambda: len(judged(tmp_path)) > rows, pause=0.02)
        assert await stop_twice(manager) == os.EX_OK


async def test_a_recovery_that_hangs_starves_the_watchdog_and_is_named(broker: MosquittoBroker, tmp_path: Path) -> None:
    await table_before_upgrade(tmp_path, broker.port)
    async with managed(tmp_path, held_service(tmp_path), watchdog_s=1) as manager:
        await manager.until(lambda said: "judge fold stands still" in said.get("STATUS", ""))
        assert await manager.silent("WATCHDOG", 1.2)


async def test_a_recovery_that_fails_ends_the_service_in_order_with_its_reason(
    broker: MosquittoBroker, tmp_path: Path
) -> None:
    await table_before_upgrade(tmp_path, broker.port)
    async with managed(tmp_path, held_service(tmp_path, "the disk does not answer")) as manager:
        await manager.until(lambda said: "READY" in said)
        release_fold(manager)
        assert await failed(manager) == 1
    check_orderly_end(tmp_path, "the disk does not answer")


async def test_a_record_of_a_newer_version_is_refused_for_good(broker: MosquittoBroker, tmp_path: Path) -> None:
    file = await table_before_upgrade(tmp_path, broker.port)
    record = await JudgeJournal.open(tmp_path / "journals" / "judge.sqlite")
    await record.set_meta("harbor/ta01", WRITTEN_BY, "99.1")
    await record.close()
    async with managed(tmp_path, ["-m", "pitwarden.cli", "run", "--config", str(file)]) as manager:
        assert await failed(manager) == os.EX_CONFIG
    check_orderly_end(tmp_path, "pitwarden 99.1 went on with this journal")
