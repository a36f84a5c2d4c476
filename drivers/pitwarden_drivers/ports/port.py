"""Port protocol, and blocking calls with a deadline. Only this package does I/O with devices.

A blocking call of a driver or the kernel runs in a thread of its own and is bounded (B08): the event loop never waits.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar

from pitwarden_drivers.errors import DeviceError

# Bytes. A device that reads accepts them within seconds.
MAX_QUEUED: Final = 65_536
# Seconds in which a device must take what was written. Then the port counts as lost.
WRITE_DEADLINE_S: Final = 2.0
# Seconds that a close may block. Then its thread is abandoned, so that a broken driver of the kernel delays no stop.
CLOSE_S: Final = 2.0
# Seconds that opening a network line may block, where its adapter does not answer.
OPEN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class PortAddress:
    """Address of a device: a stable path or a URL, and bit/s for a serial line."""

    place: str
    baud: int = 115_200


class PortListener(Protocol):
    """Receiver of a port's bytes and its loss. Called in the event loop."""

    def received(self, data: bytes) -> None:
        """Handle bytes from the device, at least one."""
        ...

    def lost(self, fault: DeviceError) -> None:
        """Handle the loss of the port. Called at most once, and never after `close`."""
        ...


class Port(Protocol):
    """Open port. Its owner must close it, also after a loss."""

    def write(self, data: bytes) -> None:
        """Enqueue bytes; never blocks. The port is lost when the device does not accept them within two seconds."""
        ...

    async def close(self) -> None:
        """Discard the queue and close; returns within two seconds in any state of the line."""
        ...


T = TypeVar("T")


def _nothing() -> None:
    """Dispose of nothing."""


async def run_with_deadline(name: str, work: Callable[[], T], seconds: float, late: Callable[[T], None]) -> T:
    """Return the result of `work`, called in a daemon thread.

    A kernel call that never returns does not keep the process from ending.

    Raises:
        TimeoutError: After `seconds`. `late` then disposes of a late result.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    lock = threading.Lock()
    abandoned = False

    def settle(deliver: Callable[[], None], dispose: Callable[[], None]) -> None:
        if done.cancelled():
            threading.Thread(target=dispose, name=name, daemon=True).start()
        else:
            deliver()

    def finish(deliver: Callable[[], None], dispose: Callable[[], None]) -> None:
        with lock:
            if not abandoned:
                loop.call_soon_threadsafe(settle, deliver, dispose)
                return
        dispose()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  the loop raises it again
            finish(partial(done.set_exception, error), _nothing)
        else:
            finish(partial(done.set_result, result), partial(late, result))

    threading.Thread(target=run, name=name, daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            return await done
    finally:
        with lock:
            abandoned = True


async def close_with_deadline(place: str, dispose: Callable[[], None]) -> None:
    """Wait for `dispose`, at most two seconds. One that blocks continues in its thread; an error is ignored."""
    with suppress(OSError):  # either way the line cannot be used any more
        await run_with_deadline(f"close {place}", dispose, CLOSE_S, lambda _nothing: None)
