"""The one reconnect policy as the link to the broker wants it, in seconds."""

import random
from typing import Final, Protocol

from pitwarden.client.backoff import Backoff

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


class LinkRetry:
    """Quick while the broker may come back by itself; at the longest interval where somebody has to act."""

    def __init__(self) -> None:
        self._backoff = Backoff(random.SystemRandom().random, cap_ms=REFUSED_MS)

    def after_failure(self) -> float:
        """The wait after a failure that may pass by itself."""
        return self._backoff.failed(SOON_MS) / 1000

    def after_refusal(self) -> float:
        """The wait after one that needs somebody to act."""
        return self._backoff.hopeless() / 1000

    def succeeded(self) -> None:
        """The broker let us in."""
        self._backoff.reset()
