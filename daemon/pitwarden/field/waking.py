"""What one task waits for: somebody who wakes it, or the time that it has to look by itself."""

import asyncio


class Waking:
    """For one task. Its timer is kept from wait to wait: one that rings too early is set again, and wakes nobody."""

    def __init__(self) -> None:
        self._woken = False
        self._until = 0.0
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """The task goes on; if it does not wait just now, its next wait ends at once."""
        self._woken = True
        self._let_go()

    async def wait(self, seconds: float) -> None:
        """Returns when it is woken, or after `seconds`."""
        if not self._woken:
            loop = asyncio.get_running_loop()
            self._until = loop.time() + seconds
            if self._timer is None or self._timer.when() > self._until:
                self._set(loop)
            self._waiter = loop.create_future()
            await self._waiter
        self._woken = False

    def _set(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(self._until, self._ring, loop)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        early = self._timer is not None and self._timer.when() < self._until
        self._timer = None
        if early:
            self._set(loop)
        else:
            self._let_go()

    def _let_go(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
