"""Log rows that only time causes: ticks, steps of the UTC clock, expiry of the permit, daily key renewal."""

from typing import Final, Protocol

from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.row_builder import PendingRow, RowSink
from pitwarden.field.log.sequencer import OWN
from pitwarden.system.clock import Clock, LogTime
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import ClockStepped, ClockTick

# Interval of ticks in a quiet log, in ms. Deadlines of the rules are evaluated at rows, so a tick bounds their delay.
TICK_MS: Final = 10_000
# Time from the last other row to the first tick, in ms, so that order alerts of that row end soon after their grace.
QUIET_MS: Final = 1_000
# Difference between UTC and monotonic time, in ms, that is logged as a step. The kernel slews smaller corrections.
STEP_MS: Final = 500
# Life of a sealing key in ms: a key that leaks opens the cards of one day at most.
KEY_MS: Final = 86_400_000


class KeyRenewal(Protocol):
    """Sealing key of an epoch."""

    def renew(self) -> None:
        """Announce the next key; it seals once its announcement is committed."""
        ...


class Ticker(WakeableLoop):
    """Loop that offers the rows that are due by time."""

    def __init__(
        self,
        clock: Clock,
        time: LogTime,
        log: RowSink,
        permit: PermitDisplay,
        key: KeyRenewal,
    ) -> None:
        super().__init__()
        self._clock, self._time, self._log = clock, time, log
        self._permit, self._key = permit, key
        now = time.log_ms()
        self._tick_at = now + QUIET_MS
        self._key_at = now + KEY_MS
        self._utc_less_mono = clock.utc().utc_ms - clock.mono_ms()

    def logged(self, row: LogEvent) -> None:
        """Handle a committed row: the next tick is counted from it, once `run` is woken."""
        self._tick_at = row.logms + (TICK_MS if isinstance(row.data, ClockTick) else QUIET_MS)

    def check(self) -> int:
        """Offer the rows that are due now; return the ms until the next check."""
        now = self._time.log_ms()
        stepped = self._clock.utc().utc_ms - self._clock.mono_ms() - self._utc_less_mono
        if abs(stepped) >= STEP_MS:
            self._utc_less_mono += stepped
            self._log.offer(PendingRow(OWN, ClockStepped(delta_ms=stepped)))
        expired = self._permit.tick(now)
        if expired is not None:
            self._log.offer(PendingRow(OWN, expired))
        if now >= self._key_at:
            self._key_at = now + KEY_MS
            self._key.renew()
        if now >= self._tick_at:
            self._tick_at = now + TICK_MS
            self._log.offer(PendingRow(OWN, ClockTick()))
        expires = self._permit.expires_ms
        due = min(self._tick_at, self._key_at, *([] if expires is None else [expires]))
        return max(due - now, 1)

    async def _turn(self) -> float:
        return self.check() / 1000
