"""One thread for one journal file: SQLite blocks, and the event loop must not.

An executor would do, and takes longer to hand a call over than the disk takes to be handed one.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Landed(Generic[T]):
    """What became of a call: its `value`, or the `error` that it ended with."""

    value: T | None = None
    error: Exception | None = None


class Worker:
    """Makes calls one after the other in its own thread, in the order in which they were asked for."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def run(self, call: Callable[[], T]) -> T:
        """The result of `call`, made in the thread. Once asked for it is done even if nobody waits any more."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.submit(call, partial(settle, done))
        return await done

    def submit(self, call: Callable[[], T], landed: Callable[[Landed[T]], None]) -> None:
        """As `run`, for callers that do not wait: `landed` is called in the event loop."""
        self._calls.put(partial(_made, asyncio.get_running_loop(), call, landed))

    def stop(self) -> None:
        """Ends the thread after what was asked for; blocks until then."""
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def _made(loop: asyncio.AbstractEventLoop, call: Callable[[], T], landed: Callable[[Landed[T]], None]) -> None:
    try:
        result = Landed(call())
    except Exception as error:  # noqa: BLE001  whatever it is, whoever asked gets it
        result = Landed(error=error)
    with suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits any more, and the thread lives on
        loop.call_soon_threadsafe(landed, result)


def settle(done: "asyncio.Future[T]", result: Landed[T]) -> None:
    """Set `result` on `done`, unless its waiter was cancelled."""
    if done.done():
        return
    if result.error is not None:
        done.set_exception(result.error)
    else:
        done.set_result(result.value)  # type: ignore[arg-type]  # None only where T is
