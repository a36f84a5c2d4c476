"""Gaming days of a house: dates that begin at a fixed time of the house's clock, in its IANA time zone.

A gaming day lasts 23 to 25 hours where the clock is put forward or back in it. Each day begins at the first instant at
which the clock on the wall shows the house's time: also where that time is skipped (the day begins after the gap) or
comes twice (at the first one). So the days follow each other without a gap, and none returns.

The zones are those of the operating system (Debian's package tzdata), which receives changes of the law as updates. The
day of a row is in the row, so that a later update changes no verdict.
"""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pitwarden_client.spelling import nearest_hint

DEFAULT_ZONE: Final = "UTC"
DEFAULT_START: Final = "06:00"
_COPIES: Final = frozenset({"posix", "right"})  # folders with all zones again, with and without leap seconds
_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


def check_zone(name: str) -> None:
    """Check that `name` is a time zone that this machine knows.

    Raises:
        ValueError: It is none, or the machine has no time zones; the error has the remedy.
    """
    if name == DEFAULT_ZONE or _is_region(name):  # at each start: without a walk through all zones' files
        return
    known = available_timezones()
    if not known:
        raise ValueError(f"{name} cannot be used: this machine has no time zones. As root: apt-get install tzdata")
    if name not in known:
        raise ValueError(f"{name} is no IANA time zone such as America/New_York{nearest_hint(name, known)}")


def _is_region(name: str) -> bool:
    """Return whether `name` is a zone of a region, such as America/New_York; other names have further conditions."""
    region, _, place = name.partition("/")
    if not place or region in _COPIES:
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


class GamingCalendar:
    """Gaming days that begin at `start`, HH:MM, in `zone`, which `check_zone` accepts. Not thread-safe."""

    def __init__(self, zone: str = DEFAULT_ZONE, start: str = DEFAULT_START) -> None:
        self._zone: tzinfo = UTC if zone == DEFAULT_ZONE else ZoneInfo(zone)
        self._start = time.fromisoformat(start)
        self._day = date.min
        self._from_ms = self._until_ms = 0

    def day(self, utc_ms: int) -> date:
        """Return the gaming day at `utc_ms`, in ms since 1970 UTC. Most calls are within the previous call's day."""
        if not self._from_ms <= utc_ms < self._until_ms:
            self._find(utc_ms)
        return self._day

    def start_ms(self, day: date) -> int:
        """Return when gaming day `day` begins, in ms since 1970 UTC."""
        return round(_begin(self._zone, datetime.combine(day, self._start)).timestamp() * 1_000)

    def _find(self, utc_ms: int) -> None:
        # A clock that is put back over midnight shows a date for the second time: the day after it has begun already.
        day = datetime.fromtimestamp(utc_ms / 1_000, UTC).astimezone(self._zone).date() + _DAY
        while self.start_ms(day) > utc_ms:
            day -= _DAY
        self._day, self._from_ms, self._until_ms = day, self.start_ms(day), self.start_ms(day + _DAY)


@lru_cache(maxsize=8)
def _begin(zone: tzinfo, wall: datetime) -> datetime:
    """Return the first instant, in UTC, at which the clock of `zone` shows `wall` or a later time."""
    begin = wall.replace(tzinfo=zone).astimezone(UTC)
    if begin.astimezone(zone).replace(tzinfo=None) == wall:
        return begin
    # The clock skips `wall`. With the offsets before and after the change, the instants enclose it (PEP 495).
    early = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    while begin - early > _SECOND:
        middle = early + (begin - early) // 2
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            early = middle
        else:
            begin = middle
    return begin.replace(microsecond=0)
