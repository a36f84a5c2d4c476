"""Walks along the chains of log rows and outputs, and the kinds of tampering that they prove.

A log is checked row after row: its bytes, its place, its predecessor, the signed openings. Outputs have numbers without
a gap, each with the hash of the previous output and with its cause.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from pitwarden.audit.evidence import EvidenceRow, JudgeEvidence
from pitwarden.journal.records import StoredOutput
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import GENESIS, LogEvent, OutputEvent
from pitwarden_client.events.table import EpochOpened, Head, JudgeAnnounced, PastState
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_epoch_opened

TamperingKind = Literal[
    "file_damaged", "row_changed", "row_removed", "rows_reordered", "row_appended", "tail_cut", "older_copy",
    "other_table", "rewritten", "forged", "unsigned", "not_closed", "set_aside", "outputs_broken", "halves_differ",
]  # fmt: skip

MEANING: Final[dict[TamperingKind, str]] = {
    "file_damaged": "the file itself is damaged",
    "row_changed": "the bytes of a committed row were changed",
    "row_removed": "one or more committed rows were removed from the middle",
    "rows_reordered": "committed rows were put in another order or under other numbers",
    "row_appended": "a row was added that the table did not write",
    "tail_cut": "committed rows were removed from the end",
    "older_copy": "the file was replaced by an older copy of itself, or its end and every mark of it were removed",
    "other_table": "this is the journal of another table",
    "rewritten": "rows were written anew by somebody without the table's signing key, the chain of hashes with them",
    "forged": "a signature is not the table's",
    "unsigned": "no signature of the table covers it, so nobody with the key has committed it",
    "not_closed": "the log has no closing mark although its file was closed in order: a mark was removed, or a copy"
    " was put in the place of the journal",
    "set_aside": "at a start the service found a past that its key had not signed, and did not go on from it",
    "outputs_broken": "what was judged was changed, removed or added to",
    "halves_differ": "log and judge hold different rows under one number",
}


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Deviation from what was committed. `where` names journal and row; `why` is the evidence."""

    kind: TamperingKind
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}: {MEANING[self.kind]}; {self.why}"


@dataclass(frozen=True, slots=True)
class AuditScope:
    """Table whose journals are expected; `trusted` holds its field half's verify keys, in hexadecimal."""

    site: str
    table: str
    trusted: Collection[str]
    judges: tuple[str, ...] = ()
    """Keys that verify the judge's own signatures, where its private keys can be read; else empty, and the keys that
    the log announces take their place."""
    shown: tuple[str, ...] = ()
    """The judge's verify key from its public file: it adds to what the log announces, which a rollback can remove."""

    def judge_keys(self, announced: Collection[str]) -> Collection[str]:
        """Return the keys that verify the judge's signatures; `announced` are those of the log."""
        return self.judges or {*announced, *self.shown}

    @property
    def key(self) -> str:
        """Name of the table in the judge's journal."""
        return f"{self.site}/{self.table}"

    def scope(self, epoch: str) -> SigningScope:
        """Return the scope of the signatures of this epoch."""
        return SigningScope(self.site, self.table, epoch)


class HashLookup(Protocol):
    """Lookup of stored rows by hash."""

    def has_hash(self, held: str) -> bool:
        """Return whether any row is stored under this hash."""
        ...


@dataclass(frozen=True, slots=True)
class SeenOpening:
    """Opening of an epoch, as a walk met it: its position, and what its field half had found on its disk."""

    at: Position
    past: PastState | None


class ChainWalker:
    """Walk along one log. `last` is the last row, `count` the number of rows so far."""

    def __init__(
        self, name: str, whose: AuditScope, lookup: HashLookup, start: Head | None = None, *, whole: bool = False
    ) -> None:
        """Prepare the walk.

        Args:
            name: Name of the journal in findings.
            whose: Expected table and its keys.
            lookup: Finds rows of the same journal by their hashes.
            start: The last trimmed row; None for a log that was never trimmed.
            whole: Without `start`, the first row must be the first one of the table's log.
        """
        self._name, self._whose, self._lookup = name, whose, lookup
        self._before = start
        self._whole = whole
        self.openings: list[SeenOpening] = []
        self.judges: set[str] = set()
        """Keys that judges announced for the signatures of their records."""
        self._excused = False
        self.last: EvidenceRow | None = None
        self.count = 0

    def findings_in(self, rows: Iterable[EvidenceRow]) -> Iterator[AuditFinding]:
        """Yield the findings about `rows`, in order; for a journal of another table only that one."""
        for row in rows:
            self.count += 1
            found = self._one(row)
            if found is not None:
                yield found
                if found.kind == "other_table":
                    return
            # One changed row also breaks the link of its successor: that is the same finding, not a second one.
            self._excused = found is not None
            self._before = Head(at=row.at, hash=digest(row.body))
            self.last = row

    def _one(self, row: EvidenceRow) -> AuditFinding | None:
        try:
            event = decode(LogEvent, row.body)
        except BadPayloadError as error:
            return self._found("row_changed", row.at, f"its bytes are no row: {error}")
        if not event.source.startswith(f"/{self._whose.key}/"):
            return self._found("other_table", row.at, f"its source is {event.source}")
        if digest(row.body) != row.hash:
            return self._found("row_changed", row.at, "its bytes do not have the hash that was stored with them")
        said = Position(epoch=event.epoch, number=event.tableseq)
        if said != row.at:
            return self._found("rows_reordered", row.at, f"its bytes say that it is row {_text(said)}")
        if isinstance(event.data, JudgeAnnounced) and event.data.signer is not None:
            self.judges.add(event.data.signer)
        if isinstance(event.data, EpochOpened):
            self.openings.append(SeenOpening(row.at, event.data.past))
            try:
                verify_epoch_opened(event.data, self._whose.scope(event.epoch), self._whose.trusted)
            except SealUnreadableError as error:
                return self._found("forged", row.at, str(error))
        return self._succession(row, event)

    def _succession(self, row: EvidenceRow, event: LogEvent) -> AuditFinding | None:
        before = self._before
        if before is None and self._whole and event.prevhash != GENESIS:
            return self._found("row_removed", row.at, "the rows before it are gone, and no checkpoint trimmed them")
        if before is None or self._excused or event.prevhash == before.hash:
            gap = before is not None and not self._excused and not _follows(before.at, row.at)
            return self._found("rows_reordered", row.at, "its number does not follow") if gap else None
        if isinstance(event.data, EpochOpened) and event.data.parent is not None:
            return self._parent_mismatch(row, before, event.data.parent)
        if _follows(before.at, row.at):
            why = f"row {_text(row.at)} names another predecessor than these bytes"
            return self._found("row_changed", before.at, why)
        if self._lookup.has_hash(event.prevhash) or row.at.number <= before.at.number:
            return self._found("rows_reordered", row.at, f"it stands behind row {_text(before.at)}")
        return self._found("row_removed", row.at, f"what it follows is gone; before it stands row {_text(before.at)}")

    def _parent_mismatch(self, row: EvidenceRow, before: Head, parent: Head) -> AuditFinding:
        """Return what the parent in an epoch's signed opening proves about the rows before it."""
        ended = f"the signed opening of epoch {row.at.epoch} says that the log stood at row {_text(parent.at)}"
        if parent.at.epoch == before.at.epoch and parent.at.number < before.at.number:
            return self._found("row_appended", before.at, ended)
        if parent.at == before.at:
            return self._found("rewritten", before.at, f"{ended}, with another hash")
        return self._found("row_removed", row.at, f"{ended}, and before it stands row {_text(before.at)}")

    def _found(self, kind: TamperingKind, at: Position, why: str) -> AuditFinding:
        return AuditFinding(kind, f"{self._name} row {_text(at)}", why)


def _follows(before: Position, after: Position) -> bool:
    return after.number == (before.number + 1 if after.epoch == before.epoch else 1)


def _text(at: Position) -> str:
    return f"{at.epoch}/{at.number}"


def verify_outputs(judge: JudgeEvidence, whose: AuditScope) -> tuple[int, list[AuditFinding]]:
    """Return the number of outputs, and the first finding about them."""
    count, before = 0, ""
    last = 0
    for output in judge.outputs(whose.key):
        why = _wrong(output, before, last)
        if why:
            return count, [AuditFinding("outputs_broken", f"judge output {output.seq}", why)]
        count, before, last = count + 1, digest(output.body), output.seq
    published = judge.published(whose.key)
    if published > last:
        why = f"output {published} was published, and the last one here is {last}"
        return count, [AuditFinding("tail_cut", "judge outputs", why)]
    return count, []


def _wrong(output: StoredOutput, before: str, last: int) -> str:
    """Return why this output is not what was committed after the previous one; empty when it is."""
    try:
        event = decode(OutputEvent, output.body)
    except BadPayloadError as error:
        return f"its bytes are no output: {error}"
    if digest(output.body) != output.hash:
        return "its bytes do not have the hash that was stored with them"
    if event.outputseq != output.seq or (last and output.seq != last + 1):
        return f"it stands behind output {last} and says that it is number {event.outputseq}"
    if before and event.prevhash != before:
        return f"it names another predecessor than output {last}"
    return ""
