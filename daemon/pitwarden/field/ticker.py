"""Time in the log: ticks, steps of the UTC clock, the permit that runs out, the key that is renewed each day."""

from collections.abc import Callable
from typing import Final

from pitwarden.clock import Clock
from pitwarden.events.envelope import LogEvent
from pitwarden.events.table import ClockStepped, ClockTick
from pitwarden.field.log import OWN
from pitwarden.field.pending import Pending
from pitwarden.field.permit import PermitShown
from pitwarden.pulse import Wheel

TICK_MS: Final = 10_000
QUIET_MS: Final = 1_000
STEP_MS: Final = 500  # smaller corrections are the clock's discipline at work, not a step
KEY_MS: Final = 86_400_000


class Ticker(Wheel):
    """Says what time alone brings about. `renew_key` makes the next sealing key."""

    def __init__(
        self,
        clock: Clock,
        log_ms: Callable[[], int],
        offer: Callable[[Pending], bool],
        permit: PermitShown,
        renew_key: Callable[[], None],
    ) -> None:
        super().__init__()
        self._clock, self._log_ms, self._offer = clock, log_ms, offer
        self._permit, self._renew_key = permit, renew_key
        now = log_ms()
        self._tick_at = now + QUIET_MS
        self._key_at = now + KEY_MS
        self._utc_less_mono = clock.utc().utc_ms - clock.mono_ms()

    def logged(self, row: LogEvent) -> None:
        """A row was committed: the next tick is counted from it, once `run` has been poked."""
        self._tick_at = row.logms + (TICK_MS if isinstance(row.data, ClockTick) else QUIET_MS)

    def look(self) -> int:
        """Offers what is due now; in how many ms to look again."""
        now = self._log_ms()
        stepped = self._clock.utc().utc_ms - self._clock.mono_ms() - self._utc_less_mono
        if abs(stepped) >= STEP_MS:
            self._utc_less_mono += stepped
            self._offer(Pending(OWN, ClockStepped(delta_ms=stepped)))
        expired = self._permit.tick(now)
        if expired is not None:
            self._offer(Pending(OWN, expired))
        if now >= self._key_at:
            self._key_at = now + KEY_MS
            self._renew_key()
        if now >= self._tick_at:
            self._tick_at = now + TICK_MS
            self._offer(Pending(OWN, ClockTick()))
        expires = self._permit.expires_ms
        due = min(self._tick_at, self._key_at, *([] if expires is None else [expires]))
        return max(due - now, 1)

    async def _turn(self) -> float:
        return self.look() / 1000
