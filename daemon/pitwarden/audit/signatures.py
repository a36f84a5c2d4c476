"""What the signatures of both journals prove, and what nobody has signed.

Each commit is signed where it ends. So a row or an output behind the last signature was not committed by the service,
whatever the marks beside it say. Versions up to 0.2 signed the log once a second and the judge's record not at all:
their rows are told apart by the openings of their epochs.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pitwarden.audit.chains import AuditFinding, AuditScope, SeenOpening
from pitwarden.audit.evidence import EvidenceRow, JudgeEvidence, LogEvidence
from pitwarden.journal.records import OutputHead, RecordSignature
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import GENESIS, LogEvent
from pitwarden_client.events.status import LogHead, RecordHead
from pitwarden_client.events.table import Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import CheckpointMark, verify_checkpoint, verify_record

# Milliseconds of log time that a version which signed once a second may leave without a signature when it is killed. A
# slow disk takes longer than the second, and five seconds is more than the watchdog allows.
UNSIGNED_MS: Final = 5_000


def signed_head(
    whose: AuditScope, head: Head, mark: CheckpointMark, signed: tuple[str, str], what: str
) -> Iterator[AuditFinding]:
    """Yield a finding unless one of the trusted keys of `whose` has signed `head`; `what` names the statement."""
    try:
        verify_checkpoint(signed, whose.scope(head.at.epoch), head, mark, whose.trusted)
    except SealUnreadableError as error:
        yield AuditFinding("forged", f"{what} at row {_text(head.at)}", str(error))


def unsigned_rows(log: LogEvidence, openings: Sequence[SeenOpening], *, in_place: bool) -> Iterator[AuditFinding]:
    """Yield findings about the end of a log: rows that nobody signed, and a closing mark that is missing.

    Args:
        log: Journal of the field half.
        openings: Openings of its epochs.
        in_place: Whether the file is the table's own, where an orderly close leaves no write-ahead log.
    """
    marks = log.checkpoints()
    newest = _signed_place(log)
    behind = list(log.rows(newest))
    each_commit = any(opening.past is not None for opening in openings)
    if behind and (each_commit or _span_ms(log, newest, behind[-1]) > UNSIGNED_MS):
        first, last = _text(behind[0].at), _text(behind[-1].at)
        known = next((f"row {_text(mark.head.at)}" for mark in marks if mark.place == newest), "none of these rows")
        why = f"{len(behind)} rows, to {last}, stand behind the newest signature, which is for {known}"
        yield AuditFinding("unsigned", f"log row {first}", why)
    closed = any(mark.mark == "closed" and mark.place == newest for mark in marks)
    if not behind and each_commit and in_place and log.closed_in_order and not closed:
        for head in (mark.head for mark in marks if mark.place == newest and mark.mark == "head"):
            why = "the newest mark says only that the log got there"
            yield AuditFinding("not_closed", f"log row {_text(head.at)}", why)


def unsigned_count(log: LogEvidence) -> int:
    """Return how many rows at the log's end no signature covers."""
    return sum(1 for _ in log.rows(_signed_place(log)))


def _signed_place(log: LogEvidence) -> int:
    """Return the place of the newest signed row, by the row itself: the place beside a signature is not signed."""
    marks = log.checkpoints()
    found = [place for mark in marks if (place := log.place_of(mark.head)) is not None]
    return max(found, default=max((mark.place for mark in marks if mark.mark == "trimmed"), default=0))


def _span_ms(log: LogEvidence, signed: int, last: EvidenceRow) -> int:
    first = next(iter(log.rows(max(0, signed - 1))), last)
    try:
        return decode(LogEvent, last.body).logms - decode(LogEvent, first.body).logms
    except BadPayloadError:
        return UNSIGNED_MS + 1


def doubtful_pasts(openings: Sequence[SeenOpening]) -> Iterator[AuditFinding]:
    """Yield a finding for each epoch that did not begin on a signed and closed past, by its own opening."""
    for opening in openings:
        where = f"log row {_text(opening.at)}"
        if opening.past == "set_aside":
            yield AuditFinding("set_aside", where, "the epoch has no parent; the old file is kept beside the journal")
        elif opening.past == "not_closed":
            yield AuditFinding("not_closed", where, "the service said so when it opened this epoch")


def record_findings(whose: AuditScope, judge: JudgeEvidence, announced: Collection[str]) -> Iterator[AuditFinding]:
    """Yield findings about the signed end of a judge's record.

    Args:
        whose: Expected table, and the judge's keys where they can be read.
        judge: Journal of the judge.
        announced: Keys that the log announces for these signatures; empty for a log of older versions.
    """
    keys = whose.judge_keys(announced)
    for kept in judge.set_aside(whose.key):
        count = sum(1 for _ in judge.outputs(kept))
        yield AuditFinding("set_aside", "judge", f"a record with {count} outputs is kept in this file as {kept}")
    signed = judge.signature(whose.key)
    if signed is None:
        if announced:
            yield AuditFinding("unsigned", "judge", "this judge signs its record, and no signature is here")
        return
    if keys:
        try:
            verify_record(
                (signed.signer, signed.signature), whose.scope(signed.head.at.epoch), signed.head,
                _outputs(signed.outputs), keys,
            )  # fmt: skip
        except SealUnreadableError as error:
            yield AuditFinding("forged", f"the judge's signature at row {_text(signed.head.at)}", str(error))
            return
    yield from _against_record(whose, judge, signed)


def _against_record(whose: AuditScope, judge: JudgeEvidence, signed: RecordSignature) -> Iterator[AuditFinding]:
    last = max((output.seq for output in judge.outputs(whose.key)), default=0)
    number, held = _outputs(signed.outputs)
    if last > number:
        why = f"outputs up to {last} stand behind the newest signature, which is for output {number}"
        yield AuditFinding("unsigned", f"judge output {number + 1}", why)
    elif number:
        found = judge.output_hash(whose.key, number)
        if found is None:
            yield AuditFinding("tail_cut", "judge outputs", f"output {number} was signed, and the last one is {last}")
        elif found != held:
            yield AuditFinding("rewritten", f"judge output {number}", "the judge signed it with another hash")
    at = signed.head.at
    stored, position = judge.hash_at(whose.key, at), judge.position(whose.key)
    if stored not in (None, signed.head.hash):
        yield AuditFinding("rewritten", f"judge row {_text(at)}", "the judge signed it with another hash")
    if position is not None and _before(position.at, at):
        yield AuditFinding("tail_cut", "judge", f"it signed that it had judged row {_text(at)}, and stands before it")


def witnessed(
    log: LogEvidence, end: EvidenceRow | None, told: Head, who: str, *, followed: bool = False
) -> Iterator[AuditFinding]:
    """Yield a finding unless the log still contains `told`, which was in it before, as `who` knows.

    `followed`: `who` also knows a later row that the log contains.
    """
    held = log.hash_at(told.at)
    if held is None and not _may_be_trimmed(_trimmed_up_to(log), told.at, followed=followed):
        ends = "nothing" if end is None else f"row {_text(end.at)}"
        yield AuditFinding("older_copy", "log", f"{who} at row {_text(told.at)}, and this file ends with {ends}")
    elif held not in (None, told.hash):
        yield AuditFinding("halves_differ", f"log row {_text(told.at)}", f"{who} there with another hash")


def by_witness(
    whose: AuditScope, log: LogEvidence, end: EvidenceRow | None, heads: Sequence[tuple[str, LogHead]]
) -> Iterator[AuditFinding]:
    """Yield findings from signed heads that were kept elsewhere, oldest first; each has the words for its source."""
    known = [log.hash_at(head.at) is not None for _, head in heads]
    for index, (source, head) in enumerate(heads):
        told = Head(at=head.at, hash=head.hash)
        forged = list(signed_head(whose, told, "head", (head.signer or "", head.signature or ""), source))
        yield from forged
        if not forged:
            yield from witnessed(log, end, told, f"{source} states its head", followed=any(known[index:]))


def by_record_witness(
    whose: AuditScope, judge: JudgeEvidence, records: Sequence[tuple[str, RecordHead]], keys: Collection[str]
) -> Iterator[AuditFinding]:
    """Yield findings from signed ends of the judge's record that were kept elsewhere.

    Args:
        whose: Expected table.
        judge: Journal of the judge.
        records: The ends, each with the words for where it comes from.
        keys: Keys of the judge that verify them.
    """
    stored = [output.seq for output in judge.outputs(whose.key)]
    trimmed = judge.trimmed(whose.key)
    boundary = None if trimmed is None else trimmed.head.at
    known = [judge.hash_at(whose.key, told.at) for _, told in records]
    for index, (source, told) in enumerate(records):
        held = known[index]
        # A key that signed before the oldest row kept may be unknown: its row was trimmed.
        if held is None and _may_be_trimmed(boundary, told.at, followed=any(known[index:])):
            continue
        outputs = (told.output, told.outputhash)
        head = Head(at=told.at, hash=told.hash)
        try:
            verify_record((told.signer, told.signature), whose.scope(told.at.epoch), head, outputs, keys)
        except SealUnreadableError as error:
            yield AuditFinding("forged", f"{source} at row {_text(told.at)}", str(error))
            continue
        if held is None:
            why = f"{source} states that it had judged row {_text(told.at)}, and this file has no such row"
            yield AuditFinding("older_copy", "judge", why)
        elif held != told.hash:
            yield AuditFinding("rewritten", f"judge row {_text(told.at)}", f"{source} has it with another hash")
        if told.output:
            yield from _output_witnessed(judge.output_hash(whose.key, told.output), told, source, stored)


def _output_witnessed(held: str | None, told: RecordHead, source: str, stored: Sequence[int]) -> Iterator[AuditFinding]:
    if held is None and not (stored and told.output < stored[0]):
        last = stored[-1] if stored else 0
        why = f"{source} states that output {told.output} was there, and the last one is {last}"
        yield AuditFinding("older_copy", "judge outputs", why)
    elif held not in (None, told.outputhash):
        yield AuditFinding("rewritten", f"judge output {told.output}", f"{source} has it with another hash")


def _trimmed_up_to(log: LogEvidence) -> Position | None:
    return next((checkpoint.head.at for checkpoint in log.checkpoints() if checkpoint.mark == "trimmed"), None)


def _may_be_trimmed(boundary: Position | None, at: Position, *, followed: bool) -> bool:
    """Return whether row `at`, which is not stored, may be among the trimmed rows up to `boundary`.

    A row of another epoch is older than the stored rows only if the same source knows a stored row that came later.
    Otherwise the file may be an older copy, which lacks the newest epochs.
    """
    if boundary is None:
        return False
    return at.number <= boundary.number if boundary.epoch == at.epoch else followed


def _before(one: Position, other: Position) -> bool:
    return one.epoch == other.epoch and one.number < other.number


def _outputs(last: OutputHead | None) -> tuple[int, str]:
    return (0, GENESIS) if last is None else (last.seq, last.hash)


def _text(at: Position) -> str:
    return f"{at.epoch}/{at.number}"
