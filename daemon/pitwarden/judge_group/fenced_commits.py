"""Group commit into the database of a group: one statement, one transaction, one round trip for all waiting tables.

The statement first moves the position of each table, where its term, its run and its old position are still the ones
that this process knows. Only the rows of tables whose position moved are stored, so a table that was lost drops out
alone. A number is stored once because a position moves once.

When the connection is lost, it is not known whether the statement was executed. The caller tries again; a position that
is already the new one, under the same term and run, means that it was.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden.journal.errors import (
    JournalError,
    JournalFencedError,
    JournalOrderError,
    JournalUnreachableError,
)
from pitwarden.journal.judge_retention import KEY_ROW
from pitwarden.journal.records import OutputHead, ReceivedRow, RecordSignature, StoredOutput
from pitwarden.judge_group.claims import ClaimBook, TableClaim
from pitwarden.judge_group.postgresql import DatabaseSession
from pitwarden_client.events.table import Head

MOST_TABLES: Final = 200  # in one transaction, to bound its duration
_COMMIT: Final = """
WITH n AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[],
    $7::bigint[], $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::bigint[])
    AS n(tbl, term, run, before, ord, epoch, number, hash, seq, outputhash, signer, signature, published)),
mine AS (UPDATE place p SET ord = n.ord, epoch = n.epoch, number = n.number, hash = n.hash, seq = n.seq,
    outputhash = n.outputhash, signer = n.signer, signature = n.signature,
    published = greatest(p.published, n.published), rules = $31, version = $32
  FROM n WHERE p.tbl = n.tbl AND p.term = n.term AND p.run = n.run AND p.ord = n.before
  RETURNING p.tbl, p.record, p.term),
r AS (INSERT INTO received (record, ord, epoch, number, hash, damaged, announces, body, term)
  SELECT m.record, r.ord, r.epoch, r.number, r.hash, r.damaged, r.announces, r.body, m.term
  FROM unnest($14::text[], $15::bigint[], $16::text[], $17::bigint[], $18::text[], $19::boolean[], $20::boolean[],
    $21::bytea[]) AS r(tbl, ord, epoch, number, hash, damaged, announces, body) JOIN mine m USING (tbl)
  RETURNING record, ord, epoch),
f AS (INSERT INTO followed (record, epoch, ord) SELECT record, epoch, min(ord) FROM r GROUP BY record, epoch
  ON CONFLICT DO NOTHING),
o AS (INSERT INTO output (record, seq, ord, epoch, number, idx, hash, topic, body)
  SELECT m.record, o.seq, o.ord, o.epoch, o.number, o.idx, o.hash, o.topic, o.body
  FROM unnest($22::text[], $23::bigint[], $24::bigint[], $25::text[], $26::bigint[], $27::int[], $28::text[],
    $29::text[], $30::bytea[]) AS o(tbl, seq, ord, epoch, number, idx, hash, topic, body) JOIN mine m USING (tbl))
SELECT tbl FROM mine
"""
_FOUND: Final = "SELECT tbl, term, run, ord, hash FROM place WHERE tbl = ANY($1::text[])"


@dataclass(frozen=True, slots=True)
class FencedWrite:
    """Rows of one table to commit, the outputs that they caused, and the signed end of the record after them."""

    claim: TableClaim
    rows: Sequence[ReceivedRow]
    outputs: Sequence[StoredOutput]
    head: Head
    last: OutputHead | None
    signed: RecordSignature | None

    @property
    def ord(self) -> int:
        """Position of the record after this write."""
        return self.claim.ord + len(self.rows)


class FencedCommits:
    """Commits of all tables of this process. What arrives while one is under way is committed with the next."""

    def __init__(self, session: DatabaseSession, book: ClaimBook, versions: tuple[str, str]) -> None:
        """Bind the database; `versions` are the rules version and the version of pitwarden that judge here."""
        self._session, self._book, self._versions = session, book, versions
        self._waiting: deque[tuple[FencedWrite, asyncio.Future[None]]] = deque()
        self._working: asyncio.Task[None] | None = None

    def run(self, write: FencedWrite) -> "asyncio.Future[None]":
        """Commit `write`. The future ends once it is stored, or with the JournalError that applies."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((write, done))
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._work(), name="group commits")
        return done

    async def idle(self) -> None:
        """Return once no commit is under way."""
        if self._working is not None:
            await asyncio.wait({self._working})

    async def _work(self) -> None:
        while self._waiting:
            group = self._next_group()
            results = await self._commit([write for write, _ in group])
            for (write, done), error in zip(group, results, strict=True):
                if error is None:
                    _advance(write)
                elif isinstance(error, JournalFencedError):
                    self._book.drop(write.claim)
                if done.done():
                    continue
                if error is None:
                    done.set_result(None)
                else:
                    done.set_exception(error)

    def _next_group(self) -> list[tuple[FencedWrite, "asyncio.Future[None]"]]:
        """Remove and return the waiting writes, one of each table: its next one continues it."""
        group: dict[str, tuple[FencedWrite, asyncio.Future[None]]] = {}
        left: deque[tuple[FencedWrite, asyncio.Future[None]]] = deque()
        while self._waiting:
            item = self._waiting.popleft()
            table = item[0].claim.table
            if table in group or len(group) >= MOST_TABLES:
                left.append(item)
            else:
                group[table] = item
        self._waiting = left
        return list(group.values())

    async def _commit(self, writes: list[FencedWrite]) -> list[JournalError | None]:
        if self._book.is_lapsed:
            return [JournalUnreachableError(f"{self._session.settings.name}: the lease has ended")] * len(writes)
        current = [write for write in writes if write.claim.is_current]
        terms = {write.claim.table: write.claim.term for write in current}
        try:
            stored = await self._execute(current) if current else set[str]()
        except JournalOrderError as error:
            if len(writes) == 1:
                return [error]
            # Another table's contradiction must not prevent this one's commit.
            return [(await self._commit([write]))[0] for write in writes]
        except JournalError as error:
            return [error] * len(writes)
        return [
            None
            if write.claim.table in stored
            # The lease ended meanwhile, and the table continues under another term.
            else (await self._commit([write]))[0]
            if write.claim.is_current and write.claim.term != terms[write.claim.table]
            else _fenced(write)
            for write in writes
        ]

    async def _execute(self, writes: list[FencedWrite]) -> set[str]:
        """Execute the statement, and return the tables whose writes are stored."""
        rules, version = self._versions
        columns = [*_heads(writes), *_rows(writes), *_outputs(writes)]
        found = await self._session.fetch(_COMMIT, *columns, rules, version)
        stored: set[str] = {row["tbl"] for row in found}
        missing = {write.claim.table: write for write in writes if write.claim.table not in stored}
        if missing:
            # Stored by an attempt whose answer was lost, or lost to another judge.
            for row in await self._session.fetch(_FOUND, list(missing)):
                write = missing[row["tbl"]]
                wanted = (write.claim.term, write.claim.run, write.ord, write.head.hash)
                if (row["term"], row["run"], row["ord"], row["hash"]) == wanted:
                    stored.add(row["tbl"])
        return stored


def _advance(write: FencedWrite) -> None:
    write.claim.ord, write.claim.head, write.claim.outputs = write.ord, write.head, write.last


def _fenced(write: FencedWrite) -> JournalFencedError:
    claim = write.claim
    return JournalFencedError(
        f"{claim.table}: another judge owns the table, or continued its record, since term {claim.term}"
    )


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    return [[row[at] for row in rows] for at in range(width)]


def _heads(writes: Sequence[FencedWrite]) -> list[list[object]]:
    return _columns(
        [
            (
                write.claim.table, write.claim.term, write.claim.run, write.claim.ord, write.ord,
                write.head.at.epoch, write.head.at.number, write.head.hash,
                0 if write.last is None else write.last.seq, None if write.last is None else write.last.hash,
                "" if write.signed is None else write.signed.signer,
                "" if write.signed is None else write.signed.signature, write.claim.published,
            )
            for write in writes
        ],
        13,
    )  # fmt: skip


def _rows(writes: Sequence[FencedWrite]) -> list[list[object]]:
    return _columns(
        [
            (write.claim.table, ord_, row.at.epoch, row.at.number, row.hash, row.damaged, KEY_ROW in row.body, row.body)
            for write in writes
            for ord_, row in enumerate(write.rows, write.claim.ord + 1)
        ],
        8,
    )


def _outputs(writes: Sequence[FencedWrite]) -> list[list[object]]:
    """Return the columns of the outputs. Each stands at the position of the row that caused it."""
    made: list[tuple[object, ...]] = []
    for write in writes:
        ords = {row.at: ord_ for ord_, row in enumerate(write.rows, write.claim.ord + 1)}
        made += [
            (write.claim.table, one.seq, ords[one.cause], one.cause.epoch, one.cause.number, one.index, one.hash,
             one.topic, one.body)
            for one in write.outputs
        ]  # fmt: skip
    return _columns(made, 9)
