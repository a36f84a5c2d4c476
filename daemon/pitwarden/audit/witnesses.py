"""Witnesses of a record: signed heads that were kept elsewhere, and what each witness of a verification proves.

A file can prove that it is complete in itself; that it is the newest one, only somebody else can know. The broker
retains the log's head and the end of the judge's record, signed, and any machine that stores those messages becomes a
witness against the disks of the table, without a key and without trust in that machine: it can forget, and it cannot
invent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError, JudgeEvidence, LogEvidence
from pitwarden.audit.verify import OutsideWitnesses
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import LogHead, RecordHead


@dataclass(frozen=True, slots=True)
class KeptHeads:
    """Heads that were kept elsewhere, oldest first, each with its source in words."""

    heads: tuple[tuple[str, LogHead], ...]
    records: tuple[tuple[str, RecordHead], ...]


def read_witnesses(head: Path | None, files: Sequence[Path]) -> KeptHeads:
    """Return the heads in `head` (one message) and in `files` (a message of `head` or `record` a line).

    Raises:
        AuditError: A file cannot be read, or holds something else.
    """
    found = [] if head is None else [(f"the broker's retained head ({head})", _parsed(head, _read(head), ""))]
    for path in files:
        lines = [(number, line) for number, line in enumerate(_read(path).splitlines(), 1) if line.strip()]
        if not lines:
            raise AuditError(
                f"{path}: holds no head, so it is no witness. It takes the messages of `head` and `record`, one a line"
            )
        found += [(f"{path} line {number}", _parsed(path, line, f" line {number}")) for number, line in lines]
    return KeptHeads(
        tuple((source, told) for source, told in found if isinstance(told, LogHead)),
        tuple((source, told) for source, told in found if isinstance(told, RecordHead)),
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AuditError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(path: Path, line: bytes, where: str) -> LogHead | RecordHead:
    try:
        return decode(RecordHead, line) if b'"outputhash"' in line else decode(LogHead, line)
    except BadPayloadError as error:
        raise AuditError(f"{path}{where}: is no retained head: {error}") from None


def witness_sentences(
    whose: AuditScope, log: LogEvidence | None, judge: JudgeEvidence | None, outside: OutsideWitnesses
) -> Iterator[str]:
    """Yield which witnesses a verification had, and what each can prove."""
    if log is not None:
        yield f"witness field key: signed each commit of {log.path.name}; proves who wrote it, not that it is newest"
    if judge is not None:
        source = "read from the private key" if whose.judges else "as the log announces it"
        yield f"witness judge key ({source}): signed each commit of {judge.path.name}"
    if log is not None and judge is not None:
        yield "witness judge's copy: proves that the log lacks no row that was judged, unless both were rolled back"
    yield _log_sentence(outside)
    if judge is not None:
        yield _record_sentence(outside)


def _log_sentence(outside: OutsideWitnesses) -> str:
    if not outside.heads:
        return (
            "witness elsewhere: none was given, so a rollback of both files to a state that was once signed cannot be"
            " seen; give --head or --witness"
        )
    newest = outside.heads[-1][1]
    at = f"{newest.at.epoch}/{newest.at.number}"
    return f"witness elsewhere: {len(outside.heads)} signed heads; the last proves that the log once reached row {at}"


def _record_sentence(outside: OutsideWitnesses) -> str:
    if not outside.records:
        return (
            "witness elsewhere of the verdicts: none was given, so verdicts that the judge's own key wrote anew cannot"
            " be seen here; give --witness with the messages of `record`, or judge again with `journal replay`"
        )
    newest = outside.records[-1][1]
    return (
        f"witness elsewhere of the verdicts: {len(outside.records)} signed ends of the record; the last proves what"
        f" the judge had published up to output {newest.output}"
    )
