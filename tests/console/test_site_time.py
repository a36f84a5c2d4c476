"""Gaming days and local times over both clock changes, in zones with and without them."""

from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitwarden_console.site_time import SiteTime, duration

ZONES = ("America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
TIMES = st.builds(
    SiteTime, st.sampled_from([ZoneInfo(name) for name in ZONES]), st.times().map(lambda t: time(t.hour, t.minute))
)
INSTANTS = st.integers(min_value=1_767_225_600_000, max_value=1_830_297_600_000)  # two years
HOUR = 3_600_000

NEW_YORK = SiteTime(ZoneInfo("America/New_York"), time(6))


@given(TIMES, INSTANTS)
def test_an_instant_is_within_its_gaming_day_and_no_other(site: SiteTime, instant: int) -> None:
    day = site.gaming_day(instant)
    starts, ends = site.day_range_ms(day)
    assert starts <= instant < ends
    assert ends == site.day_range_ms(day + timedelta(days=1))[0], "no instant is between two days"


@given(TIMES, INSTANTS, st.integers(min_value=0, max_value=3 * HOUR))
def test_gaming_days_never_run_back(site: SiteTime, instant: int, later: int) -> None:
    assert site.gaming_day(instant) <= site.gaming_day(instant + later)


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 7), 23), (date(2026, 10, 31), 25), (date(2026, 11, 28), 24)])
def test_a_gaming_day_has_23_or_25_hours_at_a_clock_change(day: date, hours: int) -> None:
    starts, ends = NEW_YORK.day_range_ms(day)
    assert ends - starts == hours * HOUR


def test_the_doubled_hour_is_told_apart_by_its_abbreviation() -> None:
    first = 1_793_511_000_000  # 2026-11-01T05:30Z
    assert NEW_YORK.clock(first) == "01:30:00 EDT"
    assert NEW_YORK.clock(first + HOUR) == "01:30:00 EST"
    assert NEW_YORK.utc(first + 7) == "2026-11-01T05:30:00.007Z"


def test_a_duration_has_hours_only_when_it_needs_them() -> None:
    assert (duration(134_000), duration(25_512_000), duration(-5)) == ("2:14", "7:05:12", "0:00")


def test_shifts_divide_a_gaming_day_also_over_both_clock_changes() -> None:
    site = SiteTime(NEW_YORK.zone, NEW_YORK.day_start, (time(14), time(22), time(6)))
    for day, hours in ((date(2026, 3, 7), [8, 8, 7]), (date(2026, 10, 31), [8, 8, 9]), (date(2026, 5, 1), [8, 8, 8])):
        shifts = site.shifts_of_day(day)
        assert [(ends - begins) // 3_600_000 for begins, ends in shifts] == hours
        assert (shifts[0][0], shifts[-1][1]) == site.day_range_ms(day)
        for begins, ends in shifts:
            assert site.shift_ms(begins) == site.shift_ms(ends - 1) == (begins, ends)
    assert NEW_YORK.shifts_of_day(date(2026, 5, 1)) == [NEW_YORK.day_range_ms(date(2026, 5, 1))]
