"""Verification of each journal by itself, against its signatures, and against the other journal."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pitwarden.audit.chains import AuditFinding, AuditScope, ChainWalker, verify_outputs
from pitwarden.audit.evidence import EvidenceRow, JudgeEvidence, LogEvidence
from pitwarden.journal.records import Checkpoint
from pitwarden_client.events.base import Position
from pitwarden_client.events.status import LogHead
from pitwarden_client.events.table import Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import CheckpointMark, verify_checkpoint


@dataclass
class VerificationReport:
    """Extent and findings of a verification. `unsigned`: rows at the log's end that no signature covers yet."""

    rows: int = 0
    judged: int = 0
    outputs: int = 0
    unsigned: int = 0
    findings: list[AuditFinding] = field(default_factory=list)


def verify_journals(
    whose: AuditScope, log: LogEvidence | None, judge: JudgeEvidence | None, head: LogHead | None = None
) -> VerificationReport:
    """Verify the journals that are given, each by itself and against the other.

    Args:
        whose: Expected table and its keys.
        log: Journal of the field half, or None.
        judge: Journal of the judge, or None.
        head: Retained head of the log, as the broker has it, or None.
    """
    report = VerificationReport()
    log_end: EvidenceRow | None = None
    if log is not None:
        report.findings.extend(_damage("log", log.damage()))
        start = next((c.head for c in log.checkpoints() if c.mark == "trimmed"), None)
        chain = ChainWalker("log", whose, log, start)
        report.findings.extend(chain.findings_in(log.rows()))
        report.rows, log_end = chain.count, chain.last
        if not _is_another_table(report):
            report.findings.extend(_against_signatures(whose, log, log_end, head))
            report.unsigned = _unsigned(log, log_end)
    if judge is not None:
        report.findings.extend(_damage("judge", judge.damage()))
        _judge(report, whose, judge)
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


def _judge(report: VerificationReport, whose: AuditScope, judge: JudgeEvidence) -> None:
    tables = judge.tables()
    if tables and whose.key not in tables:
        report.findings.append(AuditFinding("other_table", "judge", f"it judged {', '.join(tables)}, not {whose.key}"))
        return
    trimmed = judge.trimmed(whose.key)
    if trimmed is not None and whose.judge is not None:
        signed = (trimmed.signer, trimmed.signature)
        own = replace(whose, trusted=(whose.judge,))
        report.findings.extend(_signed(own, trimmed.head, "trimmed", signed, "the judge's checkpoint"))
    chain = ChainWalker("judge", whose, judge, None if trimmed is None else trimmed.head)
    report.findings.extend(chain.findings_in(judge.rows(whose.key)))
    report.judged = chain.count
    position = judge.position(whose.key)
    if position is not None and (chain.last is None or chain.last.at != position.at):
        ends = "nothing" if chain.last is None else _text(chain.last.at)
        why = f"its position is row {_text(position.at)}, and its last row is {ends}"
        report.findings.append(AuditFinding("tail_cut", "judge", why))
    report.outputs, broken = verify_outputs(judge, whose)
    report.findings.extend(broken)


def _against_signatures(
    whose: AuditScope, log: LogEvidence, end: EvidenceRow | None, head: LogHead | None
) -> Iterator[AuditFinding]:
    for checkpoint in log.checkpoints():
        yield from _checkpoint(whose, log, end, checkpoint)
    beyond = [name for name, place in log.stored_by_consumers().items() if place > _place(log, end)]
    if beyond:
        yield AuditFinding("tail_cut", "log", f"{', '.join(beyond)} had stored rows behind its last one")
    if head is not None:
        told = Head(at=head.at, hash=head.hash)
        signed = (head.signer or "", head.signature or "")
        yield from _signed(whose, told, "head", signed, "the retained head")
        if not beyond:
            yield from _held(log, end, told, "the broker retains its head")


def _checkpoint(
    whose: AuditScope, log: LogEvidence, end: EvidenceRow | None, checkpoint: Checkpoint
) -> Iterator[AuditFinding]:
    mark = _mark(checkpoint.mark)
    forged = list(_signed(whose, checkpoint.head, mark, (checkpoint.signer, checkpoint.signature), "a checkpoint"))
    yield from forged
    if forged or mark == "trimmed":
        return
    at = checkpoint.head.at
    held = log.hash_at(at)
    if held is None and checkpoint.place > _place(log, end):
        yield AuditFinding("tail_cut", "log", f"a signed checkpoint says that row {_text(at)} was there")
    elif held is not None and held != checkpoint.head.hash:
        yield AuditFinding("rewritten", f"log row {_text(at)}", "a signed checkpoint gives it another hash")
    if mark == "closed":
        after = Position(epoch=at.epoch, number=at.number + 1)
        if log.hash_at(after) is not None:
            why = f"the epoch was closed, signed, at row {_text(at)}"
            yield AuditFinding("row_appended", f"log row {_text(after)}", why)


def _signed(
    whose: AuditScope, head: Head, mark: CheckpointMark, signed: tuple[str, str], what: str
) -> Iterator[AuditFinding]:
    try:
        verify_checkpoint(signed, whose.scope(head.at.epoch), head, mark, whose.trusted)
    except SealUnreadableError as error:
        yield AuditFinding("forged", f"{what} at row {_text(head.at)}", str(error))


def _held(log: LogEvidence, end: EvidenceRow | None, told: Head, who: str) -> Iterator[AuditFinding]:
    """Yield a finding unless the log still contains `told`, which was in it before."""
    held = log.hash_at(told.at)
    if held is None and not _was_trimmed(log, told.at):
        ends = "nothing" if end is None else f"row {_text(end.at)}"
        yield AuditFinding("older_copy", "log", f"{who} at row {_text(told.at)}, and this file ends with {ends}")
    elif held not in (None, told.hash):
        yield AuditFinding("halves_differ", f"log row {_text(told.at)}", f"{who} there with another hash")


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
        yield from _held(log, end, Head(at=reached.at, hash=reached.hash), "the judge has stored it up to and stands")
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


def _unsigned(log: LogEvidence, end: EvidenceRow | None) -> int:
    signed = max((c.place for c in log.checkpoints()), default=0)
    return max(0, _place(log, end) - signed)


def _was_trimmed(log: LogEvidence, at: Position) -> bool:
    """Return whether row `at` may be among the trimmed ones: its epoch began before the first stored row."""
    trimmed = next((c.head.at for c in log.checkpoints() if c.mark == "trimmed"), None)
    if trimmed is None:
        return False
    if trimmed.epoch == at.epoch:
        return at.number <= trimmed.number
    return not any(row.at.epoch == at.epoch for row in log.rows())


def _mark(text: str) -> CheckpointMark:
    return "closed" if text == "closed" else "trimmed" if text == "trimmed" else "head"


def _text(at: Position) -> str:
    return f"{at.epoch}/{at.number}"


def _once_each(findings: list[AuditFinding]) -> list[AuditFinding]:
    return list(dict.fromkeys(findings))
