"""So many rows, of all tables of a process, are judged in one round of its event loop.

The adversary is a pit's backlog: a thousand tables with a batch each would keep the loop for half a minute, every link
would be lost over it, and all would be sent again.
"""

import asyncio
from collections import deque
from typing import Final

ROWS: Final = 64  # of one round, or one batch more


class Turnstile:
    """Lets tables through in the order in which they came; a new measure begins once somebody waits for one."""

    def __init__(self) -> None:
        self._left = ROWS
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def enter(self, rows: int) -> None:
        """Returns, mostly at once, when so many rows of one table may be judged."""
        if self._left > 0 and not self._waiting:
            self._left -= rows
            return
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next_round)
        turn = loop.create_future()
        self._waiting.append((rows, turn))
        await turn

    def _next_round(self) -> None:
        self._left = ROWS
        while self._waiting and self._left > 0:
            rows, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._left -= rows
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next_round)
