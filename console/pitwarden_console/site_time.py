"""Time as the site shows it: local time with its abbreviation, and the gaming day of an instant.

Instants are stored as UTC milliseconds. A gaming day begins at a configured local time, so it has 23 or 25 hours at a
clock change. In the doubled hour of November the abbreviation distinguishes them.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class SiteTime:
    """Zone of a site, and the local time at which its gaming day begins."""

    zone: ZoneInfo
    day_start: time

    def local(self, utc_ms: int) -> datetime:
        """Return the local time of an instant."""
        return datetime.fromtimestamp(utc_ms / 1_000, UTC).astimezone(self.zone)

    def clock(self, utc_ms: int) -> str:
        """Return the local time to the second, as `19:04:31 EST`."""
        return self.local(utc_ms).strftime("%H:%M:%S %Z")

    def moment(self, utc_ms: int) -> str:
        """Return weekday, date and local time, as `Sat 28 Nov 2026 19:04:31 EST`."""
        return self.local(utc_ms).strftime("%a %d %b %Y %H:%M:%S %Z")

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


def day_title(day: date) -> str:
    """Return a gaming day for people, as `Sat 28 Nov 2026`."""
    return day.strftime("%a %d %b %Y")


def duration(ms: int) -> str:
    """Return a duration as minutes and seconds, or as hours, minutes and seconds."""
    seconds = max(ms, 0) // 1_000
    hours, rest = divmod(seconds, 3_600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
