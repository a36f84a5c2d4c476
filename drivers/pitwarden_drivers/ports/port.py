"""Port protocol; blocking calls with a deadline.

What a port is: bytes both ways, and one word when the line is lost. Only this folder does I/O with devices.

Blocking calls of drivers and kernels, each in a thread of its own and bounded (B08): the loop never waits.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar

from pitwarden_drivers.errors import DeviceError

MAX_QUEUED: Final = 65_536  # bytes; a device that reads takes them in seconds
WRITE_DEADLINE_S: Final = 2.0
CLOSE_S: Final = 2.0
OPEN_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class PortAddress:
    """Where a device is: a stable path or a URL, and bit/s where that means something."""

    place: str
    baud: int = 115_200


class PortListener(Protocol):
    """Who hears what a port says. Called in the event loop."""

    def received(self, data: bytes) -> None:
        """Bytes came, at least one."""
        ...

    def lost(self, fault: DeviceError) -> None:
        """The port is of no more use. Called once at most, and never after `close` was called."""
        ...


class Port(Protocol):
    """An open line. Its owner closes it, lost or not."""

    def write(self, data: bytes) -> None:
        """Queues bytes; never blocks. Bytes that the device does not take within two seconds make the port lost."""
        ...

    async def close(self) -> None:
        """Discards what was queued and closes; returns within two seconds whatever the line does."""
        ...


T = TypeVar("T")


def _nothing() -> None:
    """There is nothing to dispose of."""


async def run_with_deadline(name: str, work: Callable[[], T], seconds: float, late: Callable[[T], None]) -> T:
    """What `work` returns or raises; TimeoutError after `seconds`, and then `late` disposes of a late result.

    The thread is a daemon: a kernel that never returns does not keep the process from ending.
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
        except BaseException as error:  # noqa: BLE001  it is raised again in the loop
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
    """Waits for `dispose`, two seconds at most; one that hangs goes on in its thread, one that fails is over."""
    with suppress(OSError):  # either way the line is of no more use
        await run_with_deadline(f"close {place}", dispose, CLOSE_S, lambda _nothing: None)
