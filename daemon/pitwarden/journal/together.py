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
    """File that a group is written to."""

    def commit_group(self, group: Sequence[T_contra]) -> Errors:
        """Write `group` in one transaction. Called in the worker's thread.

        Returns:
            For each item what was wrong with it, or None.

        Raises:
            JournalError: The transaction failed, and with it the group.
        """
        ...


class CommitFollower(Protocol[T_contra]):
    """What depends on the commits of a file."""

    def group_landed(self, group: Sequence[T_contra], error: Exception | None) -> Exception | None:
        """Handle the end of a transaction, before the callers of `group` do. Called in the event loop.

        Returns:
            The error with which the items that still wait fail; None lets them take their turn.
        """
        ...


class Together(Generic[T]):
    """Group commit on one file; `most` bounds a transaction, so that no commit takes long.

    Groups hold items in the order of their arrival, and one group is committed at a time.
    """

    def __init__(self, worker: Worker, target: CommitTarget[T], follower: CommitFollower[T], most: int) -> None:
        self._worker, self._target, self._follower, self._most = worker, target, follower, most
        self._waiting: deque[tuple[T, int, Told]] = deque()
        self._idle = asyncio.Event()
        self._idle.set()

    def run(self, item: T, share: int = 1) -> asyncio.Future[None]:
        """Commit `item`, which takes `share` of the bound.

        Returns:
            A future that ends once the item is on the disk, or with the error of its own or of the transaction.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.begin(item, lambda error: settle(done, Landed(error=error)), share)
        return done

    def begin(self, item: T, told: Told, share: int = 1) -> None:
        """As `run`, for callers that do not wait: `told` is called in the event loop with None, or with the error."""
        self._waiting.append((item, share, told))
        if self._idle.is_set():
            self._begin()

    async def idle(self) -> None:
        """Return once nothing is being committed, also for callers that do not wait any more."""
        await self._idle.wait()

    def _begin(self) -> None:
        """Hand what waits, or the first part of it, to the thread."""
        told, group, total = list[Told](), list[T](), 0
        # The first item goes whatever its share: one that is larger than the bound would wait for ever.
        while self._waiting and (not group or total + self._waiting[0][1] <= self._most):
            item, share, caller = self._waiting.popleft()
            total += share
            group.append(item)
            told.append(caller)
        self._idle.clear()
        self._worker.submit(lambda: self._target.commit_group(group), partial(self._landed, group, told))

    def _landed(self, group: list[T], told: list[Told], result: Landed[Errors]) -> None:
        errors: Sequence[Exception | None] = result.value or [result.error] * len(group)
        behind = self._follower.group_landed(group, result.error)
        for caller, error in zip(told, errors, strict=True):
            caller(error)
        if behind is not None:
            refused, self._waiting = self._waiting, deque()
            for *_, caller in refused:
                caller(behind)
        if self._waiting:
            self._begin()
        else:
            self._idle.set()
