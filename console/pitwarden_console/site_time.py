"""Time as the site shows it: local time with its abbreviation, and the gaming day of an instant.

Instants are stored as UTC milliseconds. A gaming day begins at a configured local time, so it has 23 or 25 hours at a
clock change. In the doubled hour of November the abbreviation distinguishes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class SiteTime:
    """Zone of a site, and the local time at which its gaming day begins."""

    zone: ZoneInfo
    day_start: time
    shift_starts: tuple[time, ...] = ()
    """Local times at which shifts begin; none: a gaming day is one shift."""

    def local(self, utc_ms: int) -> datetime:
        """Return the local time of an instant."""
        return datetime.fromtimestamp(utc_ms / 1_000, UTC).astimezone(self.zone)

    def clock(self, utc_ms: int) -> str:
        """Return the local time to the second, as `19:04:31 EST`."""
        return self.local(utc_ms).strftime("%H:%M:%S %Z")

    def moment(self, utc_ms: int) -> str:
        """Return weekday, date and local time, as `Sat 28 Nov 2026 19:04:31 EST`."""
        return self.local(utc_ms).strftime("%a %d %b %Y %H:%M:%S %Z")

    def clock_utc(self, utc_ms: int) -> str:
        """Return the UTC to the second, as `00:04:31 UTC`, with its day where that is not the local one."""
        at = datetime.fromtimestamp(utc_ms / 1_000, UTC)
        return at.strftime("%H:%M:%S UTC" if at.date() == self.local(utc_ms).date() else "%d %b %H:%M:%S UTC")

    def moment_utc(self, utc_ms: int) -> str:
        """Return weekday, date and time in UTC, as `Sun 29 Nov 2026 00:04:31 UTC`."""
        return datetime.fromtimestamp(utc_ms / 1_000, UTC).strftime("%a %d %b %Y %H:%M:%S UTC")

    def utc(self, utc_ms: int) -> str:
        """Return the instant in UTC to the millisecond, as `2026-11-29T00:04:31.120Z`."""
        stamp = datetime.fromtimestamp(utc_ms // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{stamp}.{utc_ms % 1_000:03d}Z"

    def day_starts_ms(self, day: date) -> int:
        """Return the instant at which a gaming day begins.

        A start that occurs twice is the first one; a start that a clock change leaves out is moved by that change.
        """
        return round(datetime.combine(day, self.day_start, self.zone).timestamp() * 1_000)

    def gaming_day(self, utc_ms: int) -> date:
        """Return the gaming day of an instant."""
        day = self.local(utc_ms).date()
        # By the instant, not by the local time: in the doubled hour a local time names two instants.
        return day - timedelta(days=1) if utc_ms < self.day_starts_ms(day) else day

    def day_range_ms(self, day: date) -> tuple[int, int]:
        """Return the instants at which a gaming day begins and ends; the end is not part of it."""
        return self.day_starts_ms(day), self.day_starts_ms(day + timedelta(days=1))

    def shifts_of_day(self, day: date) -> Sequence[tuple[int, int]]:
        """Return the instants at which each shift of a gaming day begins and ends, in order; an end is not part of it.

        The first shift begins with the gaming day, also where the file lists none for that time.
        """
        begins, ends = self.day_range_ms(day)
        starts = {begins}
        for start in self.shift_starts:
            for date_of_start in (day, day + timedelta(days=1)):
                instant = round(datetime.combine(date_of_start, start, self.zone).timestamp() * 1_000)
                if begins < instant < ends:
                    starts.add(instant)
        return list(pairwise([*sorted(starts), ends]))

    def shift_ms(self, utc_ms: int) -> tuple[int, int]:
        """Return the instants at which the shift of an instant begins and ends."""
        shifts = self.shifts_of_day(self.gaming_day(utc_ms))
        return next(each for each in reversed(shifts) if each[0] <= utc_ms)


def day_title(day: date) -> str:
    """Return a gaming day for people, as `Sat 28 Nov 2026`."""
    return day.strftime("%a %d %b %Y")


def duration(ms: int) -> str:
    """Return a duration as minutes and seconds, or as hours, minutes and seconds."""
    seconds = max(ms, 0) // 1_000
    hours, rest = divmod(seconds, 3_600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
