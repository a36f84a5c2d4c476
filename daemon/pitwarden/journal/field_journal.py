"""Asynchronous facade of the field journal, with the disk-space reserve.

Room kept back beside a journal, so that "the journal is full" can itself be recorded.

The field half's journal for the event loop: one thread, group commit. Nothing leaves the table before its commit.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Self

from pitwarden.journal.damage import QuarantinedJournal, open_or_quarantine
from pitwarden.journal.database import BUSY_MS
from pitwarden.journal.errors import JournalOrderError
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.group_commit import CommitCallback, GroupCommit, JournalThread
from pitwarden.journal.maintenance import check_integrity
from pitwarden.journal.records import Checkpoint, DevicePosition, EpochRecord, InputAnswer, NewRow, StoredRow
from pitwarden_client.events.base import Position

RESERVE_BYTES: Final = 1_048_576


class DiskReserve:
    """A file of RESERVE_BYTES beside the journal. Spend it to record the fault; device rows wait until it is back."""

    def __init__(self, journal: Path, worker: JournalThread) -> None:
        self._path = journal.with_name(journal.name + ".reserve")
        self._worker = worker

    async def allocate(self) -> bool:
        """Makes the file if there is room for it; whether it is there."""
        return await self._worker.run(self._allocate)

    async def release(self) -> None:
        """Gives its room to the journal."""
        await self._worker.run(lambda: self._path.unlink(missing_ok=True))

    def _allocate(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        except OSError:
            self._path.unlink()
            return False
        finally:
            os.close(descriptor)
        return True


MAX_BATCH_ROWS: Final = 500  # one transaction holds so many rows at most, so that no commit takes long
RECENT_ROWS: Final = 256  # more than are ever on their way to the judge: what was just committed is not read again


class FieldJournal:
    """An open log. `head` and `place` are those of the last committed row; `damage` is what opening it found.

    `trimmed` is the last row that is gone by age.

    Any method may raise a JournalError, whose class is the policy.
    """

    def __init__(self, store: FieldStore, worker: JournalThread, damage: QuarantinedJournal | None) -> None:
        """Use `open`."""
        self._store, self._worker, self.damage = store, worker, damage
        self.path = store.database.path
        self.head = store.head
        self.place = store.place
        self.trimmed = store.trimmed
        self.reserve = DiskReserve(store.database.path, worker)
        self.on_growth: Callable[[], None] = _nothing
        """Called as soon as rows are on the disk, before whoever committed them goes on."""
        self._commits: GroupCommit[Sequence[NewRow]] = GroupCommit(worker, store, self, MAX_BATCH_ROWS)
        self._recent: deque[StoredRow] = deque(maxlen=RECENT_ROWS)

    @classmethod
    async def open(cls, path: Path, busy_ms: int = BUSY_MS) -> Self:
        """The log at `path`, checked; a damaged one is set aside and a fresh one begun."""
        worker = JournalThread("field-journal")
        try:
            store, damage = await worker.run(lambda: open_or_quarantine(path, lambda p: FieldStore(p, busy_ms)))
        except BaseException:
            worker.stop()
            raise
        return cls(store, worker, damage)

    async def commit(self, rows: Sequence[NewRow]) -> None:
        """Returns once `rows` are on the disk. Calls that wait at the same time share a transaction.

        When a transaction fails, all calls that wait fail with it: their rows were numbered on top of it.
        """
        await self._commits.run(rows, len(rows))

    def commit_nowait(self, rows: Sequence[NewRow], callback: CommitCallback) -> None:
        """As `commit`, for callers that do not wait: `callback` runs in the event loop with None, or with the error."""
        self._commits.commit_nowait(rows, callback, len(rows))

    async def rows_after(self, place: int, limit: int) -> list[StoredRow]:
        """The rows behind `place` (0: from the beginning), at most `limit`, in order through all epochs."""
        recent = self.recent_after(place, limit)
        return recent or await self._worker.run(lambda: self._store.rows_after(place, limit))

    def recent_after(self, place: int, limit: int) -> list[StoredRow]:
        """The rows behind `place`, at most `limit`, if those were committed lately; else none."""
        if not self._recent or not self._recent[0].place <= place + 1 <= self._recent[-1].place:
            return []
        first = place + 1 - self._recent[0].place
        return list(islice(self._recent, first, first + limit))

    async def locate(self, at: Position, held: str) -> int | None:
        """The place of row `at`; None when this log has none there, or one with another hash than `held`."""
        known = next((row for row in reversed(self._recent) if row.at == at), None)
        if known is not None:
            return known.place if known.hash == held else None
        return await self._worker.run(lambda: self._store.locate(at, held))

    async def epochs(self) -> list[EpochRecord]:
        """All epochs of this log, oldest first."""
        return await self._worker.run(self._store.epochs)

    async def device_marks(self) -> dict[str, DevicePosition]:
        """What was last committed from each device."""
        return await self._worker.run(self._store.device_marks)

    async def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        """The first answer to this input id, if it ever came."""
        return await self._worker.run(lambda: self._store.answer(role, terminal, input_id))

    async def store_answer(self, answer: InputAnswer) -> None:
        """Stores a refusal; the first answer to an id stays. Acceptances are stored with their row."""
        await self._worker.run(lambda: self._store.store_answer(answer))

    async def positions(self) -> dict[str, int]:
        """Up to which place each durable consumer has stored the log."""
        return await self._worker.run(self._store.positions)

    async def set_position(self, consumer: str, place: int, checkpoint: Checkpoint | None = None) -> None:
        """`consumer` has stored all up to `place`; a `checkpoint` is stored with that."""
        await self._worker.run(lambda: self._store.set_position(consumer, place, checkpoint))

    async def checkpoints(self) -> list[Checkpoint]:
        """The signed checkpoints of this log, oldest first."""
        return await self._worker.run(self._store.checkpoints)

    async def trim_boundary(self, stored: int, before: str, most_bytes: int) -> StoredRow | None:
        """See `FieldStore.last_to_go`."""
        return await self._worker.run(lambda: self._store.trim_boundary(stored, before, most_bytes))

    async def trim(self, checkpoint: Checkpoint) -> int:
        """Deletes all rows up to the `checkpoint`, which stands in their place; how many that were."""
        gone = await self._worker.run(lambda: self._store.trim(checkpoint))
        self.trimmed = checkpoint
        while self._recent and self._recent[0].place <= checkpoint.place:
            self._recent.popleft()
        return gone

    async def meta(self, name: str) -> str | None:
        """The value stored under `name`."""
        return await self._worker.run(lambda: self._store.meta(name))

    async def set_meta(self, name: str, value: str) -> None:
        """Stores `value` under `name`."""
        await self._worker.run(lambda: self._store.set_meta(name, value))

    async def inspect(self) -> None:
        """Check the file; JournalDamagedError when it is damaged now."""
        await check_integrity(self.path)

    async def limit_pages(self, pages: int | None) -> None:
        """The file may take so many pages of 4,096 bytes at most; None takes the limit away."""
        await self._worker.run(lambda: self._store.database.limit_pages(pages))

    async def idle(self) -> None:
        """Returns once nothing is being committed, also for callers that do not wait any more."""
        await self._commits.idle()

    async def close(self) -> None:
        """Commits what waits, closes the file and ends the thread."""
        await self._commits.idle()
        await self._worker.run(self._store.close)
        self._worker.stop()

    def group_landed(self, group: Sequence[Sequence[NewRow]], error: Exception | None) -> Exception | None:
        """Follow the head. After a failure, waiting rows continue a head that does not exist, and fail too."""
        self.head, self.place = self._store.head, self._store.place
        if error is not None:
            return JournalOrderError(f"numbered on top of rows that were not committed: {error}")
        rows = [row for rows in group for row in rows]
        places = range(self.place - len(rows) + 1, self.place + 1)
        self._recent.extend(
            StoredRow(place, row.at, row.hash, row.topic, row.body) for place, row in zip(places, rows, strict=True)
        )
        self.on_growth()
        return None


def _nothing() -> None:
    """Nobody waits for growth."""
