"""Journal thread on simulated time: calls take a while, one at a time, and none is made after the process has died."""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pitwarden.journal.errors import JournalUnwritableError
from pitwarden.journal.group_commit import CallResult, JournalThread, settle
from pitwarden_tools.simulation.process import PROCESS

T = TypeVar("T")


class SimulatedWorker(JournalThread):
    """Substitute for a journal's thread. A call begins some simulated time after it was submitted."""

    def __init__(self, name: str) -> None:
        del name
        self._process = PROCESS.get()
        self._waiting: deque[Callable[[], None]] = deque()
        self._busy = False

    async def run(self, call: Callable[[], T]) -> T:
        """Run `call` on simulated time and return its result."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.submit(call, partial(settle, done))
        return await done

    def submit(self, call: Callable[[], T], callback: Callable[[CallResult[T]], None]) -> None:
        """Run `call` later: `callback` is called in the event loop with its result."""
        self._waiting.append(partial(self._made, call, callback))
        if not self._busy:
            self._begin()

    def stop(self) -> None:
        """Make the calls that wait; a process that died makes none."""
        while self._waiting:
            self._waiting.popleft()()

    def _begin(self) -> None:
        self._busy = True
        asyncio.get_running_loop().call_later(self._process.disk_seconds(), self._next)

    def _next(self) -> None:
        self._busy = False
        if self._waiting:
            self._waiting.popleft()()
        if self._waiting:
            self._begin()

    def _made(self, call: Callable[[], T], callback: Callable[[CallResult[T]], None]) -> None:
        if self._process.dead:
            result: CallResult[T] = CallResult(error=JournalUnwritableError("the process was killed"))
        else:
            try:
                result = CallResult(call())
            except Exception as error:  # noqa: BLE001  the caller receives any error, as of the thread
                result = CallResult(error=error)
            if not self._process.is_alive():  # killed within the call: its result is never known
                result = CallResult(error=JournalUnwritableError("the process was killed"))
        asyncio.get_running_loop().call_soon(callback, result)


class InlineWorker(JournalThread):
    """Substitute for a journal's thread that makes each call at once: the same order, and no thread.

    The inspection of a journal needs it: when that is cancelled, it blocks its own thread until the call has ended.
    """

    def __init__(self, name: str) -> None:
        del name

    async def run(self, call: Callable[[], T]) -> T:
        """Make `call` and return its result."""
        return call()

    def submit(self, call: Callable[[], T], callback: Callable[[CallResult[T]], None]) -> None:
        """Make `call`: `callback` is called in the event loop with its result."""
        try:
            result = CallResult(call())
        except Exception as error:  # noqa: BLE001  as the thread does
            result = CallResult(error=error)
        asyncio.get_running_loop().call_soon(callback, result)

    def stop(self) -> None:
        """Do nothing: there is no thread to stop."""
