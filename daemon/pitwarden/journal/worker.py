"""One thread for one journal file: SQLite blocks, and the event loop must not."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """Runs calls one after the other in its own thread, in the order in which they were asked for."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, call: Callable[[], T]) -> T:
        """The result of `call`, made in the thread. Once asked for it is done even if nobody waits any more."""
        return await asyncio.wrap_future(self._pool.submit(call))

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """As `run`, for callers that wait in another way."""
        return self._pool.submit(call)

    def stop(self) -> None:
        """Ends the thread after what was asked for; blocks until then."""
        self._pool.shutdown(wait=True)
