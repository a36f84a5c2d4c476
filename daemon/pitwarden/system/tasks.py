"""Background loops with a progress counter: probes, poked loops, bounded work queues, hourly jobs.

Progress that can be asked for: a part that waits is poked, and has to turn its loop to count as alive (B36).

Work that comes once an hour, the first time a little after the start.
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
    """A part of the service. `progress` is a number that grows with its work; `poke` makes it turn its loop.

    `slowest_s`: how long it may work, or wait for something outside, without the number growing.
    """

    name: str
    progress: Callable[[], int]
    wake: Callable[[], None]
    slowest_s: float = 0


class HasProgress(Protocol):
    """A loop that counts its turns and can be made to turn."""

    @property
    def progress(self) -> int:
        """How often it turned."""
        ...

    def wake(self) -> None:
        """Makes it turn."""
        ...


def loop_probe(name: str, loop: HasProgress, slowest_s: float = 0) -> Probe:
    """`loop` as a part that a watchdog sees."""
    return Probe(name, lambda: loop.progress, loop.wake, slowest_s)


class WakeableLoop(ABC):
    """Loop of one worker. It turns at its start, after each `poke`, and after the time that its last turn returned.

    The provider of work calls `poke`, in the event loop. Pokes during a turn cause one more turn.
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
            Seconds until the next turn at the latest; None to wait for a poke.
        """


class WorkQueue(WakeableLoop, Generic[T]):
    """A bounded queue and its one worker: `handle` gets one thing after the other."""

    def __init__(self, size: int, handle: Callable[[T], Awaitable[None]]) -> None:
        super().__init__()
        self._size, self._handle = size, handle
        self._waiting: deque[T] = deque()

    def put(self, thing: T) -> bool:
        """Queues `thing`; False when the queue is full."""
        if len(self._waiting) >= self._size:
            return False
        self._waiting.append(thing)
        self.wake()
        return True

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def _turn(self) -> None:
        while self._waiting:
            await self._handle(self._waiting.popleft())
            self.progress += 1


EVERY_S: Final = 3_600.0


async def run_hourly(first_s: float, once: Callable[[], Awaitable[None]]) -> Never:
    """Does it `first_s` seconds from now and then each hour, for ever."""
    await asyncio.sleep(first_s)
    while True:
        await once()
        await asyncio.sleep(EVERY_S)
