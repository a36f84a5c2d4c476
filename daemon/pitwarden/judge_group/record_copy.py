"""Copies of one table's record between a database of a group and a file of SQLite.

A copy from the database is evidence, which `pitwarden journal` verifies, replays and exports. A copy into the database
lets a table that one judge served join a group with its record, and with the signed end of it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pitwarden.journal.errors import JournalError, JournalOrderError
from pitwarden.journal.judge_store import JudgeStore
from pitwarden.journal.records import OutputHead, ReceivedRow, RecordSignature, StoredOutput
from pitwarden.journal.stored_signatures import put_record_signature, record_signature
from pitwarden.judge_group.claims import ClaimBook
from pitwarden.judge_group.directory import GroupDirectory, MemberFacts
from pitwarden.judge_group.group_record import GroupRecord
from pitwarden.judge_group.postgresql import DatabaseSession, Row
from pitwarden_client.events.base import Position
from pitwarden_client.events.table import Head

PAGE: Final = 500
"""Rows that are copied at a time, to bound the memory of a copy."""
LEASE_S: Final = 600.0
"""Lease under which a record is copied into the database; it is given back at the end."""
META: Final = ("distrust", "trimmed", "written_by")
_PLACE: Final = """
SELECT record, ord, epoch, number, hash, seq, outputhash, signer, signature, published FROM place WHERE tbl = $1
"""
_ROWS: Final = """
SELECT ord, epoch, number, hash, body, damaged FROM received WHERE record = $1 AND ord > $2 AND ord <= $3
  ORDER BY ord LIMIT $4
"""
_OUTPUTS: Final = """
SELECT seq, epoch, number, idx, hash, topic, body FROM output WHERE record = $1 AND ord > $2 AND ord <= $3 ORDER BY seq
"""


@dataclass(frozen=True, slots=True)
class CopiedRecord:
    """Numbers of copied rows and outputs."""

    rows: int
    outputs: int


async def export_record(session: DatabaseSession, table: str, path: Path) -> CopiedRecord:
    """Copy the record of `table`, as of one commit, into a new file at `path`.

    Raises:
        JournalOrderError: The database has no record of the table.
        JournalError: It cannot be read, or the file cannot be written.
    """
    places = await session.fetch(_PLACE, table)
    if not places or places[0]["epoch"] is None:
        raise JournalOrderError(f"{session.settings.name}: it has no record of {table}")
    place, rows, outputs, at = places[0], 0, 0, 0
    store = JudgeStore(path)
    try:
        while page := await session.fetch(_ROWS, place["record"], at, place["ord"], PAGE):
            last = page[-1]
            # Outputs of trimmed rows, which are kept for the chain, come with the first page.
            said = await session.fetch(_OUTPUTS, place["record"], at, last["ord"])
            store.store(table, [_row(row) for row in page], [_output(row) for row in said], _head(last))
            rows, outputs, at = rows + len(page), outputs + len(said), last["ord"]
        end = OutputHead(place["seq"], place["outputhash"]) if place["seq"] else None
        with store.database.transaction() as sql:
            signed = RecordSignature(_head(place), end, place["signer"], place["signature"])
            put_record_signature(sql, table, signed)
            store.set_published(table, place["published"])
        for row in await session.fetch("SELECT name, value FROM meta WHERE record = $1", place["record"]):
            store.set_meta(table, row["name"], row["value"])
    finally:
        store.close()
    return CopiedRecord(rows, outputs)


class _StoredSigner:
    """Signer that repeats the signature with which the record ends in its file."""

    def __init__(self, end: RecordSignature) -> None:
        self._end = end

    def sign(self, head: Head, outputs: OutputHead | None) -> RecordSignature:
        return RecordSignature(head, outputs, self._end.signer, self._end.signature)

    def is_valid(self, signed: RecordSignature) -> bool:  # noqa: ARG002  the interface's
        return True


async def import_record(session: DatabaseSession, table: str, path: Path, versions: tuple[str, str]) -> CopiedRecord:
    """Copy the record of `table` in the file at `path` into the database, in which it must have none.

    Args:
        session: Connection with the login of the judges.
        table: Name of the table, as `site/table`.
        path: Journal of the former judge, which must not run.
        versions: Rules version and version of pitwarden, as of a member.

    Raises:
        JournalOrderError: The file has no signed record of the table, or the database has one already.
        JournalError: One of both cannot be used.
    """
    directory, book = GroupDirectory(session, session), ClaimBook(lambda: 0.0)
    record, run = GroupRecord(session, session, book, versions), f"import of {table}"
    store = JudgeStore(path)
    try:
        with store.database.reading() as sql:
            end = record_signature(sql, table)
        if end is None:
            raise JournalOrderError(f"{path}: it has no signed record of {table}")
        await directory.enrol([table])
        await directory.renew(MemberFacts(run, "import", versions[1], versions[0], run, accepts=False), LEASE_S)
        claims = await directory.claim(run, list((await directory.survey([table])).values()))
        if not claims:
            raise JournalOrderError(f"{table}: a member of the group owns the table. Take its file from them first")
        book.claims[table] = claims[0]
        await record.resume(table)
        if claims[0].ord:
            raise JournalOrderError(f"{table}: the database has a record of the table already")
        await record.begin_signing(table, _StoredSigner(end))
        return await _filled(record, store, table)
    finally:
        store.close()
        await record.settle()
        await _given_back(directory, book, run)


async def _filled(record: GroupRecord, store: JudgeStore, table: str) -> CopiedRecord:
    """Copy rows and outputs in pages, then the marks."""
    rows = outputs = seq = 0
    at: Position | None = None
    while page := store.rows_after(table, at, PAGE):
        said = store.outputs_of(table, page[0].at, page[-1].at)
        if said:
            # Outputs of trimmed rows belong to no row any more: they stand at the first one.
            older = [each for each in store.outputs_after(table, seq, said[0].seq - seq) if each.seq < said[0].seq]
            said = [*(_moved(each, page[0]) for each in older), *said]
            seq = said[-1].seq
        await record.store(table, page, said, Head(at=page[-1].at, hash=page[-1].hash))
        rows, outputs, at = rows + len(page), outputs + len(said), page[-1].at
    await record.set_published(table, store.published(table))
    for name in META:
        value = store.meta(table, name)
        if value is not None:
            await record.set_meta(table, name, value)
    await record.finish(record.claim_of(table))
    return CopiedRecord(rows, outputs)


async def _given_back(directory: GroupDirectory, book: ClaimBook, run: str) -> None:
    for claim in book.drop_all():
        await directory.give_back(claim)
    try:
        await directory.leave([run])
    except JournalError:
        return  # its lease ends by itself


def _moved(output: StoredOutput, row: ReceivedRow) -> StoredOutput:
    return StoredOutput(output.seq, row.at, output.index, output.hash, output.topic, output.body)


def _row(row: Row) -> ReceivedRow:
    return ReceivedRow(
        Position(epoch=row["epoch"], number=row["number"]), row["hash"], row["body"], damaged=row["damaged"]
    )


def _output(row: Row) -> StoredOutput:
    cause = Position(epoch=row["epoch"], number=row["number"])
    return StoredOutput(row["seq"], cause, row["idx"], row["hash"], row["topic"], row["body"])


def _head(row: Row) -> Head:
    return Head(at=Position(epoch=row["epoch"], number=row["number"]), hash=row["hash"])
