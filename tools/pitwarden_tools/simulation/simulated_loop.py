"""Event loop on simulated time: when no task is ready, its clock jumps to the next timer. No threads."""

import asyncio
import selectors
from typing import TYPE_CHECKING

from pitwarden.system.clock import UtcReading

if TYPE_CHECKING:
    from collections.abc import Callable


class SimulatedLoop(asyncio.SelectorEventLoop):
    """Event loop in which equal programs run equally, at any speed of the machine.

    `turned` is called at each turn of the loop: between two callbacks of the program anything may happen.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self.turned: Callable[[], None] = do_nothing
        super().__init__(_Jump(self))

    def time(self) -> float:
        """Return the simulated seconds since the loop was made."""
        return self._now

    def jump(self, seconds: float) -> None:
        """Advance simulated time."""
        self._now += seconds


def do_nothing() -> None:
    """Do nothing, where a callback is expected."""


class LoopClock:
    """Clock of the code that runs in a SimulatedLoop. `start_ms`: UTC in ms when the loop was made.

    `stepped_ms` is what UTC was stepped by since then; `synchronised` is the kernel's statement about it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, start_ms: int) -> None:
        self._loop, self._start_ms = loop, start_ms
        self.stepped_ms = 0
        self.synchronised = True

    def mono_ms(self) -> int:
        """Return the simulated ms since the loop was made."""
        return round(self._loop.time() * 1_000)

    def utc(self) -> UtcReading:
        """Return the simulated UTC."""
        return UtcReading(self._start_ms + self.mono_ms() + self.stepped_ms, synchronised=self.synchronised, error_ms=3)

    def boot_id(self) -> str:
        """Return an id: the loop is one boot."""
        return f"{1:032x}"


class RebootedClock:
    """Clock of the machine that runs both halves: its monotonic time begins at each boot, and its UTC is `clock`'s."""

    def __init__(self, clock: LoopClock) -> None:
        self._clock = clock
        self._boots, self._booted_ms = 1, 0

    def reboot(self) -> None:
        """Begin a boot, of another id."""
        self._boots, self._booted_ms = self._boots + 1, self._clock.mono_ms()

    def mono_ms(self) -> int:
        """Return the simulated ms since the boot."""
        return self._clock.mono_ms() - self._booted_ms

    def utc(self) -> UtcReading:
        """Return the simulated UTC."""
        return self._clock.utc()

    def boot_id(self) -> str:
        """Return the number of the boot."""
        return f"{self._boots:032x}"


class _Jump(selectors.DefaultSelector):
    """Selector that waits for nothing: no file of the program is watched, and time is the loop's."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self._loop.turned()
        if timeout is None:
            raise RuntimeError("deadlock: no callback is ready and no timer is set")
        if timeout > 0:
            self._loop.jump(timeout)
        return []
