"""Group commit: what arrives while the disk is busy is committed in one transaction.

Threat: a caller whose rows contradict what is stored. It must not prevent the commit of another caller's rows.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from pitwarden.journal.faults import JournalError
from pitwarden.journal.worker import Landed, Worker, settle

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

Errors = Sequence[JournalError | None]
Told = Callable[[Exception | None], None]


class CommitTarget(Protocol[T_contra]):
    """The file that a group is written to."""

    def commit_group(self, group: Sequence[T_contra]) -> Errors:
        """Write `group` in one transaction. Called in the worker's thread.

        Returns:
            For each item what was wrong with it, or None.

        Raises:
            JournalError: The transaction failed, and with it the group.
        """
        ...

    def group_landed(self, group: Sequence[T_contra], error: Exception | None) -> Exception | None:
        """Handle the end of a transaction, before the callers of `group` do. Called in the event loop.

        Returns:
            The error with which the items that still wait fail; None lets them take their turn.
        """
        ...

    def group_share(self, item: T_contra) -> int:
        """Return which share of the bound `most` an item takes."""
        ...


class Together(Generic[T]):
    """Group commit on one file; `most` bounds a transaction, so that no commit takes long.

    Groups hold items in the order of their arrival, and one group is committed at a time.
    """

    def __init__(self, worker: Worker, target: CommitTarget[T], most: int) -> None:
        self._worker, self._target, self._most = worker, target, most
        self._waiting: deque[tuple[T, Told]] = deque()
        self._idle = asyncio.Event()
        self._idle.set()

    async def run(self, item: T) -> None:
        """Return once `item` is on the disk; raise the error of its own, or of the whole transaction."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.begin(item, lambda error: settle(done, Landed(error=error)))
        await done

    def begin(self, item: T, told: Told) -> None:
        """As `run`, for callers that do not wait: `told` is called in the event loop with None, or with the error."""
        self._waiting.append((item, told))
        if self._idle.is_set():
            self._begin()

    async def idle(self) -> None:
        """Return once nothing is being committed, also for callers that do not wait any more."""
        await self._idle.wait()

    def _begin(self) -> None:
        """Hand what waits, or the first part of it, to the thread."""
        told, group, share = list[Told](), list[T](), 0
        # The first item goes whatever its share: one that is larger than the bound would wait for ever.
        while self._waiting and (not group or share + self._target.group_share(self._waiting[0][0]) <= self._most):
            item, caller = self._waiting.popleft()
            share += self._target.group_share(item)
            group.append(item)
            told.append(caller)
        self._idle.clear()
        self._worker.submit(lambda: self._target.commit_group(group), partial(self._landed, group, told))

    def _landed(self, group: list[T], told: list[Told], result: Landed[Errors]) -> None:
        errors: Sequence[Exception | None] = result.value or [result.error] * len(group)
        behind = self._target.group_landed(group, result.error)
        for caller, error in zip(told, errors, strict=True):
            caller(error)
        if behind is not None:
            refused, self._waiting = self._waiting, deque()
            for _, caller in refused:
                caller(behind)
        if self._waiting:
            self._begin()
        else:
            self._idle.set()
