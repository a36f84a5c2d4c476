"""Asynchronous journal of a judge: one thread and one file for all tables of the process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Self

from pitwarden.journal.damage import QuarantinedJournal, open_or_quarantine
from pitwarden.journal.database import BUSY_MS
from pitwarden.journal.group_commit import GroupCommit, JournalThread
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.maintenance import check_integrity
from pitwarden.journal.records import JudgeCheckpoint, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.journal.salvage_process import salvage_in_child
from pitwarden.journal.signatures import PastVerdict, RecordSigner
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head

SNAPSHOT_ROWS: Final = 200
"""Rows between two snapshots. A start judges at most these again, and those of the round in progress."""
MAX_BATCH_CALLS: Final = 200  # most tables whose commits share a transaction, to bound its duration

Write = Callable[[], None]
"""Writes of one table, made within an open transaction."""


class JudgeJournal:
    """Open record of a judge process. `damage` is what opening found.

    Any method may raise a JournalError, whose class selects the policy.
    """

    snapshot_rows = SNAPSHOT_ROWS

    def __init__(self, store: JudgeStore, worker: JournalThread, damage: QuarantinedJournal | None) -> None:
        """Wrap an open store; callers use `open`."""
        self._store, self._worker, self.damage = store, worker, damage
        self.path = store.database.path
        self.file: Path | None = self.path
        self.name = str(self.path)
        # No follower: the rows of one table do not continue those of another.
        self._commits: GroupCommit[Write] = GroupCommit(worker, store, None, MAX_BATCH_CALLS)
        self._inspection: asyncio.Future[None] | None = None
        self._salvage: asyncio.Future[str] | None = None

    @classmethod
    async def open(cls, path: Path, busy_ms: int = BUSY_MS) -> Self:
        """Open the record at `path` and check it. A damaged one is quarantined and a new one created."""
        worker = JournalThread("judge-journal")
        try:
            store, damage = await worker.run(lambda: open_or_quarantine(path, lambda p: JudgeStore(p, busy_ms)))
        except BaseException:
            worker.stop()
            raise
        return cls(store, worker, damage)

    async def begin_signing(self, table: str, signer: RecordSigner) -> PastVerdict:
        """Sign each commit of `table` from now on; see `JudgeStore.begin_signing`."""
        return await self._worker.run(lambda: self._store.begin_signing(table, signer))

    def store(
        self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head
    ) -> Awaitable[None]:
        """Commit rows, the outputs that they caused, and the position after them, in one transaction."""
        return self._commits.run(partial(self._store.write, table, rows, outputs, position))

    async def position(self, table: str) -> Head | None:
        """Return the head up to which the table's log is stored here; None when no row is."""
        return await self._worker.run(lambda: self._store.position(table))

    async def followed(self, table: str) -> list[str]:
        """Return the epochs of this table from which rows were stored, in the order in which they were followed."""
        return await self._worker.run(lambda: self._store.followed(table))

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` stored rows after `at` (None: from the oldest), in the order of judging."""
        return await self._worker.run(lambda: self._store.rows_after(table, at, limit))

    async def key_rows(self, table: str) -> list[bytes]:
        """Return the stored rows that may announce a key, in the order of judging."""
        return await self._worker.run(lambda: self._store.key_rows(table))

    async def trim_boundary(self, table: str, before: str) -> Head | None:
        """Return the newest row that may be trimmed, or None; see `JudgeStore.trim_boundary`."""
        return await self._worker.run(lambda: self._store.trim_boundary(table, before))

    async def trim(self, table: str, checkpoint: JudgeCheckpoint) -> int:
        """Delete the rows up to `checkpoint` and the published outputs that they caused; return how many rows."""
        return await self._worker.run(lambda: self._store.trim(table, checkpoint))

    async def outputs_of(self, table: str, first: Position, last: Position) -> list[StoredOutput]:
        """Return the outputs that the stored rows from `first` to `last` caused; see `JudgeStore.outputs_of`."""
        return await self._worker.run(lambda: self._store.outputs_of(table, first, last))

    async def outputs_after(self, table: str, seq: int, limit: int) -> list[StoredOutput]:
        """Return at most `limit` outputs after `seq`, in order."""
        return await self._worker.run(lambda: self._store.outputs_after(table, seq, limit))

    async def last_output(self, table: str) -> OutputHead | None:
        """Return the head of the table's output chain; None when it has no output yet."""
        return await self._worker.run(lambda: self._store.last_output(table))

    async def published(self, table: str) -> int:
        """Return the sequence number up to which the broker has acknowledged all outputs; 0 for none.

        The outputs after it are still to be published.
        """
        return await self._worker.run(lambda: self._store.published(table))

    async def set_published(self, table: str, seq: int) -> None:
        """Record that all outputs up to `seq` are published."""
        await self._commits.run(lambda: self._store.set_published(table, seq))

    async def snapshots(self, table: str) -> list[SealedSnapshot]:
        """Return the stored snapshots, newest first."""
        return await self._worker.run(lambda: self._store.snapshots(table))

    async def put_snapshot(self, table: str, snapshot: SealedSnapshot) -> None:
        """Store a snapshot and delete all but the newest KEPT_SNAPSHOTS."""
        await self._worker.run(lambda: self._store.put_snapshot(table, snapshot))

    async def meta(self, table: str, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        return await self._worker.run(lambda: self._store.meta(table, name))

    async def set_meta(self, table: str, name: str, value: str) -> None:
        """Store `value` under `name`."""
        await self._worker.run(lambda: self._store.set_meta(table, name, value))

    async def inspect(self) -> None:
        """Check the file while it is written. Tables that request it at the same time share one check.

        Raises:
            JournalDamagedError: The file is damaged now.
        """
        if self._inspection is None or self._inspection.done():
            self._inspection = asyncio.ensure_future(check_integrity(self.path))
        # One table's cancellation must not end the check that others wait for.
        await asyncio.shield(self._inspection)

    async def salvage(self, damaged: Path) -> str:
        """Salvage the record that opening has quarantined, and return the result as a sentence.

        Tables share one salvage, as they share the file.
        """
        if self._salvage is None:
            self._salvage = asyncio.ensure_future(salvage_in_child(damaged))
        return await asyncio.shield(self._salvage)

    async def limit_pages(self, pages: int | None) -> None:
        """Limit the file to `pages` pages of 4,096 bytes; None removes the limit."""
        await self._worker.run(lambda: self._store.database.limit_pages(pages))

    async def close(self) -> None:
        """Commit what waits, close the file and end the thread."""
        await self._commits.idle()
        shared = [task for task in (self._inspection, self._salvage) if task is not None]
        for task in shared:
            task.cancel()
        if shared:
            await asyncio.wait(shared)
        await self._worker.run(self._store.close)
        self._worker.stop()
