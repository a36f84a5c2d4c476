"""Group commit: what many tables write while the disk is busy is committed in one transaction, each by itself.

The adversary is a table whose rows contradict what is stored: it may not keep another's from the disk.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from pitwarden.journal.faults import JournalError
from pitwarden.journal.worker import Landed, Worker

MOST: Final = 200  # calls in one transaction, so that no commit takes long

_Call = Callable[[], None]
_Errors = list[JournalError | None]


class Together:
    """`commit` makes calls within one transaction and says for each what was wrong with it."""

    def __init__(self, worker: Worker, commit: Callable[[Sequence[_Call]], _Errors]) -> None:
        self._worker, self._commit = worker, commit
        self._waiting: deque[tuple[_Call, asyncio.Future[None]]] = deque()
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, call: _Call) -> None:
        """Returns once what `call` writes is on the disk; the JournalError of its own, or of the whole transaction."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, done))
        if self._idle.is_set():
            self._begin()
        await done

    async def idle(self) -> None:
        """Returns once nothing is being committed."""
        await self._idle.wait()

    def _begin(self) -> None:
        group = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))]
        self._idle.clear()
        self._worker.submit(lambda: self._commit([call for call, _ in group]), partial(self._landed, group))

    def _landed(self, group: list[tuple[_Call, "asyncio.Future[None]"]], result: Landed[_Errors]) -> None:
        errors: Sequence[Exception | None] = result.value or [result.error] * len(group)
        for (_, done), error in zip(group, errors, strict=True):
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
        if self._waiting:
            self._begin()
        else:
            self._idle.set()
