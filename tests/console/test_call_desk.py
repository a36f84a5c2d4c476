"""The desk of calls over a table: who is called, what is recorded, and what becomes of it after a restart."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.call_desk import UNKNOWN_MS, CallDesk
from pitwarden_console.alarms.escalation import CallStep
from pitwarden_console.alarms.floods import FloodWatch, Opening
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.errors import StoreError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
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
        assert await rig.after(60_000) == ["shift-manager"]
        assert rig.way.calls[-1][1] == "Priority 1: tab-shielded: TAB-37 DESTROY HOLD", "its steps go on"
        rig.table.reasons = ()
        assert await rig.after(1_000) == []
        assert await rig.after(178_000) == []
        assert await rig.after(1_000) == ["surveillance"]


async def test_a_table_that_is_not_heard_after_a_restart_keeps_its_steps_and_its_history_speaks(
    tmp_path: Path, real: TableState
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        ref = real.irregularities[0].ref
        rig.table.progress.open = {ref: opened_incident(ref, rig.clock.utc)}
        await rig.after(0)
        assert await rig.after(30_000) == ["pit-manager"]
        rig.table.view.state, rig.table.reasons = None, ("the broker does not answer",)
        rig.board = PitBoard(rig.clock, load_priorities())
        rig.board.add(rig.table)
        rig.desk = rig.made()
        assert await rig.after(1_000) == []
        assert await rig.after(89_000) == ["shift-manager"]
        assert rig.way.calls[-1][1] == "Priority 1: tab-shielded: TAB-37 HOLD"
        rig.table.view.state, rig.table.reasons = real, ()
        assert await rig.after(1_000) == []
        assert await rig.after(179_000) == ["surveillance"]


async def test_a_table_that_is_heard_soon_after_a_restart_is_not_called_by_its_history(
    tmp_path: Path, real: TableState
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        rig.table.progress.open = {"old": opened_incident("old", rig.clock.utc - 3_600_000)}
        rig.table.view.state, rig.table.reasons = None, ("the console has just started",)
        assert await rig.after(0) == []
        assert await rig.after(UNKNOWN_MS - 1) == []
        rig.table.view.state, rig.table.reasons = real.model_copy(update={"irregularities": ()}), ()
        assert await rig.after(600_000) == []


async def test_a_call_that_no_service_answered_is_made_again_after_a_restart_and_once(
    tmp_path: Path, real: TableState
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        table_id, ref = rig.table.progress.table_id, real.irregularities[0].ref
        rig.table.progress.open = {ref: opened_incident(ref, rig.clock.utc)}
        book = CallBook(database)
        alarms: list[tuple[int | None, str]] = [(table_id, ref), (table_id, "ended")]
        await book.add(alarms, step=0, recipient="pit-manager", title="t", at_ms=rig.clock.utc + 30_000)
        assert await rig.after(31_000) == ["pit-manager"]
        assert await rig.after(1_000) == []
        rig.desk = rig.made()
        assert await rig.after(1_000) == []
        [row] = await book.of(table_id, ref)
        assert (row["delivered"], row["answered_ms"] - row["at_ms"]) == (True, 1_000)
        [lost] = await book.of(table_id, "ended")
        assert (lost["delivered"], lost["reason"]) == (False, "the console stopped before the service answered")


async def test_calls_that_the_store_refused_are_made_once_it_works(
    tmp_path: Path, real: TableState, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        case = real.irregularities[0]
        two = real.model_copy(update={"irregularities": (case, case.model_copy(update={"ref": "another"}))})
        rig = await rig_at(database, two)
        await rig.after(0)
        add = CallBook.add

        async def refused(*_args: object, **_words: object) -> list[int]:
            raise StoreError("the disk is full")

        monkeypatch.setattr(CallBook, "add", refused)
        rig.clock.step(30_000)
        await rig.desk.checked()
        assert rig.desk.fault == "the disk is full"
        monkeypatch.setattr(CallBook, "add", add)
        rig.clock.step(1_000)
        await rig.desk.checked()
        await rig.desk.settled()
        assert rig.desk.fault == ""
        assert [recipient for recipient, *_ in rig.way.calls[1:]] == ["pit-manager", "pit-manager"]


async def test_an_answer_that_the_store_refused_is_recorded_once_it_works(
    tmp_path: Path, real: TableState, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real)
        await rig.after(0)
        answered = CallBook.answered

        async def refused(*_args: object, **_words: object) -> None:
            monkeypatch.setattr(CallBook, "answered", answered)
            raise StoreError("the disk is full")

        monkeypatch.setattr(CallBook, "answered", refused)
        monkeypatch.setattr("pitwarden_console.alarms.call_desk.CHECK_S", 0.0)
        assert await rig.after(30_000) == ["pit-manager"]
        [row] = await CallBook(database).of(rig.table.progress.table_id, real.irregularities[0].ref)
        assert row["delivered"] is True


async def test_each_recipient_has_a_fault_of_his_own_until_he_is_reached(tmp_path: Path, real: TableState) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        rig = await rig_at(database, real, Way({"pit-manager": "down"}))
        await rig.after(0)
        await rig.after(30_000)
        await rig.after(1_000)
        assert rig.way.calls[-1][0] == "shift-manager"
        assert rig.desk.fault == "pit-manager cannot be called: down", "another one was reached, he was not"
        rig.way.refusing.clear()
        await rig.after(86_400_000)
        assert rig.desk.fault == "", "the daily test reached him"


async def test_the_time_of_an_acknowledgment_is_its_first_sight_while_the_history_is_behind(
    tmp_path: Path, real: TableState
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        seen = real.irregularities[0].model_copy(update={"status": "acknowledged", "by": "f9"})
        rig = await rig_at(database, real.model_copy(update={"irregularities": (seen,)}))
        for _ in range(10):
            assert await rig.after(60_000) == []
        assert await rig.after(60_000) == ["pit-manager"]


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
