"""Walks log and output chains; kinds of tampering.

What verification finds: the kind of tampering, the row, and what that proves.

One log, row after row: own bytes, own place, predecessor, signed openings; and what a bad row proves.

The chain of what was judged: numbers without a gap, each with the hash of the one before, each with its cause.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from pitwarden.audit.evidence import EvidenceRow, JudgeEvidence
from pitwarden.journal.records import StoredOutput
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode, digest
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.table import EpochOpened, Head
from pitwarden_client.verification.errors import SealUnreadableError
from pitwarden_client.verification.signed_rows import SigningScope, verify_epoch_opened

TamperingKind = Literal[
    "file_damaged", "row_changed", "row_removed", "rows_reordered", "row_appended", "tail_cut", "older_copy",
    "other_table", "rewritten", "forged", "outputs_broken", "halves_differ",
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
    "outputs_broken": "what was judged was changed, removed or added to",
    "halves_differ": "log and judge hold different rows under one number",
}


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """One thing that is not as it was committed. `where` names journal and row; `why` is the evidence."""

    kind: TamperingKind
    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}: {MEANING[self.kind]}; {self.why}"


@dataclass(frozen=True, slots=True)
class AuditScope:
    """Which table's journals these should be; `trusted` are the verify keys of its field half, in hexadecimal."""

    site: str
    table: str
    trusted: Collection[str]
    judge: str | None = None
    """What the judge's own checkpoints are checked with; None where nobody has the judge's key."""

    @property
    def key(self) -> str:
        """The table as the judge's journal names it."""
        return f"{self.site}/{self.table}"

    def scope(self, epoch: str) -> SigningScope:
        """What signatures of this epoch cover."""
        return SigningScope(self.site, self.table, epoch)


class HashLookup(Protocol):
    """Whoever holds the rows."""

    def has_hash(self, held: str) -> bool:
        """Whether any row is stored under this hash."""
        ...


class ChainWalker:
    """Walks one log. `last` is the last row seen, `count` how many there were."""

    def __init__(self, name: str, whose: AuditScope, shelf: HashLookup, start: Head | None = None) -> None:
        """`start`: the row before the first one kept, where older ones were trimmed."""
        self._name, self._whose, self._shelf = name, whose, shelf
        self._before = start
        self._excused = False
        self.last: EvidenceRow | None = None
        self.count = 0

    def look(self, rows: Iterable[EvidenceRow]) -> Iterator[AuditFinding]:
        """What is wrong with `rows`, in their order; of a journal of another table only that."""
        for row in rows:
            self.count += 1
            found = self._one(row)
            if found is not None:
                yield found
                if found.kind == "other_table":
                    return
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
        if isinstance(event.data, EpochOpened):
            try:
                verify_epoch_opened(event.data, self._whose.scope(event.epoch), self._whose.trusted)
            except SealUnreadableError as error:
                return self._found("forged", row.at, str(error))
        return self._succession(row, event)

    def _succession(self, row: EvidenceRow, event: LogEvent) -> AuditFinding | None:
        before = self._before
        if before is None or self._excused or event.prevhash == before.hash:
            gap = before is not None and not self._excused and not _follows(before.at, row.at)
            return self._found("rows_reordered", row.at, "its number does not follow") if gap else None
        if isinstance(event.data, EpochOpened) and event.data.parent is not None:
            return self._parted(row, before, event.data.parent)
        if _follows(before.at, row.at):
            why = f"row {_text(row.at)} names another predecessor than these bytes"
            return self._found("row_changed", before.at, why)
        if self._shelf.has_hash(event.prevhash) or row.at.number <= before.at.number:
            return self._found("rows_reordered", row.at, f"it stands behind row {_text(before.at)}")
        return self._found("row_removed", row.at, f"what it follows is gone; before it stands row {_text(before.at)}")

    def _parted(self, row: EvidenceRow, before: Head, parent: Head) -> AuditFinding:
        """The signed opening of an epoch says where the one before it ended."""
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
    """How many outputs there are, and the first thing that is wrong with them."""
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
    """Why this output is not what was committed behind the one before; empty when it is."""
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
