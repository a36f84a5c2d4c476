"""Signatures on what a journal commits, and the decision on the past that a start finds.

Every commit stores, in its own transaction, a signed statement of where the journal then ends. So no crash leaves a row
without a signature, and a row without one was not committed by the table. This file knows when something is signed;
with what is the caller's.

Threat: a person who can write the file and has no key, and lets the next start sign what that person wrote.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pitwarden.journal.records import Checkpoint, HeadMark, OutputHead, RecordSignature
from pitwarden_client.events.table import Head, PastState


class HeadSigner(Protocol):
    """Signer of a log's ends, with the key of its table."""

    def sign(self, place: int, head: Head, mark: HeadMark) -> Checkpoint:
        """Return the signed statement that the row at `place` is `head`, with the meaning of `mark`."""
        ...

    def is_valid(self, checkpoint: Checkpoint) -> bool:
        """Return whether a key of this table signed `checkpoint`."""
        ...


class RecordSigner(Protocol):
    """Signer of the ends of a judge's record of one table, with a key of the judge."""

    def sign(self, head: Head, outputs: OutputHead | None) -> RecordSignature:
        """Return the signed statement that the record ends with row `head` and with these outputs."""
        ...

    def is_valid(self, signed: RecordSignature) -> bool:
        """Return whether a key of this judge signed `signed`."""
        ...


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """What a start found. `reason` says, for `set_aside` and `not_closed`, what is wrong with the past."""

    state: PastState
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FoundLog:
    """End and marks of a log, as a start finds them.

    `closed_in_order`: the file was closed by a program, not left by one that was killed. `each_commit`: one of its
    epochs says that each of its commits is signed.
    """

    head: Head | None
    place: int
    first_place: int
    marks: Sequence[Checkpoint]
    closed_in_order: bool
    each_commit: bool

    @property
    def trimmed(self) -> Checkpoint | None:
        """The checkpoint that replaces the oldest rows, or None."""
        return next((mark for mark in self.marks if mark.mark == "trimmed"), None)


def judge_log_past(log: FoundLog, signer: HeadSigner) -> PastVerdict:
    """Decide whether a new epoch may go on from the end of `log`."""
    trimmed = log.trimmed
    wrong = _wrong_beginning(log, trimmed, signer)
    if wrong:
        return PastVerdict("set_aside", wrong)
    if log.head is None:
        return PastVerdict("none")
    valid = [mark for mark in log.marks if signer.is_valid(mark)]
    ends = {mark.mark for mark in valid if (mark.place, mark.head) == (log.place, log.head)}
    if not ends:
        return _without_signature(log, valid)
    # SQLite removes its write-ahead log when the last program closes the file, and not when that program is killed.
    if log.each_commit and ends == {"head"} and log.closed_in_order:
        return PastVerdict("not_closed", f"the file was closed in order after row {_text(log.head)}, its log was not")
    return PastVerdict("signed")


def _wrong_beginning(log: FoundLog, trimmed: Checkpoint | None, signer: HeadSigner) -> str:
    if trimmed is not None and not signer.is_valid(trimmed):
        return f"the checkpoint of the trimmed rows up to {_text(trimmed.head)} is not signed by this table"
    due = 1 if trimmed is None else trimmed.place + 1
    if log.first_place not in (0, due):
        return f"the oldest rows are gone: the log begins at place {log.first_place} instead of {due}"
    return ""


def _without_signature(log: FoundLog, valid: Sequence[Checkpoint]) -> PastVerdict:
    head = log.head
    newest = max((mark for mark in valid if mark.mark != "trimmed"), key=lambda mark: mark.place, default=None)
    known = "nothing" if newest is None else f"row {_text(newest.head)}"
    said = "" if head is None else f"the log ends with row {_text(head)}, and its newest signature is for {known}"
    contradicted = len(valid) < len(log.marks) or (newest is not None and newest.place >= log.place)
    if log.each_commit or contradicted:
        return PastVerdict("set_aside", said)
    # A version that signed once a second leaves up to a second of rows without a signature when it is killed. Its log
    # is taken over once, which the new epoch's opening records.
    return PastVerdict("adopted", said)


def judge_record_past(
    found: RecordSignature | None, head: Head | None, outputs: OutputHead | None, signer: RecordSigner
) -> PastVerdict:
    """Decide whether a judge may go on from a record that ends with `head` and `outputs`.

    Args:
        found: The stored signature; None for a record without one.
        head: Position of the record; None for a record without rows.
        outputs: Its last output; None for none.
        signer: Signer with the judge's keys.
    """
    if found is None:
        return PastVerdict("none") if head is None and outputs is None else PastVerdict("adopted")
    if not signer.is_valid(found):
        return PastVerdict("set_aside", f"the signature at row {_text(found.head)} is not this judge's")
    if found.head != head:
        ends = "nothing" if head is None else f"row {_text(head)}"
        return PastVerdict("set_aside", f"the signed end is row {_text(found.head)}, and the record ends with {ends}")
    if found.outputs != outputs:
        last = 0 if outputs is None else outputs.seq
        signed = 0 if found.outputs is None else found.outputs.seq
        other = " with another hash" if last == signed else ""
        why = f"the signed end is output {signed}, and the record ends with output {last}{other}"
        return PastVerdict("set_aside", why)
    return PastVerdict("signed")


def _text(head: Head) -> str:
    return f"{head.at.epoch}/{head.at.number}"
