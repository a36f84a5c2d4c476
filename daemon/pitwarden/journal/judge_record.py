"""Interface of the store of a judge's record, whichever database holds it."""

from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Protocol

from pitwarden.journal.damage import QuarantinedJournal
from pitwarden.journal.records import JudgeCheckpoint, OutputHead, ReceivedRow, SealedSnapshot, StoredOutput
from pitwarden.journal.signatures import PastVerdict, RecordSigner
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head


class JudgeRecord(Protocol):
    """Record of the tables that one process judges: received rows, outputs, positions, snapshots.

    Any method may raise a JournalError, whose class selects the policy. `damage` is what opening found.
    """

    @property
    def damage(self) -> QuarantinedJournal | None:
        """Journal that opening found damaged and quarantined; None for a sound record."""
        ...

    @property
    def name(self) -> str:
        """Name of the file or the database, for sentences."""
        ...

    @property
    def file(self) -> Path | None:
        """File that holds the record; None when a database server does."""
        ...

    @property
    def snapshot_rows(self) -> int:
        """Rows between two snapshots, which bound how many rows the next start judges again."""
        ...

    async def begin_signing(self, table: str, signer: RecordSigner) -> PastVerdict:
        """Sign the end of every commit of `table` from now on, and decide on the past that is stored."""
        ...

    def store(
        self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head
    ) -> Awaitable[None]:
        """Commit rows, the outputs that they caused, and the position after them, in one transaction."""
        ...

    async def position(self, table: str) -> Head | None:
        """Return the head up to which the table's log is stored here; None when no row is."""
        ...

    async def followed(self, table: str) -> list[str]:
        """Return the epochs of this table from which rows were stored, in the order in which they were followed."""
        ...

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` stored rows after `at` (None: from the oldest), in the order of judging.

        Raises:
            JournalDamagedError: The bytes of a row are not those that were stored. The judge must not evaluate them.
        """
        ...

    async def key_rows(self, table: str) -> list[bytes]:
        """Return the stored rows that may announce a key, in the order of judging."""
        ...

    async def trim_boundary(self, table: str, before: str) -> Head | None:
        """Return the newest row that may be trimmed, or None.

        A row may be trimmed when it is older than `before` (UTC, RFC 3339) and covered by the oldest snapshot. The row
        after the boundary announces a key, so that the remaining rows can be checked.
        """
        ...

    async def trim(self, table: str, checkpoint: JudgeCheckpoint) -> int:
        """Delete the rows up to `checkpoint` and the published outputs that they caused; return how many rows."""
        ...

    async def outputs_of(self, table: str, first: Position, last: Position) -> list[StoredOutput]:
        """Return the outputs that the stored rows from `first` to `last` caused, in the order of judging."""
        ...

    async def outputs_after(self, table: str, seq: int, limit: int) -> list[StoredOutput]:
        """Return at most `limit` outputs after `seq`, in order."""
        ...

    async def last_output(self, table: str) -> OutputHead | None:
        """Return the head of the table's output chain; None when it has no output yet."""
        ...

    async def published(self, table: str) -> int:
        """Return the sequence number up to which the broker has acknowledged all outputs; 0 for none."""
        ...

    async def set_published(self, table: str, seq: int) -> None:
        """Record that all outputs up to `seq` are published. It may be lost in a crash: they are published again."""
        ...

    async def snapshots(self, table: str) -> list[SealedSnapshot]:
        """Return the stored snapshots, newest first."""
        ...

    async def put_snapshot(self, table: str, snapshot: SealedSnapshot) -> None:
        """Store a snapshot and delete all but the newest few."""
        ...

    async def meta(self, table: str, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        ...

    async def set_meta(self, table: str, name: str, value: str) -> None:
        """Store `value` under `name`."""
        ...

    async def inspect(self) -> None:
        """Check what is stored, while it is written.

        Raises:
            JournalDamagedError: It is damaged now.
        """
        ...

    async def salvage(self, damaged: Path) -> str:
        """Salvage the record that opening has quarantined, and return the result as a sentence."""
        ...

    async def close(self) -> None:
        """Commit what waits, and close."""
        ...
