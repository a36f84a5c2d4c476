"""Witnesses of a record: signed heads that were kept elsewhere, and what each witness of a verification proves.

A file can prove that it is complete in itself; that it is the newest one, only somebody else can know. The broker
retains the log's head, signed, and any machine that stores those messages becomes a witness against the disks of the
table, without a key and without trust in that machine: it can forget, and it cannot invent.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError, JudgeEvidence, LogEvidence
from pitwarden.audit.verify import OutsideWitnesses
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import LogHead


def read_witnesses(head: Path | None, files: Sequence[Path]) -> list[tuple[str, LogHead]]:
    """Return the heads in `head` (one message) and in `files` (a message a line), each with its source in words.

    Raises:
        AuditError: A file cannot be read, or holds something else.
    """
    found = [] if head is None else [(f"the broker's retained head ({head})", _parsed(head, _read(head), ""))]
    for path in files:
        lines = [(number, line) for number, line in enumerate(_read(path).splitlines(), 1) if line.strip()]
        if not lines:
            raise AuditError(f"{path}: holds no head, so it is no witness. It takes the messages of `head`, one a line")
        found += [(f"{path} line {number}", _parsed(path, line, f" line {number}")) for number, line in lines]
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AuditError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(path: Path, line: bytes, where: str) -> LogHead:
    try:
        return decode(LogHead, line)
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
    if not outside.heads:
        yield (
            "witness elsewhere: none was given, so a rollback of both files to a state that was once signed cannot be"
            " seen; give --head or --witness"
        )
        return
    newest = outside.heads[-1][1]
    at = f"{newest.at.epoch}/{newest.at.number}"
    yield f"witness elsewhere: {len(outside.heads)} signed heads; the last proves that the log once reached row {at}"
