"""Clock of a table: a machine whose UTC is years off neither begins gaming days nor keeps them from beginning."""

from pathlib import Path

import pytest

from pitwarden.field.log.epochs import OpenedEpoch, open_epoch
from pitwarden.field.log.row_builder import PendingRow
from pitwarden.field.log.sequencer import OWN
from pitwarden.field.log.table_clock import PAUSE_MS, STEP_MS, TableClock
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.maintenance import oldest_kept
from pitwarden.system.clock import DAY_MS, UtcReading
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import ClockTick
from testkit.clocks.fake_clock import FakeClock
from testkit.journals.table_log import KEYS, PLACE

ROLLOVER_MS = 1_024 * 7 * DAY_MS
ROW_MS = FakeClock().utc_now


class Bench:
    """Table's clock at a start after a row of `last_ms`, over a machine's `ahead_ms` after ROW_MS; and its changes."""

    def __init__(self, *, last_ms: int | None = ROW_MS, ahead_ms: int = 60_000, synchronised: bool = True) -> None:
        self.machine = FakeClock(utc_ms=ROW_MS + ahead_ms)
        self.machine.synchronised = synchronised
        self.clock = TableClock(self.machine, last_ms)
        self.clock.on_change = lambda: self.changes.append(self.clock.is_plausible)
        self.changes: list[bool] = []

    def after(self, step_ms: int, *, synchronised: bool = True) -> UtcReading:
        """Return the table's UTC a second later, once the machine's was stepped."""
        self.machine.pass_ms(1_000)
        self.machine.utc_now += step_ms
        self.machine.synchronised = synchronised
        return self.clock.utc()

    def follows(self, reading: UtcReading) -> bool:
        return reading == self.machine.utc()


@pytest.mark.parametrize("meanwhile", [True, False])
@pytest.mark.parametrize("by", [-ROLLOVER_MS, ROLLOVER_MS, -STEP_MS - 1_000, STEP_MS + 1_000])
def test_a_step_of_a_synchronised_clock_by_more_than_a_day_is_not_followed(by: int, meanwhile: bool) -> None:  # noqa: FBT001  a parameter
    bench = Bench()
    right = bench.clock.utc()
    assert bench.follows(bench.after(0, synchronised=meanwhile))  # a receiver that loses its satellites first
    found = [bench.after(by), bench.after(0), bench.after(0)]
    assert [reading.utc_ms - right.utc_ms for reading in found] == [2_000, 3_000, 4_000]
    assert not any(reading.synchronised for reading in found)
    assert oldest_kept(found[0], 400) == "1970-01-01T00:00:00.000Z"
    assert bench.follows(bench.after(-by))
    assert bench.changes == [False, True]


@pytest.mark.parametrize("by", [-STEP_MS, -3_600_000, 3_600_000, STEP_MS])
def test_a_correction_within_a_day_is_followed(by: int) -> None:
    bench = Bench()
    bench.clock.utc()
    assert bench.follows(bench.after(by))
    assert bench.changes == []


@pytest.mark.parametrize("synchronised", [True, False])
@pytest.mark.parametrize("ahead_ms", [PAUSE_MS, -PAUSE_MS])
def test_a_table_may_be_out_of_use_for_a_year(ahead_ms: int, synchronised: bool) -> None:  # noqa: FBT001  a parameter
    bench = Bench(ahead_ms=ahead_ms, synchronised=synchronised)
    assert bench.follows(bench.clock.utc())
    assert bench.changes == []


@pytest.mark.parametrize("synchronised", [True, False])
@pytest.mark.parametrize("ahead_ms", [ROLLOVER_MS, -ROLLOVER_MS])
def test_a_start_that_is_years_from_the_last_row_goes_on_from_it(ahead_ms: int, synchronised: bool) -> None:  # noqa: FBT001  a parameter
    bench = Bench(ahead_ms=ahead_ms, synchronised=synchronised)
    assert bench.clock.utc().utc_ms == ROW_MS
    # A board without a battery: the time server sets its clock to the hour after the last row.
    assert bench.follows(bench.after(3_600_000 - ahead_ms))
    assert bench.changes == [False, True]


@pytest.mark.parametrize("last_ms", [None, 0])
def test_a_log_without_a_time_that_may_be_right_accepts_any(last_ms: int | None) -> None:
    bench = Bench(last_ms=last_ms, synchronised=False)
    assert bench.follows(bench.clock.utc())
    assert bench.follows(bench.after(ROLLOVER_MS, synchronised=False))
    assert bench.follows(bench.after(-2 * ROLLOVER_MS))
    assert bench.changes == []


async def opened(folder: Path, clock: FakeClock) -> tuple[OpenedEpoch, FieldJournal]:
    journal = await FieldJournal.open(folder / "field.sqlite")
    opening = await open_epoch(journal, PLACE, KEYS, clock)
    await journal.commit([opening.rows.build(pending).stored for pending in opening.first])
    return opening, journal


def tick(opening: OpenedEpoch) -> LogEvent:
    return opening.rows.build(PendingRow(OWN, ClockTick())).event


async def test_no_gaming_day_begins_by_a_rollover_and_the_true_ones_still_do(tmp_path: Path) -> None:
    clock = FakeClock()
    first, journal = await opened(tmp_path, clock)
    today = tick(first).gamingday
    clock.utc_now += ROLLOVER_MS
    assert tick(first).gamingday == today
    for _ in range(2):  # the second start finds a last row that is not synchronized
        await journal.close()
        again, journal = await opened(tmp_path, clock)
        assert tick(again).gamingday == today
    await journal.close()
    second, journal = await opened(tmp_path, clock)  # a start does not believe it either
    assert tick(second).gamingday == today
    clock.pass_ms(DAY_MS)
    tomorrow = tick(second)
    clock.utc_now -= ROLLOVER_MS
    right = tick(second)
    assert today is not None
    assert tomorrow.gamingday == right.gamingday
    assert right.gamingday is not None
    assert (right.gamingday - today).days == 1
    assert (tomorrow.clocksync, right.clocksync) == (False, True)
    await journal.close()
