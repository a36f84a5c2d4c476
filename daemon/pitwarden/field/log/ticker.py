"""Time in the log: ticks, steps of the UTC clock, the permit that runs out, the key that is renewed each day."""

from typing import Final, Protocol

from pitwarden.field.log.permit import PermitDisplay
from pitwarden.field.log.row_builder import LogTime, PendingRow, RowSink
from pitwarden.field.log.sequencer import OWN
from pitwarden.system.clock import Clock
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.table import ClockStepped, ClockTick

TICK_MS: Final = 10_000
QUIET_MS: Final = 1_000
STEP_MS: Final = 500  # smaller corrections are the clock's discipline at work, not a step
KEY_MS: Final = 86_400_000


class KeyRenewal(Protocol):
    """Sealing key of an epoch."""

    def renew(self) -> None:
        """Announce the next key; it seals once its announcement is committed."""
        ...


class Ticker(WakeableLoop):
    """Says what time alone brings about."""

    def __init__(
        self,
        clock: Clock,
        rows: LogTime,
        log: RowSink,
        permit: PermitDisplay,
        key: KeyRenewal,
    ) -> None:
        super().__init__()
        self._clock, self._rows, self._log = clock, rows, log
        self._permit, self._key = permit, key
        now = rows.log_ms()
        self._tick_at = now + QUIET_MS
        self._key_at = now + KEY_MS
        self._utc_less_mono = clock.utc().utc_ms - clock.mono_ms()

    def logged(self, row: LogEvent) -> None:
        """A row was committed: the next tick is counted from it, once `run` has been poked."""
        self._tick_at = row.logms + (TICK_MS if isinstance(row.data, ClockTick) else QUIET_MS)

    def check(self) -> int:
        """Offers what is due now; in how many ms to look again."""
        now = self._rows.log_ms()
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
