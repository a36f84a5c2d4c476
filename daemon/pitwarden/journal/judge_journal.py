"""The judge's journal for the event loop: one thread, one file for all tables of the process."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Self

from pitwarden.journal.damage import QuarantinedJournal, open_or_quarantine
from pitwarden.journal.database import BUSY_MS
from pitwarden.journal.group_commit import GroupCommit, JournalThread
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.maintenance import check_integrity
from pitwarden.journal.records import JudgeCheckpoint, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.journal.salvage_process import salvage_in_child
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head

MAX_BATCH_CALLS: Final = 200  # tables of a process whose commits share a transaction, so that none takes long

Write = Callable[[], None]
"""Writes something of one table within a transaction that is open."""


class JudgeJournal:
    """An open record; `damage`: what opening found. Any method may raise a JournalError, whose class is the policy."""

    def __init__(self, store: JudgeStore, worker: JournalThread, damage: QuarantinedJournal | None) -> None:
        """Use `open`."""
        self._store, self._worker, self.damage = store, worker, damage
        self.path = store.database.path
        self._commits: GroupCommit[Write] = GroupCommit(worker, store, self, MAX_BATCH_CALLS)
        self._inspection: asyncio.Future[None] | None = None
        self._salvage: asyncio.Future[str] | None = None

    @classmethod
    async def open(cls, path: Path, busy_ms: int = BUSY_MS) -> Self:
        """The record at `path`, checked; a damaged one is set aside and a fresh one begun."""
        worker = JournalThread("judge-journal")
        try:
            store, damage = await worker.run(lambda: open_or_quarantine(path, lambda p: JudgeStore(p, busy_ms)))
        except BaseException:
            worker.stop()
            raise
        return cls(store, worker, damage)

    def store(
        self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head
    ) -> Awaitable[None]:
        """Commits rows, what they brought about, and the position behind them, in one transaction."""
        return self._commits.run(lambda: self._store.write(table, rows, outputs, position))

    async def position(self, table: str) -> Head | None:
        """Up to where the table's log is stored here."""
        return await self._worker.run(lambda: self._store.position(table))

    async def followed(self, table: str) -> list[str]:
        """The epochs of this table that rows were stored from, in the order in which they were followed."""
        return await self._worker.run(lambda: self._store.followed(table))

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """The stored rows behind `at` (None: from the oldest), at most `limit`, in the order of judging."""
        return await self._worker.run(lambda: self._store.rows_after(table, at, limit))

    async def key_rows(self, table: str) -> list[bytes]:
        """The stored rows that seem to announce a key, in the order of judging."""
        return await self._worker.run(lambda: self._store.key_rows(table))

    async def trim_boundary(self, table: str, before: str) -> Head | None:
        """See `JudgeStore.last_to_go`."""
        return await self._worker.run(lambda: self._store.trim_boundary(table, before))

    async def trim(self, table: str, checkpoint: JudgeCheckpoint) -> int:
        """Deletes the rows up to the `checkpoint`, and the published outputs that they caused; how many rows."""
        return await self._worker.run(lambda: self._store.trim(table, checkpoint))

    async def outputs_of(self, table: str, cause: Position) -> list[StoredOutput]:
        """What was judged on row `cause`; published facts, to be compared and never published again."""
        return await self._worker.run(lambda: self._store.outputs_of(table, cause))

    async def outputs_after(self, table: str, seq: int, limit: int) -> list[StoredOutput]:
        """The outputs behind `seq`, at most `limit`, in order."""
        return await self._worker.run(lambda: self._store.outputs_after(table, seq, limit))

    async def last_output(self, table: str) -> OutputHead | None:
        """Where the table's chain of outputs goes on; None when it has none yet."""
        return await self._worker.run(lambda: self._store.last_output(table))

    async def published(self, table: str) -> int:
        """Up to which output the broker has acknowledged all of them; 0 for none. The rest is to be published."""
        return await self._worker.run(lambda: self._store.published(table))

    async def set_published(self, table: str, seq: int) -> None:
        """All outputs up to `seq` are published."""
        await self._commits.run(lambda: self._store.set_published(table, seq))

    async def snapshots(self, table: str) -> list[SealedSnapshot]:
        """The kept snapshots, newest first."""
        return await self._worker.run(lambda: self._store.snapshots(table))

    async def put_snapshot(self, table: str, snapshot: SealedSnapshot) -> None:
        """Stores a snapshot and forgets all but the newest few."""
        await self._worker.run(lambda: self._store.put_snapshot(table, snapshot))

    async def meta(self, table: str, name: str) -> str | None:
        """The value stored under `name`."""
        return await self._worker.run(lambda: self._store.meta(table, name))

    async def set_meta(self, table: str, name: str, value: str) -> None:
        """Stores `value` under `name`."""
        await self._worker.run(lambda: self._store.set_meta(table, name, value))

    async def inspect(self) -> None:
        """JournalDamagedError when the file is damaged now. Tables that ask at the same time share one look."""
        if self._inspection is None or self._inspection.done():
            self._inspection = asyncio.ensure_future(check_integrity(self.path))
        await asyncio.shield(self._inspection)

    async def salvage(self, damaged: Path) -> str:
        """Salvage the record that opening has set aside, in words. Tables share one salvage, as they share the file."""
        if self._salvage is None:
            self._salvage = asyncio.ensure_future(salvage_in_child(damaged))
        return await asyncio.shield(self._salvage)

    async def limit_pages(self, pages: int | None) -> None:
        """The file may take so many pages of 4,096 bytes at most; None takes the limit away."""
        await self._worker.run(lambda: self._store.database.limit_pages(pages))

    async def close(self) -> None:
        """Commits what was asked for, closes the file and ends the thread."""
        await self._commits.idle()
        shared = [task for task in (self._inspection, self._salvage) if task is not None]
        for task in shared:
            task.cancel()
        if shared:
            await asyncio.wait(shared)
        await self._worker.run(self._store.close)
        self._worker.stop()

    def group_landed(self, group: Sequence[Write], error: Exception | None) -> Exception | None:  # noqa: ARG002  the protocol's
        """Do nothing: the rows of one table do not continue those of another."""
        return None
