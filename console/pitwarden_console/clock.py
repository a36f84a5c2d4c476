"""The clocks of the console. No other file reads one, so that tests can step them."""

import time
from typing import Protocol


class ConsoleClock(Protocol):
    """Two clocks: UTC for records and pages, and a monotonic one for durations. Both in ms."""

    def utc_ms(self) -> int:
        """Return the milliseconds since 1970 UTC."""
        ...

    def monotonic_ms(self) -> int:
        """Return milliseconds that never run back."""
        ...


class MachineClock:
    """The clocks of this machine."""

    def utc_ms(self) -> int:
        """Return the milliseconds since 1970 UTC."""
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        """Return milliseconds that never run back."""
        return time.monotonic_ns() // 1_000_000
