"""Verification of each journal by itself, against its signatures, the other journal, and witnesses elsewhere."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pitwarden.audit.chains import AuditFinding, AuditScope, ChainWalker, SeenOpening, verify_outputs
from pitwarden.audit.evidence import EvidenceRow, JudgeEvidence, LogEvidence
from pitwarden.audit.signatures import (
    by_record_witness,
    by_witness,
    doubtful_pasts,
    record_findings,
    signed_head,
    unsigned_count,
    unsigned_rows,
    witnessed,
)
from pitwarden.journal.records import Checkpoint
from pitwarden_client.events.base import Position
from pitwarden_client.events.status import LogHead, RecordHead
from pitwarden_client.events.table import Head


@dataclass
class VerificationReport:
    """Extent and findings of a verification. `unsigned`: rows at the log's end that no signature covers."""

    rows: int = 0
    judged: int = 0
    outputs: int = 0
    unsigned: int = 0
    adopted: list[Position] = field(default_factory=list)
    """Openings of the epochs that went on from rows which an older version had not signed."""
    findings: list[AuditFinding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OutsideWitnesses:
    """What is known besides the two journals.

    `heads` are signed heads of the log that were kept elsewhere, `records` signed ends of the judge's record, oldest
    first, each with the words for its source. `in_place` says that the journals are the table's own files, not copies.
    """

    heads: Sequence[tuple[str, LogHead]] = ()
    records: Sequence[tuple[str, RecordHead]] = ()
    in_place: bool = False


NO_WITNESSES = OutsideWitnesses()


def verify_journals(
    whose: AuditScope, log: LogEvidence | None, judge: JudgeEvidence | None, outside: OutsideWitnesses = NO_WITNESSES
) -> VerificationReport:
    """Verify the journals that are given, each by itself, against the other, and against what is known outside.

    Args:
        whose: Expected table and its keys.
        log: Journal of the field half, or None.
        judge: Journal of the judge, or None.
        outside: Heads of the log and of the judge's record that were kept elsewhere.
    """
    report = VerificationReport()
    log_end: EvidenceRow | None = None
    announced: set[str] = set()
    if log is not None:
        report.findings.extend(_damage("log", log.damage()))
        start = next((c.head for c in log.checkpoints() if c.mark == "trimmed"), None)
        chain = ChainWalker("log", whose, log, start, whole=True)
        report.findings.extend(chain.findings_in(log.rows()))
        report.rows, log_end, announced = chain.count, chain.last, chain.judges
        if not _is_another_table(report):
            report.findings.extend(_against_signatures(whose, log, log_end))
            report.findings.extend(by_witness(whose, log, log_end, outside.heads))
            _end_of_log(report, log, chain.openings, in_place=outside.in_place)
    if judge is not None:
        report.findings.extend(_damage("judge", judge.damage()))
        keys = _judge(report, whose, judge, announced)
        if not _is_another_table(report):
            report.findings.extend(by_record_witness(whose, judge, outside.records, keys))
        if log is not None and not _is_another_table(report):
            report.findings.extend(_against_each_other(whose, log, judge, log_end))
    # Several witnesses can prove the same change; the report names it once.
    report.findings = _once_each(report.findings)
    return report


def _is_another_table(report: VerificationReport) -> bool:
    return any(found.kind == "other_table" for found in report.findings)


def _damage(name: str, found: str) -> Iterator[AuditFinding]:
    if found:
        yield AuditFinding("file_damaged", f"the {name}'s file", found)


def _end_of_log(
    report: VerificationReport, log: LogEvidence, openings: Sequence[SeenOpening], *, in_place: bool
) -> None:
    report.findings.extend(doubtful_pasts(openings))
    report.findings.extend(unsigned_rows(log, openings, in_place=in_place))
    report.unsigned = unsigned_count(log)
    report.adopted = [opening.at for opening in openings if opening.past == "adopted"]


def _judge(report: VerificationReport, whose: AuditScope, judge: JudgeEvidence, announced: set[str]) -> Collection[str]:
    """Add what the judge's record alone proves, and return the keys that verify it."""
    tables = judge.tables()
    if tables and whose.key not in tables:
        report.findings.append(AuditFinding("other_table", "judge", f"it judged {', '.join(tables)}, not {whose.key}"))
        return whose.judge_keys(announced)
    trimmed = judge.trimmed(whose.key)
    chain = ChainWalker("judge", whose, judge, None if trimmed is None else trimmed.head)
    report.findings.extend(chain.findings_in(judge.rows(whose.key)))
    report.judged = chain.count
    position = judge.position(whose.key)
    if position is not None and (chain.last is None or chain.last.at != position.at):
        ends = "nothing" if chain.last is None else _text(chain.last.at)
        why = f"its position is row {_text(position.at)}, and its last row is {ends}"
        report.findings.append(AuditFinding("tail_cut", "judge", why))
    # The log's announcements are signed. A judge's copy alone is the second best source.
    names = announced or chain.judges
    keys = whose.judge_keys(names)
    if trimmed is not None and keys:
        signed, own = (trimmed.signer, trimmed.signature), replace(whose, trusted=keys)
        report.findings.extend(signed_head(own, trimmed.head, "trimmed", signed, "the judge's checkpoint"))
    report.outputs, broken = verify_outputs(judge, whose)
    report.findings.extend(broken)
    report.findings.extend(record_findings(whose, judge, names))
    return keys


def _against_signatures(whose: AuditScope, log: LogEvidence, end: EvidenceRow | None) -> Iterator[AuditFinding]:
    for checkpoint in log.checkpoints():
        yield from _checkpoint(whose, log, end, checkpoint)
    beyond = [name for name, place in log.stored_by_consumers().items() if place > _place(log, end)]
    if beyond:
        yield AuditFinding("tail_cut", "log", f"{', '.join(beyond)} had stored rows behind its last one")


def _checkpoint(
    whose: AuditScope, log: LogEvidence, end: EvidenceRow | None, checkpoint: Checkpoint
) -> Iterator[AuditFinding]:
    mark, at = checkpoint.mark, checkpoint.head.at
    signed = (checkpoint.signer, checkpoint.signature)
    forged = list(signed_head(whose, checkpoint.head, mark, signed, "a checkpoint"))
    yield from forged
    if forged or mark == "trimmed":
        return
    held = log.hash_at(at)
    if held is None and checkpoint.place > _place(log, end):
        yield AuditFinding("tail_cut", "log", f"a signed checkpoint says that row {_text(at)} was there")
    elif held is not None and held != checkpoint.head.hash:
        yield AuditFinding("rewritten", f"log row {_text(at)}", "a signed checkpoint gives it another hash")
    elif held is not None and log.place_of(checkpoint.head) != checkpoint.place:
        yield AuditFinding("forged", f"a checkpoint at row {_text(at)}", "it is filed at the place of another row")
    if mark == "closed":
        after = Position(epoch=at.epoch, number=at.number + 1)
        if log.hash_at(after) is not None:
            why = f"the epoch was closed, signed, at row {_text(at)}"
            yield AuditFinding("row_appended", f"log row {_text(after)}", why)


def _against_each_other(
    whose: AuditScope, log: LogEvidence, judge: JudgeEvidence, end: EvidenceRow | None
) -> Iterator[AuditFinding]:
    """Yield findings from the judge's copy as a second witness of the log, and the other way round."""
    cut = any(place > _place(log, end) for place in log.stored_by_consumers().values())
    reached: EvidenceRow | None = None
    for row in judge.rows(whose.key):
        reached = row
        held = log.hash_at(row.at)
        if held is not None and held != row.hash:
            why = "the judge stored other bytes under this number"
            yield AuditFinding("halves_differ", f"log row {_text(row.at)}", why)
            return
    if reached is not None and not cut:
        told = Head(at=reached.at, hash=reached.hash)
        yield from witnessed(log, end, told, "the judge has stored it up to and stands")
    stored = max(log.stored_by_consumers().values(), default=0)
    known = next((row for row in log.rows() if row.place == stored), None) if stored else None
    position = judge.position(whose.key)
    if known is not None and (position is None or not any(r.at == known.at for r in judge.rows(whose.key))):
        ends = "nothing" if position is None else f"row {_text(position.at)}"
        why = f"it had told the log that row {_text(known.at)} is stored, and this file ends with {ends}"
        yield AuditFinding("older_copy", "judge", why)


def _place(log: LogEvidence, end: EvidenceRow | None) -> int:
    if end is not None:
        return end.place
    return max((c.place for c in log.checkpoints() if c.mark == "trimmed"), default=0)


def _text(at: Position) -> str:
    return f"{at.epoch}/{at.number}"


def _once_each(findings: list[AuditFinding]) -> list[AuditFinding]:
    return list(dict.fromkeys(findings))
