"""One worker thread per file, and group commit on it.

SQLite blocks, and the event loop must not. A thread of our own takes calls faster than an executor does, whose
hand-over takes longer than that to the disk.

Group commit: what arrives while the disk is busy is committed in one transaction.

Threat: a caller whose rows contradict what is stored. It must not prevent the commit of another caller's rows.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Generic, Protocol, TypeVar

from pitwarden.journal.errors import JournalError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallResult(Generic[T]):
    """Result of a call: its `value`, or the `error` that it ended with."""

    value: T | None = None
    error: Exception | None = None


class JournalThread:
    """Worker thread that runs calls one at a time, in the order in which they were submitted."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def run(self, call: Callable[[], T]) -> T:
        """Run `call` in the thread and return its result. A submitted call runs even when its caller is cancelled."""
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.submit(call, partial(settle, done))
        return await done

    def submit(self, call: Callable[[], T], callback: Callable[[CallResult[T]], None]) -> None:
        """Run `call` without waiting: `callback` is called in the event loop with its result."""
        self._calls.put(partial(_made, asyncio.get_running_loop(), call, callback))

    def stop(self) -> None:
        """End the thread after the submitted calls. Blocks until then."""
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def _made(loop: asyncio.AbstractEventLoop, call: Callable[[], T], callback: Callable[[CallResult[T]], None]) -> None:
    try:
        result = CallResult(call())
    except Exception as error:  # noqa: BLE001  the caller receives any error
        result = CallResult(error=error)
    with suppress(RuntimeError):  # the loop was closed: no caller waits, and the thread continues
        loop.call_soon_threadsafe(callback, result)


def settle(done: "asyncio.Future[T]", result: CallResult[T]) -> None:
    """Set `result` on `done`, unless its waiter was cancelled."""
    if done.done():
        return
    if result.error is not None:
        done.set_exception(result.error)
    else:
        done.set_result(result.value)  # type: ignore[arg-type]  # None only where T is


T_contra = TypeVar("T_contra", contravariant=True)

Errors = Sequence[JournalError | None]
CommitCallback = Callable[[Exception | None], None]


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
    """Component that depends on the commits of a file."""

    def group_ended(self, group: Sequence[T_contra], error: Exception | None) -> Exception | None:
        """Handle the end of a transaction, before the callers of `group` do. Called in the event loop.

        Returns:
            The error with which all waiting items fail; None to commit them next.
        """
        ...


class GroupCommit(Generic[T]):
    """Group commit on one file. The shares in one transaction add up to at most `most`, which bounds its duration.

    Groups hold items in the order of their arrival, and one group is committed at a time.
    """

    def __init__(
        self, worker: JournalThread, target: CommitTarget[T], follower: CommitFollower[T] | None, most: int
    ) -> None:
        self._worker, self._follower, self._most = worker, follower, most
        self.target = target
        """File that the next group is written to."""
        self._waiting: deque[tuple[T, int, CommitCallback]] = deque()
        self._idle = asyncio.Event()
        self._idle.set()

    def run(self, item: T, share: int = 1) -> asyncio.Future[None]:
        """Commit `item`, which takes `share` of the bound.

        Returns:
            A future that ends once the item is on the disk, or with the error of its own or of the transaction.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.commit_nowait(item, lambda error: settle(done, CallResult(error=error)), share)
        return done

    def commit_nowait(self, item: T, callback: CommitCallback, share: int = 1) -> None:
        """Commit without waiting: `callback` runs in the event loop with None, or with the error of `run`."""
        self._waiting.append((item, share, callback))
        if self._idle.is_set():
            self._commit_waiting()

    async def idle(self) -> None:
        """Return once no commit is under way, including those of callers that no longer wait."""
        await self._idle.wait()

    def _commit_waiting(self) -> None:
        """Submit the waiting items, as many as one transaction takes, to the thread."""
        callbacks, group, total = list[CommitCallback](), list[T](), 0
        # The first item goes whatever its share: one that is larger than the bound would never be committed.
        while self._waiting and (not group or total + self._waiting[0][1] <= self._most):
            item, share, callback = self._waiting.popleft()
            total += share
            group.append(item)
            callbacks.append(callback)
        self._idle.clear()
        self._worker.submit(partial(self.target.commit_group, group), partial(self._ended, group, callbacks))

    def _ended(self, group: list[T], callbacks: list[CommitCallback], result: CallResult[Errors]) -> None:
        errors: Sequence[Exception | None] = result.value or [result.error] * len(group)
        # The follower first: it moves the head that the callers are about to read.
        behind = None if self._follower is None else self._follower.group_ended(group, result.error)
        for callback, error in zip(callbacks, errors, strict=True):
            callback(error)
        if behind is not None:
            refused, self._waiting = self._waiting, deque()
            for *_, callback in refused:
                callback(behind)
        if self._waiting:
            self._commit_waiting()
        else:
            self._idle.set()
