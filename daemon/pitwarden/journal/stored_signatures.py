"""Signatures of both journals as they are stored: checkpoints of a log, and the signed end of a judge's record.

When something is signed, and what a start decides about the past, is in `signatures`. All calls block.

Threat: a person who can write the file: signatures are compared with the rows and outputs that they are for.
"""

import sqlite3
from collections.abc import Iterable
from itertools import count
from typing import Final

from pitwarden.journal.records import Checkpoint, OutputHead, RecordSignature, parse_mark
from pitwarden.journal.signatures import PastVerdict, RecordSigner, judge_record_past
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import GENESIS, LogEvent, OutputEvent
from pitwarden_client.events.table import EpochOpened, Head, JudgeAnnounced

CHECKED_OUTPUTS: Final = 1_000  # newest outputs whose chain each start of a judge checks
_ANNOUNCEMENTS: Final = 'SELECT body FROM received WHERE tbl = ? AND instr(body, \'"kind":"judge.announced"\') > 0'


def checkpoints(sql: sqlite3.Connection) -> list[Checkpoint]:
    """Return the signed checkpoints, oldest first."""
    found = sql.execute(
        "SELECT place, epoch, number, hash, mark, signer, signature FROM checkpoint ORDER BY place"
    ).fetchall()
    return [
        Checkpoint(place, Head(at=Position(epoch=epoch, number=number), hash=held), parse_mark(mark), signer, signature)
        for place, epoch, number, held, mark, signer, signature in found
    ]


def put_checkpoint(sql: sqlite3.Connection, checkpoint: Checkpoint, before: int | None = None) -> None:
    """Store a checkpoint. It replaces the previous one of its kind, unless it closes an epoch.

    Args:
        sql: Connection in a transaction.
        checkpoint: Checkpoint to store.
        before: Place of the one that it replaces; None to search for it.
    """
    # An epoch's end stays; of the others the newest suffices. By its key the previous one is found in a journal with
    # the ends of a thousand epochs as fast as in a new one.
    if before is not None:
        sql.execute("DELETE FROM checkpoint WHERE place = ? AND mark = ?", (before, checkpoint.mark))
    elif checkpoint.mark != "closed":
        sql.execute("DELETE FROM checkpoint WHERE mark = ?", (checkpoint.mark,))
    at = checkpoint.head.at
    sql.execute(
        "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?)",
        (checkpoint.place, at.epoch, at.number, checkpoint.head.hash, checkpoint.mark, checkpoint.signer,
         checkpoint.signature),
    )  # fmt: skip


def signs_each_commit(opening: bytes) -> bool:
    """Return whether the first row of an epoch states that each commit of the epoch is signed."""
    try:
        data = decode(LogEvent, opening).data
    except BadPayloadError:
        return False
    return isinstance(data, EpochOpened) and data.past is not None


def record_signature(sql: sqlite3.Connection, table: str) -> RecordSignature | None:
    """Return the signed end of the table's record; None for a record that no judge has signed."""
    found = sql.execute(
        "SELECT epoch, number, hash, seq, outputhash, signer, signature FROM signed WHERE tbl = ?", (table,)
    ).fetchone()
    if found is None:
        return None
    epoch, number, held, seq, output, signer, signature = found
    head = Head(at=Position(epoch=epoch, number=number), hash=held)
    return RecordSignature(head, OutputHead(seq, output) if seq else None, signer, signature)


def put_record_signature(sql: sqlite3.Connection, table: str, signed: RecordSignature) -> None:
    """Store the signed end of the table's record, in the place of the previous one."""
    at, last = signed.head.at, signed.outputs or OutputHead(0, GENESIS)
    sql.execute(
        "INSERT OR REPLACE INTO signed VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (table, at.epoch, at.number, signed.head.hash, last.seq, last.hash, signed.signer, signed.signature),
    )


SET_ASIDE: Final = "!unsigned-"
"""Text between the name of a table and a number: the name under which an unsigned record is kept. No table has it."""
_TABLES: Final = ("received", "output", "published", "position", "followed", "snapshot", "meta", "signed")


def set_aside_record(sql: sqlite3.Connection, table: str) -> str:
    """Keep what is stored of `table` under another name in the same file, and return that name."""
    taken = {name for (name,) in sql.execute("SELECT tbl FROM position UNION SELECT tbl FROM output")}
    kept = next(name for n in count(1) if (name := f"{table}{SET_ASIDE}{n}") not in taken)
    for each in _TABLES:
        sql.execute(f"UPDATE {each} SET tbl = ? WHERE tbl = ?", (kept, table))  # noqa: S608  names of this file
    return kept


def announced_signer(body: bytes) -> str | None:
    """Return the key that the judge announced in row `body` verifies its record with; None for any other row."""
    try:
        data = decode(LogEvent, body).data
    except BadPayloadError:
        return None
    return data.signer if isinstance(data, JudgeAnnounced) else None


def _prevhash(body: bytes) -> str:
    try:
        return decode(OutputEvent, body).prevhash
    except BadPayloadError:
        return ""


def record_past(
    sql: sqlite3.Connection, table: str, head: Head | None, outputs: OutputHead | None, signer: RecordSigner
) -> PastVerdict:
    """Decide whether a judge may continue what is stored of `table`, which ends with `head` and `outputs`."""
    past = judge_record_past(record_signature(sql, table), head, outputs, signer)
    if past.state == "adopted" and _has_signed(sql, table):
        return PastVerdict("set_aside", "its signature is gone")
    return (_broken_outputs(sql, table) or past) if past.state == "signed" else past


def _has_signed(sql: sqlite3.Connection, table: str) -> bool:
    """Return whether a stored row announces a judge that signs its record."""
    return any(announced_signer(body) for (body,) in sql.execute(_ANNOUNCEMENTS, (table,)))


def _broken_outputs(sql: sqlite3.Connection, table: str) -> PastVerdict | None:
    """Return why the newest outputs are not the chain that ends with the signed one; None when they are."""
    return broken_chain(
        sql.execute(
            "SELECT seq, hash, body FROM output WHERE tbl = ? ORDER BY seq DESC LIMIT ?", (table, CHECKED_OUTPUTS)
        )
    )


def broken_chain(newest_first: Iterable[tuple[int, str, bytes]]) -> PastVerdict | None:
    """Return why these outputs, each as number, stored hash and body, are no chain; None when they are one."""
    wanted: tuple[int, str] | None = None
    for seq, held, body in newest_first:
        if wanted not in (None, (seq, held)) or digest(body) != held:
            return PastVerdict("set_aside", f"output {seq} is not the one that the next one follows")
        wanted = (seq - 1, _prevhash(body))
    return None
