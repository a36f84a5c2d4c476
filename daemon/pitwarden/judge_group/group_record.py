"""Record of the judges of a group, in PostgreSQL: the other implementation of `JudgeRecord`.

Reads follow the claim of this process on the table, and each write is fenced by it.
"""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from pitwarden.journal.damage import QuarantinedJournal
from pitwarden.journal.errors import JournalDamagedError, JournalError, JournalFencedError, JournalUnreachableError
from pitwarden.journal.maintenance import row_time
from pitwarden.journal.records import (
    JudgeCheckpoint,
    OutputHead,
    ReceivedRow,
    RecordSignature,
    SealedSnapshot,
    StoredOutput,
)
from pitwarden.journal.signatures import PastVerdict, RecordSigner, judge_record_past
from pitwarden.journal.stored_signatures import broken_chain
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.fenced_commits import FencedCommits, FencedWrite
from pitwarden.judge_group.postgresql import DatabaseSession, DatabaseSessions, Row
from pitwarden.judge_group.record_statements import (
    MARK,
    OUTPUTS_AFTER,
    OUTPUTS_OF,
    PLACE,
    PUT_SNAPSHOT,
    ROWS_AFTER,
    SET_ASIDE,
    SET_META,
    TRIM,
)
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head

SNAPSHOT_ROWS: Final = 40
"""Rows between two snapshots, about a round: judging them again is most of what a takeover costs."""
MARK_S: Final = 0.5
"""Longest time until the mark of published outputs is stored. A takeover publishes what is after it once more."""
CHECKED_OUTPUTS: Final = 200
"""Newest outputs whose chain a takeover checks: fewer than a start of the embedded journal, which is not in a hurry."""
READ_RETRY_S: Final = 0.25
"""Time between two attempts to read a table's record while the database does not answer."""
TRIM_PAGE: Final = 500
MOST_TRIMMED: Final = 20_000
"""Rows that one round of retention deletes at most, so that its statement stays short."""


class GroupRecord:
    """Record of the tables that this process has claimed."""

    damage: QuarantinedJournal | None = None
    file: Path | None = None
    snapshot_rows = SNAPSHOT_ROWS

    def __init__(
        self,
        session: DatabaseSession | DatabaseSessions,
        commits: DatabaseSession,
        book: ClaimBook,
        versions: tuple[str, str],
    ) -> None:
        """Bind the database.

        Args:
            session: Connections for everything except commits.
            commits: Connection for commits, so that no read delays one.
            book: Claims of this process.
            versions: Rules version and version of pitwarden, which each commit leaves for the next owner.
        """
        self._session, self._commits_session, self._book = session, commits, book
        self._commits = FencedCommits(commits, book, versions)
        self._signers: dict[str, RecordSigner] = {}
        self._marked: dict[str, TableClaim] = {}
        self._marking: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        """Name of the database, for sentences."""
        return self._session.settings.name

    async def begin_signing(self, table: str, signer: RecordSigner) -> PastVerdict:
        """Sign each commit of `table` from now on, and decide on the past that is stored.

        A record whose end no key of the judge has signed is set aside: it stays under its name, and a new one begins.
        """
        claim = self._book.of(table)
        found = await self._place(claim)
        past = await self._past(found, await self._ends(claim), claim, signer)
        if past.state == "set_aside":
            kept = claim.record
            name = f"{table}!{claim.term}"
            self._held(await self._session.fetch(SET_ASIDE, *_fence(claim), name), claim)
            past = PastVerdict("set_aside", f"{past.reason}; it is kept as {kept}")
            found = await self._place(claim)
        _resume(claim, found)
        self._signers[table] = signer
        return past

    async def resume(self, table: str) -> None:
        """Continue a claimed table where its record ends in the database."""
        claim = self._book.of(table)
        _resume(claim, await self._place(claim))

    async def _resumed(self, table: str) -> TableClaim:
        claim = self._book.of(table)
        if not claim.is_resumed:
            await self.resume(table)
        return claim

    def store(
        self, table: str, rows: Sequence[ReceivedRow], outputs: Sequence[StoredOutput], position: Head
    ) -> Awaitable[None]:
        """Commit rows, the outputs that they caused, and the position after them, if the table is still ours."""
        claim = self._book.of(table)
        last = OutputHead(outputs[-1].seq, outputs[-1].hash) if outputs else claim.outputs
        signer = self._signers.get(table)
        signed = None if signer is None else signer.sign(position, last)
        return self._commits.run(FencedWrite(claim, rows, outputs, position, last, signed))

    async def position(self, table: str) -> Head | None:
        """Return the head up to which the table's log is stored; None when no row is."""
        return (await self._resumed(table)).head

    async def followed(self, table: str) -> list[str]:
        """Return the epochs of this table from which rows were stored, in the order in which they were followed."""
        claim = self._book.of(table)
        found = await self._read(claim, "SELECT epoch FROM followed WHERE record = $1 ORDER BY ord", claim.record)
        return [row["epoch"] for row in found]

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` stored rows after `at` (None: from the oldest), in the order of judging.

        Raises:
            JournalDamagedError: The bytes of a row are not those that were stored. The judge must not evaluate them.
        """
        claim = self._book.of(table)
        epoch, number = (None, None) if at is None else (at.epoch, at.number)
        found = await self._read(claim, ROWS_AFTER, claim.record, epoch, number, limit)
        self._verify((row["hash"], row["body"]) for row in found)
        return [
            ReceivedRow(Position(epoch=row["epoch"], number=row["number"]), row["hash"], row["body"], row["damaged"])
            for row in found
        ]

    async def key_rows(self, table: str) -> list[bytes]:
        """Return the stored rows that may announce a key, in the order of judging."""
        claim = self._book.of(table)
        found = await self._read(
            claim, "SELECT hash, body FROM received WHERE record = $1 AND announces ORDER BY ord", claim.record
        )
        self._verify((row["hash"], row["body"]) for row in found)
        return [row["body"] for row in found]

    async def trim_boundary(self, table: str, before: str) -> Head | None:
        """Return the newest row that may be trimmed, at most MOST_TRIMMED rows on; None for none."""
        record = self._book.of(table).record
        (oldest,) = await self._session.fetch("SELECT min(ord) AS ord FROM snapshot WHERE record = $1", record)
        last: Head | None = None
        previous: Head | None = None
        at, seen = 0, 0
        while seen < MOST_TRIMMED:
            page = await self._session.fetch(
                "SELECT ord, epoch, number, hash, body, announces FROM received"
                " WHERE record = $1 AND ord > $2 AND ord <= $3 ORDER BY ord LIMIT $4",
                record, at, oldest["ord"] or 0, TRIM_PAGE,
            )  # fmt: skip
            for row in page:
                if row["announces"]:
                    last = previous
                if row_time(row["body"]) >= before:
                    return last
                previous = _head(row)
            if len(page) < TRIM_PAGE:
                return last
            at, seen = page[-1]["ord"], seen + len(page)
        return last

    async def trim(self, table: str, checkpoint: JudgeCheckpoint) -> int:
        """Delete the rows up to `checkpoint` and the published outputs that they caused; return how many rows."""
        claim, at = self._book.of(table), checkpoint.head.at
        await self._store_marks()
        words = " ".join((at.epoch, str(at.number), checkpoint.head.hash, checkpoint.signer, checkpoint.signature))
        found = await self._session.fetch(TRIM, *_fence(claim), at.epoch, at.number, words)
        self._held(found, claim)
        return int(found[0]["gone"])

    async def outputs_of(self, table: str, first: Position, last: Position) -> list[StoredOutput]:
        """Return the outputs that the stored rows from `first` to `last` caused, in the order of judging."""
        claim, ends = self._book.of(table), (first.epoch, first.number, last.epoch, last.number)
        return _outputs(await self._read(claim, OUTPUTS_OF, claim.record, *ends))

    async def outputs_after(self, table: str, seq: int, limit: int) -> list[StoredOutput]:
        """Return at most `limit` outputs after `seq`, in order."""
        claim = self._book.of(table)
        return _outputs(await self._read(claim, OUTPUTS_AFTER, claim.record, seq, limit))

    async def last_output(self, table: str) -> OutputHead | None:
        """Return the head of the table's output chain; None when it has no output yet."""
        return (await self._resumed(table)).outputs

    async def published(self, table: str) -> int:
        """Return the sequence number up to which the broker has acknowledged all outputs; 0 for none."""
        return (await self._resumed(table)).published

    async def set_published(self, table: str, seq: int) -> None:
        """Record that all outputs up to `seq` are published; stored with the next commit, or within MARK_S."""
        claim = self._book.of(table)
        claim.published = max(claim.published, seq)
        self._marked[table] = claim
        if self._marking is None or self._marking.done():
            self._marking = asyncio.get_running_loop().create_task(self._mark_later(), name="group marks")

    async def snapshots(self, table: str) -> list[SealedSnapshot]:
        """Return the stored snapshots, newest first."""
        claim = self._book.of(table)
        found = await self._read(
            claim,
            "SELECT epoch, number, rules, profile, box FROM snapshot WHERE record = $1 ORDER BY id DESC",
            claim.record,
        )
        return [
            SealedSnapshot(Position(epoch=row["epoch"], number=row["number"]), row["rules"], row["profile"], row["box"])
            for row in found
        ]

    async def put_snapshot(self, table: str, snapshot: SealedSnapshot) -> None:
        """Store a snapshot and delete all but the newest KEPT_SNAPSHOTS."""
        claim, at = self._book.of(table), snapshot.at
        words = at.epoch, at.number, snapshot.rules_version, snapshot.profile_digest, snapshot.box
        self._held(await self._session.fetch(PUT_SNAPSHOT, *_fence(claim), *words), claim)

    async def meta(self, table: str, name: str) -> str | None:
        """Return the value stored under `name`, or None."""
        claim = self._book.of(table)
        found = await self._read(claim, "SELECT value FROM meta WHERE record = $1 AND name = $2", claim.record, name)
        return str(found[0]["value"]) if found else None

    async def set_meta(self, table: str, name: str, value: str) -> None:
        """Store `value` under `name`."""
        claim = self._book.of(table)
        self._held(await self._session.fetch(SET_META, *_fence(claim), name, value), claim)

    async def inspect(self) -> None:
        """Do nothing: the server checks its own pages, and each start checks the chain of what it reads."""

    async def salvage(self, damaged: Path) -> str:
        """Return that there is nothing to salvage: no file of a database is quarantined here."""
        return f"{damaged} is not part of the {self.name}"

    def claim_of(self, table: str) -> TableClaim:
        """Return the claim under which the table is written.

        Raises:
            JournalFencedError: This process does not own it.
        """
        return self._book.of(table)

    async def finish(self, claim: TableClaim) -> None:
        """Store what waits of a table that is about to be given back."""
        await self._commits.idle()
        with suppress(JournalError):
            await self._store_marks()
        self._signers.pop(claim.table, None)

    async def settle(self) -> None:
        """Commit what waits, and end what runs in the background."""
        await self._commits.idle()
        if self._marking is not None:
            self._marking.cancel()
            await asyncio.wait({self._marking})

    async def close(self) -> None:
        """Commit what waits, and close the connections."""
        await self.settle()
        await self._session.close()
        await self._commits_session.close()

    async def _mark_later(self) -> None:
        await asyncio.sleep(MARK_S)
        with suppress(JournalError):  # without the mark the next owner publishes them again, byte for byte
            await self._store_marks()

    async def _store_marks(self) -> None:
        marked = [claim for claim in self._marked.values() if claim.is_current]
        self._marked.clear()
        if marked:
            columns = zip(*[(claim.table, claim.term, claim.run, claim.published) for claim in marked], strict=True)
            await self._session.fetch(MARK, *map(list, columns))

    async def _read(self, claim: TableClaim, statement: str, *values: object) -> list[Row]:
        """Return what a statement finds. While the database is away, wait as long as the table may still be ours."""
        while True:
            try:
                return await self._session.fetch(statement, *values)
            except JournalUnreachableError:
                if not claim.is_current:
                    raise
            await asyncio.sleep(READ_RETRY_S)

    async def _place(self, claim: TableClaim) -> Row:
        found = await self._read(claim, PLACE, *_fence(claim))
        self._held(found, claim)
        return found[0]

    async def _ends(self, claim: TableClaim) -> tuple[Head | None, OutputHead | None]:
        """Return the last row and the last output that are stored, whatever the position is."""
        rows, outputs = await asyncio.gather(
            self._read(
                claim,
                "SELECT epoch, number, hash FROM received WHERE record = $1 ORDER BY ord DESC LIMIT 1",
                claim.record,
            ),
            self._read(
                claim,
                "SELECT seq, hash AS outputhash FROM output WHERE record = $1 ORDER BY seq DESC LIMIT 1",
                claim.record,
            ),
        )
        return (_head(rows[0]) if rows else None), (_output_head(outputs[0]) if outputs else None)

    async def _past(
        self, found: Row, stored: tuple[Head | None, OutputHead | None], claim: TableClaim, signer: RecordSigner
    ) -> PastVerdict:
        head = _head(found)
        signed = None
        if head is not None and found["signature"]:
            signed = RecordSignature(head, _output_head(found), found["signer"], found["signature"])
        past = judge_record_past(signed, *stored, signer)
        if past.state == "adopted":  # no version has stored here without a signature
            return PastVerdict("set_aside", "its signature is gone")
        if past.state != "signed":
            return past
        newest = await self._read(
            claim,
            "SELECT seq, hash, body FROM output WHERE record = $1 ORDER BY seq DESC LIMIT $2",
            claim.record, CHECKED_OUTPUTS,
        )  # fmt: skip
        return broken_chain((row["seq"], row["hash"], row["body"]) for row in newest) or past

    def _held(self, found: Sequence[Row], claim: TableClaim) -> None:
        if not found:
            self._book.drop(claim)
            raise JournalFencedError(f"{claim.table}: another judge owns the table since term {claim.term}")

    def _verify(self, found: Iterable[tuple[str, bytes]]) -> None:
        if any(digest(body) != held for held, body in found):
            raise JournalDamagedError(f"{self.name}: a stored row is not what was written")


def _resume(claim: TableClaim, found: Row) -> None:
    claim.record, claim.ord, claim.published = found["record"], found["ord"], found["published"]
    claim.head, claim.outputs, claim.is_resumed = _head(found), _output_head(found), True


def _fence(claim: TableClaim) -> tuple[str, int, str]:
    return claim.table, claim.term, claim.run


def _head(row: Row) -> Head | None:
    if row["epoch"] is None:
        return None
    return Head(at=Position(epoch=row["epoch"], number=row["number"]), hash=row["hash"])


def _output_head(row: Row) -> OutputHead | None:
    return OutputHead(row["seq"], row["outputhash"]) if row["seq"] else None


def _outputs(found: Iterable[Row]) -> list[StoredOutput]:
    return [
        StoredOutput(
            row["seq"], Position(epoch=row["epoch"], number=row["number"]), row["idx"], row["hash"], row["topic"],
            row["body"],
        )
        for row in found
    ]  # fmt: skip
