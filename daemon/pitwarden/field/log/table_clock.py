"""Clock of a table's log: UTC of the machine as long as it is plausible, and else what has passed since it was.

A receiver whose week number has rolled over, or a time server that is set wrong, moves UTC by years while the kernel
calls the clock synchronized. Such a time would begin a gaming day in which no equipment was inspected, and would keep
the true days after it from beginning; it would make cards overdue, and evidence old enough to be trimmed. So it is
compared with the last plausible time, at the start the last row's, and with the time since then by CLOCK_BOOTTIME.
"""

from typing import TYPE_CHECKING, Final

import structlog

from pitwarden.system.clock import DAY_MS, MAX_ERROR_MS, Clock, UtcReading
from pitwarden_client.events.envelope import rfc3339

if TYPE_CHECKING:
    from collections.abc import Callable

# Largest plausible distance, in ms, from a time that was synchronized since the start. A correction by a time server is
# far smaller; a clock that is wrong by a time zone is corrected without a person here.
STEP_MS: Final = DAY_MS
# The same, either way, from the last row until the clock is synchronized. A table that was out of use for longer is
# commissioned again; the week number of GPS rolls over after 19.6 years.
PAUSE_MS: Final = 366 * DAY_MS
# 1 January 2026 in ms: no row is older. A board without a battery that began a log with an earlier time was wrong.
FIRST_MS: Final = 1_767_225_600_000

_log = structlog.get_logger()


class TableClock:
    """Clock of the machine with a plausible UTC. A time that is not plausible is stated as not synchronized."""

    def __init__(self, clock: Clock, last_ms: int | None) -> None:
        """Compare `clock` with `last_ms`, the UTC of the last row; None for a new log."""
        self._clock = clock
        self.mono_ms: Final = clock.mono_ms
        """The machine's own: it needs no comparison."""
        self._known_ms = None if last_ms is None or last_ms < FIRST_MS else last_ms
        self._known_at = clock.mono_ms()
        self._most_ms = PAUSE_MS
        self.is_plausible = True
        """False while the machine's UTC is not plausible."""
        self.on_change: Callable[[], None] = _nothing
        """Called when `is_plausible` has changed."""

    def boot_id(self) -> str:
        """Return the id of the boot."""
        return self._clock.boot_id()

    def utc(self) -> UtcReading:
        """Return a plausible UTC."""
        now, at = self._clock.utc(), self._clock.mono_ms()
        expected_ms = now.utc_ms if self._known_ms is None else self._known_ms + at - self._known_at
        plausible = abs(now.utc_ms - expected_ms) <= self._most_ms
        if plausible != self.is_plausible:
            self._changed(now, expected_ms)
        if not plausible:
            return UtcReading(expected_ms, synchronised=False, error_ms=MAX_ERROR_MS)
        if now.synchronised:
            self._known_ms, self._known_at, self._most_ms = now.utc_ms, at, STEP_MS
        return now

    def _changed(self, now: UtcReading, expected_ms: int) -> None:
        self.is_plausible = not self.is_plausible
        if self.is_plausible:
            _log.info("clock plausible again", clock=rfc3339(now.utc_ms))
        else:
            _log.error("clock not plausible", clock=rfc3339(max(now.utc_ms, 0)), expected=rfc3339(expected_ms))
        self.on_change()


def _nothing() -> None:
    """Do nothing: the default of `on_change`."""
