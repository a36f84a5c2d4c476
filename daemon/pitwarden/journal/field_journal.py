"""Asynchronous journal of a field half: one thread, group commit, and a disk-space reserve.

Invariant: no row leaves the table before its commit. The reserve keeps room in which a full disk can itself be
recorded.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final, Self

from pitwarden.journal.damage import QuarantinedJournal, open_or_quarantine, set_aside_unsigned
from pitwarden.journal.database import BUSY_MS
from pitwarden.journal.errors import TEMPORARY_ERRORS, JournalOrderError
from pitwarden.journal.field_store import FieldStore
from pitwarden.journal.group_commit import GroupCommit, JournalThread
from pitwarden.journal.maintenance import check_integrity
from pitwarden.journal.records import Checkpoint, DevicePosition, EpochRecord, InputAnswer, NewRow, StoredRow
from pitwarden.journal.signatures import HeadSigner, PastVerdict
from pitwarden_client.events.base import Position

# Bytes of the reserve: room for the rows that record a full disk.
RESERVE_BYTES: Final = 1_048_576


class DiskReserve:
    """File of RESERVE_BYTES next to the journal.

    The field half releases it to record the fault; device rows wait until it is allocated again.
    """

    def __init__(self, journal: Path, worker: JournalThread) -> None:
        self._path = journal.with_name(journal.name + ".reserve")
        self._worker = worker

    async def allocate(self) -> bool:
        """Create the file if there is room for it, and return whether it exists."""
        return await self._worker.run(self._allocate)

    async def release(self) -> None:
        """Delete the file, so that the journal can use its room."""
        await self._worker.run(lambda: self._path.unlink(missing_ok=True))

    def _allocate(self) -> bool:
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError:
            return False
        try:
            # A sparse file would reserve nothing: its blocks must be allocated now.
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        except OSError:
            self._path.unlink()
            return False
        finally:
            os.close(descriptor)
        return True


MAX_BATCH_ROWS: Final = 500  # most rows in one transaction, to bound the duration of a commit
RECENT_ROWS: Final = 256  # more than are in transit to the judge: rows just committed are not read from the disk


class FieldJournal:
    """Open log of one table.

    `head` and `place` are those of the last committed row, and `signed` is its signature; `damage` is what opening or
    `begin_signing` set aside; `trimmed` is the signed checkpoint of the last row deleted by age or size. Any method may
    raise a JournalError, whose class selects the policy.
    """

    def __init__(self, store: FieldStore, worker: JournalThread, damage: QuarantinedJournal | None) -> None:
        """Wrap an open store; callers use `open`."""
        self._store, self._worker, self.damage = store, worker, damage
        self.path = store.database.path
        self.head = store.head
        self.place = store.place
        self.trimmed = store.trimmed
        self.signed = store.signed
        self.reserve = DiskReserve(store.database.path, worker)
        self.on_growth: Callable[[Sequence[StoredRow]], None] = _nothing
        """Called in the event loop with rows that are on the disk, before the callers that committed them resume."""
        self.commits: GroupCommit[Sequence[NewRow]] = GroupCommit(worker, store, self, MAX_BATCH_ROWS)
        """Commits of rows; the share of an item is the number of its rows."""
        self._recent: deque[StoredRow] = deque(maxlen=RECENT_ROWS)

    @classmethod
    async def open(cls, path: Path, busy_ms: int = BUSY_MS) -> Self:
        """Open the log at `path` and check it. A damaged one is quarantined and a new one created."""
        worker = JournalThread("field-journal")
        try:
            store, damage = await worker.run(lambda: open_or_quarantine(path, lambda p: FieldStore(p, busy_ms)))
        except BaseException:
            worker.stop()
            raise
        return cls(store, worker, damage)

    async def begin_signing(self, signer: HeadSigner) -> PastVerdict:
        """Sign each commit from now on, if the table's key has signed what is stored here.

        A past without a signature is set aside whole, and a new journal takes its place.

        Returns:
            What was found, for the opening of the new epoch.
        """
        found = await self._worker.run(lambda: self._store.past(signer))
        if found.state == "set_aside":
            self._store, self.damage = await self._worker.run(lambda: self._set_aside(found.reason))
            self.commits.target = self._store
        elif self.damage is not None:
            found = PastVerdict("set_aside", self.damage.reason)
        await self._worker.run(lambda: self._store.sign_with(signer))
        self.head, self.place, self.trimmed = self._store.head, self._store.place, self._store.trimmed
        self.signed = self._store.signed
        return found

    def _set_aside(self, reason: str) -> tuple[FieldStore, QuarantinedJournal]:
        self._store.close()
        return set_aside_unsigned(self.path, FieldStore, reason)

    async def commit(self, rows: Sequence[NewRow]) -> None:
        """Commit `rows`; return once they are on the disk. Concurrent calls share a transaction.

        When a transaction fails, all waiting calls fail with it: their rows were numbered on top of it.
        """
        await self.commits.run(rows, len(rows))

    async def rows_after(self, place: int, limit: int) -> list[StoredRow]:
        """Return at most `limit` rows after `place` (0: from the beginning), in order through all epochs."""
        recent = self.recent_after(place, limit)
        return recent or await self._worker.run(lambda: self._store.rows_after(place, limit))

    def recent_after(self, place: int, limit: int) -> list[StoredRow]:
        """Return at most `limit` rows after `place` from memory; an empty list when they are not recent."""
        if not self._recent or not self._recent[0].place <= place + 1 <= self._recent[-1].place:
            return []
        first = place + 1 - self._recent[0].place
        return list(islice(self._recent, first, first + limit))

    async def locate(self, at: Position, held: str) -> int | None:
        """Return the place of row `at`; None when this log has no such row, or one whose hash is not `held`."""
        known = next((row for row in reversed(self._recent) if row.at == at), None)
        if known is not None:
            return known.place if known.hash == held else None
        return await self._worker.run(lambda: self._store.locate(at, held))

    async def epochs(self) -> list[EpochRecord]:
        """Return all epochs of this log, oldest first."""
        return await self._worker.run(self._store.epochs)

    async def device_marks(self) -> dict[str, DevicePosition]:
        """Return the last committed event of each device, by its name."""
        return await self._worker.run(self._store.device_marks)

    async def answer(self, role: str, terminal: str, input_id: str) -> InputAnswer | None:
        """Return the first answer to this input id; None if there was none."""
        return await self._worker.run(lambda: self._store.answer(role, terminal, input_id))

    async def store_answer(self, answer: InputAnswer) -> None:
        """Store a refusal. The first answer to an id stays; an acceptance is stored with its row."""
        await self._worker.run(lambda: self._store.store_answer(answer))

    async def positions(self) -> dict[str, int]:
        """Return the place up to which each durable consumer has stored the log, by its name."""
        return await self._worker.run(self._store.positions)

    async def set_position(self, consumer: str, place: int) -> None:
        """Record that `consumer` has stored the log up to `place`."""
        await self._worker.run(lambda: self._store.set_position(consumer, place))

    async def checkpoints(self) -> list[Checkpoint]:
        """Return the signed checkpoints of this log, oldest first."""
        return await self._worker.run(self._store.checkpoints)

    async def trim_boundary(self, stored: int, before: str, most_bytes: int) -> StoredRow | None:
        """Return the newest row that may be trimmed, or None; see `FieldStore.trim_boundary`."""
        return await self._worker.run(lambda: self._store.trim_boundary(stored, before, most_bytes))

    async def trim(self, checkpoint: Checkpoint) -> int:
        """Delete all rows up to `checkpoint`, which replaces them, and return how many rows that were."""
        gone = await self._worker.run(lambda: self._store.trim(checkpoint))
        self.trimmed = checkpoint
        while self._recent and self._recent[0].place <= checkpoint.place:
            self._recent.popleft()
        return gone

    async def meta(self, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        return await self._worker.run(lambda: self._store.meta(name))

    async def set_meta(self, name: str, value: str) -> None:
        """Store `value` under `name`."""
        await self._worker.run(lambda: self._store.set_meta(name, value))

    async def inspect(self) -> None:
        """Check the file while it is written.

        Raises:
            JournalDamagedError: The file is damaged now.
        """
        await check_integrity(self.path)

    async def limit_pages(self, pages: int | None) -> None:
        """Limit the file to `pages` pages of 4,096 bytes; None removes the limit."""
        await self._worker.run(lambda: self._store.database.limit_pages(pages))

    async def idle(self) -> None:
        """Return once no commit is under way, including those of callers that no longer wait."""
        await self.commits.idle()

    async def close(self) -> None:
        """Commit what waits, sign that the log ends there, close the file and end the thread."""
        await self.commits.idle()
        try:
            await self._worker.run(self._store.finish)
        except TEMPORARY_ERRORS:
            # The room of the reserve is meant for the last words of a full disk.
            await self.reserve.release()
            with suppress(*TEMPORARY_ERRORS):
                await self._worker.run(self._store.finish)
        await self._worker.run(self._store.close)
        self._worker.stop()

    def group_ended(self, group: Sequence[Sequence[NewRow]], error: Exception | None) -> Exception | None:
        """Follow the head. After a failure, waiting rows continue a head that does not exist, and fail too."""
        self.head, self.place, self.signed = self._store.head, self._store.place, self._store.signed
        if error is not None:
            return JournalOrderError(f"numbered on top of rows that were not committed: {error}")
        rows = [row for rows in group for row in rows]
        places = range(self.place - len(rows) + 1, self.place + 1)
        stored = [
            StoredRow(place, row.at, row.hash, row.topic, row.body) for place, row in zip(places, rows, strict=True)
        ]
        self._recent.extend(stored)
        self.on_growth(stored)
        return None


def _nothing(_: Sequence[StoredRow]) -> None:
    """Do nothing: the default of `on_growth`."""
