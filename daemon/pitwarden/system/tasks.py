"""Background loops with a progress counter: probes, wakeable loops, bounded work queues, hourly jobs.

A component that waits for work is woken, and must turn its loop to count as alive (B36).
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Generic, Never, Protocol, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Probe:
    """Progress of one component, for the watchdog.

    `progress` returns a number that rises with the component's work; `wake` makes it turn its loop. `slowest_s`: how
    long it may work, or wait for something outside, without the number rising.
    """

    name: str
    progress: Callable[[], int]
    wake: Callable[[], None]
    slowest_s: float = 0


class HasProgress(Protocol):
    """Loop that counts its turns and can be woken."""

    @property
    def progress(self) -> int:
        """Number of turns."""
        ...

    def wake(self) -> None:
        """Make the loop turn."""
        ...


def loop_probe(name: str, loop: HasProgress, slowest_s: float = 0) -> Probe:
    """Return the probe of `loop`."""
    return Probe(name, lambda: loop.progress, loop.wake, slowest_s)


class WakeableLoop(ABC):
    """Loop of one worker. It turns at its start, after each `wake`, and after the time that its last turn returned.

    The provider of work calls `wake`, in the event loop. Calls during a turn cause one more turn.
    """

    def __init__(self) -> None:
        self._wake = asyncio.Event()
        self.progress = 0
        """Number of turns, for a watchdog; a long turn may count its steps too."""

    def wake(self) -> None:
        """Make the loop turn."""
        self._wake.set()

    async def run(self) -> Never:
        """Run until cancelled."""
        while True:
            self.progress += 1
            seconds = await self._turn()
            if seconds is None:
                await self._wake.wait()
            else:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._wake.wait()
            self._wake.clear()

    @abstractmethod
    async def _turn(self) -> float | None:
        """Do the work that is due.

        Returns:
            Seconds until the next turn at the latest; None to wait for `wake`.
        """


class WorkQueue(WakeableLoop, Generic[T]):
    """Bounded queue and its one worker: `handle` receives one item at a time."""

    def __init__(self, size: int, handle: Callable[[T], Awaitable[None]]) -> None:
        super().__init__()
        self._size, self._handle = size, handle
        self._waiting: deque[T] = deque()

    def put(self, item: T) -> bool:
        """Enqueue `item`, and return False when the queue is full."""
        if len(self._waiting) >= self._size:
            return False
        self._waiting.append(item)
        self.wake()
        return True

    @property
    def waiting(self) -> int:
        """Number of items that wait."""
        return len(self._waiting)

    async def _turn(self) -> None:
        while self._waiting:
            await self._handle(self._waiting.popleft())
            self.progress += 1


# Seconds between two runs of a job: an hour.
EVERY_S: Final = 3_600.0


async def run_hourly(first_s: float, once: Callable[[], Awaitable[None]]) -> Never:
    """Call `once` in `first_s` seconds and then every hour, until cancelled."""
    await asyncio.sleep(first_s)
    while True:
        await once()
        await asyncio.sleep(EVERY_S)
