"""Limits of how often something is tried, by a key. In memory: a restart is slower than a limit."""

from collections import deque
from typing import Final

from pitwarden_console.clock import ConsoleClock

MAX_KEYS: Final = 5_000  # beyond it the oldest key is forgotten: an attacker who has more addresses has more anyway


class RateLimit:
    """At most `most` tries within `period_ms`, for each key."""

    def __init__(self, clock: ConsoleClock, most: int, period_ms: int) -> None:
        self._clock, self._most, self._period_ms = clock, most, period_ms
        self._tries: dict[str, deque[int]] = {}

    def allows(self, key: str) -> bool:
        """Count a try; return whether it is within the limit."""
        now = self._clock.monotonic_ms()
        tries = self._tries.pop(key, deque(maxlen=self._most))
        self._tries[key] = tries
        while len(self._tries) > MAX_KEYS:
            self._tries.pop(next(iter(self._tries)))
        if len(tries) == self._most and now - tries[0] < self._period_ms:
            return False
        tries.append(now)
        return True
