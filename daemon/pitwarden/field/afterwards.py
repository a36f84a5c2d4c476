"""What nobody waits for is done a little after a commit, when the row has gone to the judge and come back."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, Never, TypeVar

T = TypeVar("T")
AFTER_S: Final = 0.02  # a device's acknowledgement stands for all before it, and the row that it is for leaves first


class Afterwards(Generic[T]):
    """`do` gets each thing that was put, in order, a little later in the event loop; after a crash, not at all."""

    def __init__(self, do: Callable[[T], None]) -> None:
        self._do = do
        self._things: deque[T] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._bug: asyncio.Future[Never] = asyncio.get_running_loop().create_future()

    def put(self, thing: T) -> None:
        """`do` gets it within AFTER_S."""
        self._things.append(thing)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(AFTER_S, self._due)

    def now(self) -> None:
        """`do` gets at once all that still waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._things:
            self._do(self._things.popleft())

    async def run(self) -> Never:
        """Runs until cancelled; ends with the exception of a `do` that failed."""
        await self._bug

    def _due(self) -> None:
        self._timer = None
        try:
            self.now()
        except Exception as bug:  # noqa: BLE001  the loop would only report it; `run` raises it
            if not self._bug.done():
                self._bug.set_exception(bug)
