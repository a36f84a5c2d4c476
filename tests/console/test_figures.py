"""Figures of a shift at its edges: what was open at its end, late duties, shelves and calls, and devices by table."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlalchemy import insert

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import Duty
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.figures import FigureReader, ShiftFigures
from pitwarden_console.store.incidents import Incident, OutputContext, next_incident
from pitwarden_console.store.migrations.versions import v0011_figures
from pitwarden_console.store.projection import insert_incidents
from pitwarden_console.store.remarks import RemarkBook
from pitwarden_console.store.schema import call, gaming_table, judge_output, shelf
from testkit.pages.migrated_again import migrated_again
from testkit.pages.stored_tables import HARBOR, sqlite_url

DAY = date(2026, 3, 2)
STARTS, _ = HARBOR.day_range_ms(DAY)
HOUR = 3_600_000
ENDS = STARTS + 8 * HOUR
AT = Position(epoch="e", number=1)
ONE = Incident(
    "r", "irregularity", "TAB-37", (), ("HOLD",), 1, "cleared", "floorperson", "A 10.", STARTS + HOUR, AT,
    simulated=False, last_output=1, ended_ms=STARTS + 2 * HOUR, ended_by="f1",
)  # fmt: skip


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[HistoryDatabase]:
    async with open_database(sqlite_url(tmp_path)) as opened:
        async with opened.writing() as connection:
            for number, name in enumerate(("bj-1", "bj-2"), 1):
                await connection.execute(insert(gaming_table).values(id=number, site="harbor", name=name))
        yield opened


async def store(database: HistoryDatabase, *made: Incident, table_id: int = 1) -> None:
    async with database.writing() as connection:
        await insert_incidents(connection, table_id, made, HARBOR)


async def shift(database: HistoryDatabase, starts: int = STARTS, *, simulated: bool = False) -> ShiftFigures:
    return await FigureReader(database).shift(["bj-1", "bj-2"], starts, starts + 8 * HOUR, simulated=simulated)


@pytest.mark.parametrize(
    ("opened_ms", "ended_ms", "is_open"),
    [
        (STARTS + HOUR, None, True), (STARTS + HOUR, ENDS - 1, False), (STARTS + HOUR, ENDS, True),
        (STARTS + HOUR, ENDS + HOUR, True), (STARTS - 100 * HOUR, ENDS + HOUR, True), (ENDS, None, False),
        (ENDS - 1, ENDS + 1, True),
    ],
)  # fmt: skip
async def test_what_was_open_at_the_end_is_handed_over(
    database: HistoryDatabase,
    opened_ms: int,
    ended_ms: int | None,
    is_open: bool,  # noqa: FBT001  a case
) -> None:
    """Also in a report that is made a day later, when it has ended since."""
    await store(database, replace(ONE, opened_ms=opened_ms, ended_ms=ended_ms))
    figures = await shift(database)
    assert [one.incident.ref for one in figures.open] == (["r"] if is_open else [])
    is_ended = not is_open and opened_ms < ENDS
    assert (figures.ended.count, figures.refuted) == (int(is_ended), 0)


async def test_what_was_acknowledged_or_refuted_after_the_end_is_not_of_the_shift(database: HistoryDatabase) -> None:
    late = replace(ONE, status="refuted", acknowledged_ms=ENDS + 1, acknowledged_by="f1", ended_ms=ENDS + 2)
    await store(database, late, replace(late, ref="s", acknowledged_ms=ENDS - 2, ended_ms=ENDS - 1))
    figures = await shift(database)
    assert (figures.acknowledged.count, figures.ended.count, figures.refuted) == (1, 1, 1)
    assert figures.by_catalogue["TAB-37"] == 2


async def test_what_ended_unseen_is_counted_once_and_by_the_rule_of_its_page(database: HistoryDatabase) -> None:
    alone = replace(ONE, ended_by=None)
    await store(
        database, alone, replace(alone, ref="over", ended_ms=ENDS + 1), replace(alone, ref="seen"),
        replace(alone, ref="refuted", status="refuted"), replace(ONE, ref="ended by a person"),
    )  # fmt: skip
    book = RemarkBook(database)
    await book.add_look(1, "seen", ENDS, "f1")
    assert [(await shift(database)).unseen, (await shift(database, ENDS)).unseen] == [1, 1]
    assert (await book.unseen(simulated=False))[1] == 2


def duty(status: str) -> Duty:
    return Duty.model_validate(
        {
            "ref": "d", "duty": "stub_count", "catalogue": "CB-14", "clauses": ("c",), "status": status,
            "actor": "dealer", "sentence": "Count the stub.", "subject": "A",
        }
    )  # fmt: skip


def after(*statuses: str) -> Incident:
    known: dict[str, Incident] = {}
    for number, status in enumerate(statuses):
        context = OutputContext(number, AT, STARTS + number * HOUR, None, simulated=False)
        made = next_incident(known, duty(status), context, load_priorities())
        assert made is not None
        known["d"] = made
    return known["d"]


async def test_a_duty_that_was_late_is_counted_also_when_it_was_done(database: HistoryDatabase) -> None:
    assert after("due", "done").overdue_ms is None
    assert after("due", "overdue", "overdue").overdue_ms == STARTS + HOUR
    assert after("due", "overdue", "due").overdue_ms is None, "the act that made it late was taken back"
    await store(database, after("due", "overdue", "done"), replace(after("due", "done"), ref="in time"))
    figures = await shift(database)
    assert (figures.late_duties, figures.by_catalogue.total()) == (1, 0)
    assert (await shift(database, ENDS)).late_duties == 0


async def test_shelves_and_calls_of_simulated_tables_are_in_no_figure_of_real_ones(database: HistoryDatabase) -> None:
    await store(database, ONE)
    await store(database, replace(ONE, simulated=True), table_id=2)
    async with database.writing() as connection:
        for table_id in (1, 2, 2):
            put = {"table_id": table_id, "ref": "r", "person": "f1", "reason": "x", "started_ms": STARTS, "ends_ms": 1}
            await connection.execute(insert(shelf).values(**put))
        called = {"table_id": 1, "ref": "r", "step": 0, "recipient": "m", "title": "t", "at_ms": STARTS}
        await connection.execute(insert(call).values(**called, delivered=False))
    real, simulated = await shift(database), await shift(database, simulated=True)
    assert (real.shelved, real.calls, real.failed_calls) == (1, 1, 1)
    assert (simulated.shelved, simulated.calls, simulated.failed_calls) == (2, 0, 0)


async def test_devices_of_one_name_at_two_tables_are_two(database: HistoryDatabase) -> None:
    shoe = replace(ONE, device="shoe")
    await store(database, shoe, replace(shoe, ref="again", status="refuted"))
    await store(database, shoe, table_id=2)
    assert (await FigureReader(database).trends(DAY, DAY)).by_device == [("bj-1", "shoe", 2, 1), ("bj-2", "shoe", 1, 0)]


async def test_a_store_of_the_version_before_knows_its_late_duties(database: HistoryDatabase) -> None:
    """The migration reads them from the stored outputs."""
    await store(database, replace(after("due", "done"), ref="late"), replace(after("due", "done"), ref="in time"))
    async with database.writing() as connection:
        for number, (ref, status) in enumerate((("late", "overdue"), ("late", "done"), ("in time", "done"))):
            said = {
                "table_id": 1, "chain": 0, "number": number, "epoch": "e", "row": number, "day": DAY,
                "at_ms": STARTS + number, "received_ms": 0, "kind": "duty", "ref": ref, "status": status,
                "simulated": False, "hash": "0", "prevhash": "0", "body": b"{}",
            }  # fmt: skip
            await connection.execute(insert(judge_output).values(**said))
    await migrated_again(
        database, v0011_figures.upgrade, "DROP INDEX ix_incident_overdue", "DROP INDEX ix_incident_table_ended",
        "ALTER TABLE incident DROP COLUMN overdue_ms",
    )  # fmt: skip
    assert (await shift(database)).late_duties == 1
