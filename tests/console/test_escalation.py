"""Escalation by a stepped clock: each step once, the next after a failure, one call a cause, none by a simulation."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.call_desk import CallDesk
from pitwarden_console.alarms.escalation import CallStep, Escalation, WaitingAlarm
from pitwarden_console.alarms.floods import FloodWatch, Opening
from pitwarden_console.alarms.sound import AlarmName
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import Priority, load_priorities
from pitwarden_console.store.calls import CallBook
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.writer import open_progress
from testkit.pages.fed_tables import FedTable
from testkit.pages.stored_tables import HARBOR, SteppedClock, sqlite_url

KEY = TableKey("Pit A", "silent", "tab-shielded")
STEPS = (
    CallStep("pit-manager", {1: 30_000, 2: 180_000}),
    CallStep("shift-manager", {1: 120_000, 2: 600_000}),
    CallStep("surveillance", {1: 300_000}),
)


def waiting(ref: str, priority: Priority = 1, seen_ms: int | None = None, cause: str = "") -> WaitingAlarm:
    return WaitingAlarm(AlarmName(KEY, ref), priority, ref, 0, seen_ms, cause)


def called(escalation: Escalation, alarm: WaitingAlarm, times: list[int]) -> dict[int, list[str]]:
    made = {at_ms: [order.recipient for order in escalation.due([alarm], at_ms)] for at_ms in times}
    return {at_ms: names for at_ms, names in made.items() if names}


def test_each_step_is_called_once_at_its_time() -> None:
    seconds = list(range(0, 400_000, 1_000))
    assert called(Escalation(STEPS, {}), waiting("a"), seconds) == {
        30_000: ["pit-manager"], 120_000: ["shift-manager"], 300_000: ["surveillance"],
    }  # fmt: skip
    assert called(Escalation(STEPS, {}), waiting("a", 2), list(range(0, 2_000_000, 1_000))) == {
        180_000: ["pit-manager"], 600_000: ["shift-manager"],
    }  # fmt: skip
    assert called(Escalation(STEPS, {}), waiting("a", 3), seconds) == {}


def test_an_acknowledgment_ends_the_steps_and_an_open_alarm_goes_one_up_after_ten_minutes() -> None:
    escalation = Escalation(STEPS, {})
    assert called(escalation, waiting("a"), [30_000]) == {30_000: ["pit-manager"]}
    minutes = [60_000 * number for number in range(1, 40)]
    assert called(escalation, waiting("a", seen_ms=60_000), minutes) == {
        660_000: ["shift-manager"], 1_260_000: ["surveillance"],
    }  # fmt: skip


def test_a_failed_call_passes_to_the_next_step_at_once() -> None:
    escalation = Escalation(STEPS, {})
    [order] = escalation.due([waiting("a")], 30_000)
    escalation.failed(order)
    [next_one] = escalation.due([waiting("a")], 31_000)
    assert next_one.recipient == "shift-manager"
    assert escalation.due([waiting("a")], 32_000) == []


def test_alarms_of_one_cause_are_one_call_but_never_those_of_priority_1() -> None:
    alarms = [waiting(ref, 2, cause="deck B") for ref in "abc"] + [waiting(ref, 1, cause="deck B") for ref in "de"]
    orders = Escalation(STEPS, {}).due(alarms, 180_000)
    manager = [order.alarms for order in orders if order.recipient == "pit-manager"]
    assert sorted(len(found) for found in manager) == [1, 1, 3]


def test_what_ended_and_opens_again_begins_at_the_first_step() -> None:
    escalation = Escalation(STEPS, {AlarmName(KEY, "a"): 1})
    assert escalation.due([waiting("a")], 60_000) == [], "called before the restart"
    assert escalation.due([], 61_000) == []
    assert [order.recipient for order in escalation.due([waiting("a")], 62_000)] == ["pit-manager"]


class Way:
    """Way that remembers the calls; those to `refusing` fail."""

    def __init__(self, refusing: Mapping[str, str] | None = None) -> None:
        self.calls: list[tuple[str, str, str]] = []
        self.refusing = dict(refusing or {})

    async def call(self, recipient: str, title: str, text: str) -> str:
        self.calls.append((recipient, title, text))
        await asyncio.sleep(0)
        return self.refusing.get(recipient, "")


class Rig:
    """A desk over one table with a stray 10."""

    def __init__(self, database: HistoryDatabase, table: FedTable, way: Way) -> None:
        self.clock, self.way, self.table = SteppedClock(), way, table
        self.database = database
        self.board = PitBoard(self.clock, load_priorities())
        self.board.add(table)
        self.floods = FloodWatch()
        self.desk = self.made()

    def made(self) -> CallDesk:
        book = CallBook(self.database)
        return CallDesk(book, self.board, self.floods, self.way, self.clock, time=HARBOR, steps=STEPS)

    async def after(self, ms: int) -> list[str]:
        """Return who is called when that time has passed, without the daily test."""
        before = len(self.way.calls)
        self.clock.step(ms)
        self.board.mark(KEY)
        self.board.refresh()
        await self.desk.check()
        await self.desk.settled()
        return [recipient for recipient, title, _ in self.way.calls[before:] if not title.startswith("Test")]


async def rig_at(database: HistoryDatabase, state: TableState, way: Way | None = None) -> Rig:
    progress = await open_progress(database, "silent", "tab-shielded")
    table = FedTable(KEY, progress)
    table.view.state = state
    return Rig(database, table, way or Way())


def opened_incident(ref: str, at_ms: int) -> Incident:
    at = Position(epoch="e", number=1)
    return Incident(
        ref, "irregularity", "TAB-37", (), ("HOLD",), 1, "open", "floorperson", "A 10.", at_ms, at,
        simulated=False, last_output=1,
    )  # fmt: skip


@pytest.fixture
def real(ten: TableState) -> TableState:
    return ten.model_copy(update={"simulated": False})


async def test_a_call_names_table_priority_and_time_and_is_recorded(tmp_path: Path, real: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        assert await rig.after(0) == []
        assert await rig.after(30_000) == ["pit-manager"]
        assert await rig.after(30_000) == []
        assert rig.way.calls[-1] == (
            "pit-manager", "Priority 1: tab-shielded: TAB-37 DESTROY HOLD",
            "Priority 1: tab-shielded: TAB-37 DESTROY HOLD. In Pit A since 13:01:00 EST, not acknowledged.",
        )  # fmt: skip
        [row] = await CallBook(database).of(rig.table.progress.table_id, real.irregularities[0].ref)
        assert (row["recipient"], row["delivered"], row["answered_ms"] - row["at_ms"]) == ("pit-manager", True, 0)

        ref = real.irregularities[0].ref
        rig.table.progress.open = {ref: opened_incident(ref, rig.clock.utc - 60_000)}
        rig.desk = rig.made()  # a restart
        assert await rig.after(1_000) == []
        assert await rig.after(60_000) == ["shift-manager"]


async def test_a_simulated_table_calls_no_one(tmp_path: Path, ten: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, ten)
        assert ten.simulated
        for _ in range(20):
            assert await rig.after(60_000) == []


async def test_the_daily_test_call_proves_the_way_and_its_failure_is_shown(tmp_path: Path, real: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        quiet = real.model_copy(update={"irregularities": (), "duties": ()})
        rig = await rig_at(database, quiet, Way({"pit-manager": "the service did not take it"}))
        await rig.after(0)
        assert [title for _, title, _ in rig.way.calls] == ["Test call of the pit console"]
        assert rig.desk.fault == "pit-manager cannot be called: the service did not take it"
        rig.way.refusing.clear()
        rig.desk = rig.made()
        await rig.after(3_600_000)
        assert len(rig.way.calls) == 1, "once a gaming day, also over a restart"
        await rig.after(86_400_000)
        assert len(rig.way.calls) == 2
        assert rig.desk.fault == ""


async def test_a_service_that_refuses_passes_the_call_on(tmp_path: Path, real: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real, Way({"pit-manager": "down"}))
        await rig.after(0)
        assert await rig.after(30_000) == ["pit-manager"]
        assert await rig.after(1_000) == ["shift-manager"]
        rows = await CallBook(database).of(rig.table.progress.table_id, real.irregularities[0].ref)
        assert [(row["recipient"], row["delivered"], row["reason"]) for row in rows] == [
            ("pit-manager", False, "down"), ("shift-manager", True, ""),
        ]  # fmt: skip


async def test_a_table_that_is_not_live_in_a_round_calls_and_does_not_call_its_alarms_again(
    tmp_path: Path, real: TableState
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        await rig.after(0)
        assert await rig.after(30_000) == ["pit-manager"]
        rig.table.reasons = ("the judge is offline",)
        assert await rig.after(0) == []
        assert await rig.after(30_000) == ["pit-manager"]
        assert rig.way.calls[-1][1] == "Priority 1: tab-shielded: not live in a round"


async def test_a_flood_of_one_cause_is_one_call(tmp_path: Path, real: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        case = real.irregularities[0].model_copy(update={"verdicts": ("SHUFFLE",)})
        many = tuple(case.model_copy(update={"ref": f"r{number}"}) for number in range(12))
        rig = await rig_at(database, real.model_copy(update={"irregularities": many}))
        for number in range(12):
            rig.floods.opened(Opening(number, KEY, "TAB-37"))
        await rig.after(0)
        assert await rig.after(180_000) == ["pit-manager"]
        assert rig.way.calls[-1][1] == "Priority 2: 12 alarms, likely cause: deck A of tab-shielded"
