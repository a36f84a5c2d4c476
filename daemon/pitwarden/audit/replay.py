"""Evaluation of a judge's stored rows once more.

The same rules produce the same bytes; for other rules the report names the differences.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pitwarden.audit.evidence import JudgeEvidence
from pitwarden.audit.rounds import parse_evidence_row
from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.judge.outputs import ChainedOutput, as_published
from pitwarden.judge.table_judge import TableJudge, row_or_placeholder
from pitwarden.rules import RULES_VERSION
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import OutputEvent
from pitwarden_client.events.outputs import Output


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """Outputs that were published for a row, and those of the present rules."""

    at: Position
    published: tuple[Output, ...]
    now: tuple[Output, ...]


@dataclass
class ReplayReport:
    """Result of a replay. `versions`: rules of the published outputs. `identical`: number of byte-identical outputs."""

    rows: int = 0
    identical: int = 0
    versions: set[str] = field(default_factory=set)
    differences: list[ReplayDifference] = field(default_factory=list)
    other_bytes: int = 0
    """Number of outputs with the same content in other bytes, as another rules version produces."""
    other_words: int = 0
    """Number of rows whose outputs differ in words alone: another rules version has other sentences."""


class EvidenceRowSource:
    """Rows of a judge's journal, read as evidence, for the reveals."""

    def __init__(self, evidence: JudgeEvidence) -> None:
        self._evidence = evidence

    async def rows_after(self, table: str, at: Position | None, limit: int) -> list[ReceivedRow]:
        """Return at most `limit` stored rows after `at`."""
        return self._evidence.received_after(table, at, limit)


async def replay(judge: TableJudge, evidence: JudgeEvidence) -> ReplayReport:
    """Evaluate every stored row of the judge's table and compare the outputs. Nothing is written or published."""
    table = judge.identity.key
    result = ReplayReport()
    published = _by_cause(evidence.outputs(table))
    said_before = next(published, None)
    if said_before is not None:
        first = said_before[1][0]
        # Older outputs may have been trimmed, so the chain continues where the stored ones begin.
        judge.resume_chain(first.seq - 1, decode(OutputEvent, first.body).prevhash)
    for row in evidence.rows(table):
        event = row_or_placeholder(row.at, parse_evidence_row(row.body), judge, simulated=False)
        said = judge.chain.append(event, await judge.judge(event))
        stored: Sequence[StoredOutput] = ()
        if said_before is not None and said_before[0] == row.at:
            stored = said_before[1]
            said_before = next(published, None)
        result.rows += 1
        _compare(result, row.at, stored, said)
    return result


def _compare(result: ReplayReport, at: Position, stored: Sequence[StoredOutput], said: Sequence[ChainedOutput]) -> None:
    before = [decode(OutputEvent, row.body) for row in stored]
    result.versions.update(event.rulesversion for event in before)
    published = tuple(event.data for event in before)
    now = as_published(tuple(each.event.data for each in said), published)
    reworded = published != now and _unworded(published) == _unworded(now)
    if reworded and RULES_VERSION not in {event.rulesversion for event in before}:
        result.other_words += 1
    elif published != now:
        result.differences.append(ReplayDifference(at, published, now))
    same = sum(row.body == each.payload for row, each in zip(stored, said, strict=False))
    result.identical += same
    if published == now:
        result.other_bytes += len(now) - same


def _unworded(outputs: Sequence[Output]) -> list[Output]:
    """Return the outputs without the texts for people: clause, verdicts and what clears it remain."""
    return [
        one.model_copy(update={name: "" for name in ("sentence", "clears") if hasattr(one, name)}) for one in outputs
    ]


def _by_cause(outputs: Iterator[StoredOutput]) -> Iterator[tuple[Position, list[StoredOutput]]]:
    group: list[StoredOutput] = []
    for output in outputs:
        if group and output.cause != group[0].cause:
            yield group[0].cause, group
            group = []
        group.append(output)
    if group:
        yield group[0].cause, group
