"""Capped, jittered back-off, and the reconnect policy that links build on it.

The one reconnect policy, of devices and of MQTT: capped, jittered, never zero, reset by identification only.

The one reconnect policy as the link to the broker wants it, in seconds.
"""

import random
from collections.abc import Callable
from typing import Final, Protocol

FLOOR_MS: Final = 250
CAP_MS: Final = 10_000
_JITTER: Final = 0.2


class Backoff:
    """How long to wait before the next attempt, in ms. `random` gives floats in [0, 1)."""

    def __init__(self, random: Callable[[], float], floor_ms: int = FLOOR_MS, cap_ms: int = CAP_MS) -> None:
        if not 0 < floor_ms <= cap_ms:
            raise ValueError(f"waits of {floor_ms} to {cap_ms} ms would spin or never end: 0 < floor <= cap is needed")
        self._random = random
        self._floor = floor_ms
        self._cap = cap_ms
        self._base = floor_ms

    def failed(self, cap_ms: int | None = None) -> int:
        """An attempt failed: the wait doubles up to the cap, or up to `cap_ms` for a fault that passes quickly."""
        base = min(self._base, self._cap, cap_ms or self._cap)
        self._base = min(self._base * 2, self._cap)
        return self._jittered(base)

    def use_cap(self) -> int:
        """Trying again cannot help until somebody does something: the longest wait at once."""
        self._base = self._cap
        return self._jittered(self._cap)

    def reset(self) -> None:
        """The far end has proved who it is."""
        self._base = self._floor

    def _jittered(self, base: int) -> int:
        return max(self._floor, round(base * (1 - _JITTER * self._random())))


SOON_MS: Final = 2_000
REFUSED_MS: Final = 30_000  # a login is mended by a person; hammering gets an address banned


class RetryPolicy(Protocol):
    """How long to wait before the next attempt, in seconds, never zero."""

    def after_failure(self) -> float:
        """The wait after a failure that may pass by itself."""
        ...

    def after_refusal(self) -> float:
        """The wait after one that needs somebody to act: the cap."""
        ...

    def succeeded(self) -> None:
        """Starts again from the floor."""
        ...


class LinkBackoff:
    """Quick while the broker may come back by itself; at the longest interval where somebody has to act."""

    def __init__(self) -> None:
        self._backoff = Backoff(random.SystemRandom().random, cap_ms=REFUSED_MS)

    def after_failure(self) -> float:
        """The wait after a failure that may pass by itself."""
        return self._backoff.failed(SOON_MS) / 1000

    def after_refusal(self) -> float:
        """The wait after one that needs somebody to act."""
        return self._backoff.use_cap() / 1000

    def succeeded(self) -> None:
        """The broker let us in."""
        self._backoff.reset()
