"""Gaming days by the house's clock: through changes of the clock, a leap day, and a zone that skipped a day."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden.field.log.row_builder import LogIdentity, PendingRow, RowBuilder
from pitwarden.system.gaming_day import GamingCalendar
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.device import ShoeCut
from pitwarden_client.events.envelope import LogEvent
from testkit.clocks.fake_clock import FakeClock

HOUR_MS = 3_600_000
NEW_YORK = "America/New_York"
ZONES = (NEW_YORK, "America/Havana", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Europe/Berlin", "UTC")


def ms(text: str, zone: str) -> int:
    """Return the instant at which the house's clock shows `text`."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("zone", "start", "shown", "day"),
    [
        ("UTC", "06:00", "2026-03-08T05:59:59", date(2026, 3, 7)),
        ("UTC", "06:00", "2026-03-08T06:00:00", date(2026, 3, 8)),
        (NEW_YORK, "10:00", "2026-01-01T09:59:59", date(2025, 12, 31)),
        (NEW_YORK, "10:00", "2026-01-01T10:00:00", date(2026, 1, 1)),
        (NEW_YORK, "10:00", "2028-02-29T09:00:00", date(2028, 2, 28)),
        (NEW_YORK, "10:00", "2028-02-29T10:00:00", date(2028, 2, 29)),
        (NEW_YORK, "10:00", "2028-03-01T09:59:59", date(2028, 2, 29)),
        (NEW_YORK, "00:00", "2026-07-04T00:00:00", date(2026, 7, 4)),
        ("Asia/Kathmandu", "06:00", "2026-07-04T05:59:59", date(2026, 7, 3)),
    ],
)
def test_a_day_begins_when_the_house_s_clock_shows_its_time(zone: str, start: str, shown: str, day: date) -> None:
    assert GamingCalendar(zone, start).day(ms(shown, zone)) == day


@pytest.mark.parametrize(
    ("zone", "start", "day", "begin", "hours"),
    [
        (NEW_YORK, "10:00", date(2026, 3, 7), "2026-03-07T15:00:00", 23),
        (NEW_YORK, "10:00", date(2026, 10, 31), "2026-10-31T14:00:00", 25),
        (NEW_YORK, "10:00", date(2026, 11, 1), "2026-11-01T15:00:00", 24),
        # 02:30 does not exist: the day begins when the clock jumps from 02:00 to 03:00.
        (NEW_YORK, "02:30", date(2026, 3, 8), "2026-03-08T07:00:00", 23.5),
        # 01:30 comes twice: the day begins at the first.
        (NEW_YORK, "01:30", date(2026, 11, 1), "2026-11-01T05:30:00", 25),
        ("Australia/Lord_Howe", "02:15", date(2026, 10, 4), "2026-10-03T15:30:00", 23.75),
        # This zone went to the other side of the date line and had no 30 December.
        ("Pacific/Apia", "06:00", date(2011, 12, 29), "2011-12-29T16:00:00", 18),
    ],
)
def test_a_day_in_which_the_clock_is_changed(zone: str, start: str, day: date, begin: str, hours: float) -> None:
    calendar = GamingCalendar(zone, start)
    first = calendar.start_ms(day)
    assert datetime.fromtimestamp(first / 1_000, UTC) == datetime.fromisoformat(begin).replace(tzinfo=UTC)
    after = calendar.start_ms(day + timedelta(days=1))
    assert after - first == hours * HOUR_MS
    assert [calendar.day(at) for at in (first - 1, first, after - 1, after)] == [
        day - timedelta(days=1), day, day, day + timedelta(days=1),
    ]  # fmt: skip


@given(
    zone=st.sampled_from(ZONES),
    start=st.times().map(lambda at: at.strftime("%H:%M")),
    at=st.integers(0, 4_000_000_000_000),
    later=st.integers(0, 40 * HOUR_MS),
)
def test_days_follow_each_other_without_a_gap_and_none_returns(zone: str, start: str, at: int, later: int) -> None:
    calendar = GamingCalendar(zone, start)
    one, other = calendar.day(at), calendar.day(at + later)
    assert one <= other <= one + timedelta(days=3)
    assert calendar.start_ms(one) <= at < calendar.start_ms(one + timedelta(days=1))
    assert GamingCalendar(zone, start).day(at) == one  # what was asked before does not matter


@pytest.mark.parametrize(("year", "days"), [(2027, 365), (2028, 366)])
def test_a_year_of_the_house_has_each_date_once(year: int, days: int) -> None:
    calendar = GamingCalendar(NEW_YORK, "10:00")
    at, until = calendar.start_ms(date(year, 1, 1)), calendar.start_ms(date(year + 1, 1, 1))
    seen = [calendar.day(hour) for hour in range(at, until, HOUR_MS)]
    assert list(dict.fromkeys(seen)) == [date(year, 1, 1) + timedelta(days=number) for number in range(days)]
    assert sorted({seen.count(day) for day in set(seen)}) == [23, 24, 25]


def test_each_row_has_its_gaming_day_and_a_row_from_before_keeps_its_bytes() -> None:
    clock = FakeClock(utc_ms=ms("2026-11-01T09:59:59.999", NEW_YORK))
    place = LogIdentity("harbor", "ta01", simulated=True, calendar=GamingCalendar(NEW_YORK, "10:00"))
    rows = RowBuilder(place, "e1", clock, 0)
    old = rows.build(PendingRow("shoe", ShoeCut()))
    clock.pass_ms(1)
    new = rows.build(PendingRow("shoe", ShoeCut()))
    assert [row.event.gamingday for row in (old, new)] == [date(2026, 10, 31), date(2026, 11, 1)]
    assert b'"gamingday":"2026-11-01"' in new.stored.body
    before = new.stored.body.replace(b'"gamingday":"2026-11-01",', b"")
    assert before != new.stored.body
    read = decode(LogEvent, before)
    assert read.gamingday is None
    assert encode(read) == before
