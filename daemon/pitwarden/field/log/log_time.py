"""Log time over a restart: how the log time of a new epoch continues that of the last row.

Within one boot of the machine the kernel's CLOCK_BOOTTIME measures what passed, also while the service was stopped. The
journal therefore stores, next to the rows, the boot and the difference between log time and CLOCK_BOOTTIME. UTC decides
nothing there: a clock that is wrong at a start, by minutes or by 1,024 weeks, lets no deadline pass.

After a reboot this machine alone does not know how long it was off. Log time then continues by what has passed
since the boot, which is never too much: a deadline may come late, and none comes early. Deadlines in log time last
minutes at most; the age of cards and the gaming day are matters of UTC.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.system.clock import Clock
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent, parse_rfc3339

ANCHOR: Final = "log_time"
"""Name under which the journal stores the anchor."""


@dataclass(frozen=True, slots=True)
class LogTimeAnchor:
    """Log time less CLOCK_BOOTTIME in ms, which is the same for all epochs of one boot of the machine."""

    boot_id: str
    offset_ms: int

    def __str__(self) -> str:
        """Return the form in which the journal stores it."""
        return f"{self.boot_id} {self.offset_ms}"


def parse_anchor(stored: str | None) -> LogTimeAnchor | None:
    """Return the anchor that is stored; None where there is none, or another version's."""
    boot_id, _, offset = (stored or "").partition(" ")
    try:
        return LogTimeAnchor(boot_id, int(offset))
    except ValueError:
        return None


async def last_row(journal: FieldJournal) -> LogEvent | None:
    """Return the last row of `journal`; None for an empty log, and for a row that a later version wrote."""
    last = await journal.rows_after(journal.place - 1, 1) if journal.place else []
    try:
        return decode(LogEvent, last[0].body) if last else None
    except BadPayloadError:
        return None


async def continue_log_time(journal: FieldJournal, last: LogEvent | None, clock: Clock) -> int:
    """Return the log time now, after the last row of `journal`, and store the anchor of this boot."""
    stored = await journal.meta(ANCHOR)
    if last is not None:
        now = last.logms + _passed_ms(last, clock, parse_anchor(stored))
    else:
        # UTC since 1970 is later than the log time of any table: for an unreadable row.
        now = clock.utc().utc_ms if journal.place else 0
    anchor = LogTimeAnchor(clock.boot_id(), now - clock.mono_ms())
    if anchor.boot_id and str(anchor) != stored:
        with suppress(*TEMPORARY_ERRORS):  # a full disk must not prevent a start; the next start does without
            await journal.set_meta(ANCHOR, str(anchor))
    return now


def _passed_ms(last: LogEvent, clock: Clock, anchor: LogTimeAnchor | None) -> int:
    """Return the ms that have passed since `last`, or fewer."""
    since_boot = clock.mono_ms()
    if anchor is not None and anchor.boot_id == clock.boot_id():
        passed = since_boot + anchor.offset_ms - last.logms
        # Otherwise the anchor is not this log's: a journal was restored, or its unsigned part was altered.
        if 0 <= passed <= since_boot:
            return passed
    # UTC only shortens the time since the boot: for a service that was restarted and could not store its anchor.
    return min(max(clock.utc().utc_ms - parse_rfc3339(last.time), 0), since_boot)
