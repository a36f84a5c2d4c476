"""Back-off of device and MQTT connections: capped, jittered, never zero, reset only by an identified peer.

`Backoff` counts in ms; `LinkBackoff` is the same policy for a link to the broker, in seconds.
"""

import random
from collections.abc import Callable
from typing import Final, Protocol

# Shortest delay between two attempts, in ms: a peer that refuses at once must not make a busy loop.
FLOOR_MS: Final = 250
# Longest delay in ms where an error class names no other. A table that was unplugged is back within ten seconds.
CAP_MS: Final = 10_000
_JITTER: Final = 0.2


class Backoff:
    """Delay before the next attempt, in ms. `random` returns floats in [0, 1)."""

    def __init__(self, random: Callable[[], float], floor_ms: int = FLOOR_MS, cap_ms: int = CAP_MS) -> None:
        if not 0 < floor_ms <= cap_ms:
            raise ValueError(f"waits of {floor_ms} to {cap_ms} ms would spin or never end: 0 < floor <= cap is needed")
        self._random = random
        self._floor = floor_ms
        self._cap = cap_ms
        self._base = floor_ms

    def failed(self, cap_ms: int | None = None) -> int:
        """Return the delay after a failed attempt. It doubles up to the cap, or to `cap_ms` for a brief fault."""
        base = min(self._base, self._cap, cap_ms or self._cap)
        self._base = min(self._base * 2, self._cap)
        return self._jittered(base)

    def use_cap(self) -> int:
        """Return the longest delay: a new attempt cannot succeed until a person acts."""
        self._base = self._cap
        return self._jittered(self._cap)

    def reset(self) -> None:
        """Start again from the shortest delay, after the peer has proved its identity."""
        self._base = self._floor

    def _jittered(self, base: int) -> int:
        return max(self._floor, round(base * (1 - _JITTER * self._random())))


# Longest delay in ms after an ordinary loss of the broker: it restarts within a few seconds.
SOON_MS: Final = 2_000
REFUSED_MS: Final = 30_000  # a person must fix a refused login, and frequent attempts get an address banned


class RetryPolicy(Protocol):
    """Delay before the next attempt, in seconds, never zero."""

    def after_failure(self) -> float:
        """Return the delay after a failure that may pass by itself."""
        ...

    def after_refusal(self) -> float:
        """Return the delay after a failure that a person must fix: the cap."""
        ...

    def succeeded(self) -> None:
        """Start again from the shortest delay."""
        ...


class LinkBackoff:
    """Retry policy of a link: 2 s at most for a broker that may return by itself, 30 s where a person must act."""

    def __init__(self) -> None:
        self._backoff = Backoff(random.SystemRandom().random, cap_ms=REFUSED_MS)

    def after_failure(self) -> float:
        """Return the delay after a failure that may pass by itself."""
        return self._backoff.failed(SOON_MS) / 1000

    def after_refusal(self) -> float:
        """Return the delay after a failure that a person must fix."""
        return self._backoff.use_cap() / 1000

    def succeeded(self) -> None:
        """Start again from the shortest delay, since the broker accepted us."""
        self._backoff.reset()
