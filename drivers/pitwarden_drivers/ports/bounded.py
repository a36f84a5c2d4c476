"""Blocking calls of drivers and kernels, each in a thread of its own and bounded (B08): the loop never waits."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from pitwarden_drivers.ports.api import CLOSE_S

T = TypeVar("T")


def _nothing() -> None:
    """There is nothing to dispose of."""


async def bounded(name: str, work: Callable[[], T], seconds: float, late: Callable[[T], None]) -> T:
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


async def closed(place: str, dispose: Callable[[], None]) -> None:
    """Waits for `dispose`, two seconds at most; one that hangs goes on in its thread, one that fails is over."""
    with suppress(OSError):  # either way the line is of no more use
        await bounded(f"close {place}", dispose, CLOSE_S, lambda _nothing: None)
