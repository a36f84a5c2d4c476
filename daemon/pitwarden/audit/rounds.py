"""Rounds in a log, and the blast radius of an incident.

Rounds of play in a log, counted as the dealer keys them, and what stands in one of them.

The blast radius of an incident: every round that may be touched by it, back to the last count that was right.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pitwarden.audit.chains import AuditScope
from pitwarden.audit.evidence import AuditError, EvidenceRow, JudgeEvidence, LogEvidence
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.device import ShufflerDone
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Irregularity


@dataclass
class RoundRows:
    """Rows that belong together: one round with what follows it, or (number 0) what stands before the first."""

    number: int
    rows: list[EvidenceRow] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)

    def holds(self, at: Position) -> bool:
        """Whether row `at` is one of these."""
        return any(row.at == at for row in self.rows)


def split_rounds(rows: Iterable[EvidenceRow]) -> Iterator[RoundRows]:
    """The log cut before each `kp.boxes`. A row that cannot be read stays where it is, without an event."""
    stretch = RoundRows(0)
    for row in rows:
        event = parse_evidence_row(row.body)
        if event is not None and act_name(event) == "kp.boxes":
            if stretch.rows:
                yield stretch
            stretch = RoundRows(stretch.number + 1)
        stretch.rows.append(row)
        if event is not None:
            stretch.events.append(event)
    if stretch.rows:
        yield stretch


def parse_evidence_row(body: bytes) -> LogEvent | None:
    """The row in `body`, None when it is none."""
    try:
        return decode(LogEvent, body)
    except BadPayloadError:
        return None


def act_name(event: LogEvent) -> str:
    """Which input an event is; empty for what a device or the daemon says."""
    return event.data.act.act if isinstance(event.data, InputLogged) else ""


VERIFIED_BY = frozenset({"ft.deck_verified", "ft.opening"})


@dataclass(frozen=True, slots=True)
class IncidentReach:
    """`since` is the last row on which the cards were counted right, None when no kept row is one."""

    incident: Position
    since: Position | None
    how: str
    rounds: tuple[RoundRows, ...]


def find_incident(judge: JudgeEvidence, whose: AuditScope, ref: str) -> tuple[Position, Irregularity]:
    """The row on which the irregularity `ref` was first said, and what was said; AuditError when it never was."""
    for output in judge.outputs(whose.key):
        data = decode(OutputEvent, output.body).data
        if isinstance(data, Irregularity) and data.ref == ref:
            return output.cause, data
    raise AuditError(f"{judge.path}: no irregularity {ref} was judged at {whose.key}")


def incident_reach(
    whose: AuditScope, log: LogEvidence, judge: JudgeEvidence | None, incident: Position, deck: str | None = None
) -> IncidentReach:
    """The rounds between the last verified count and row `incident`, that round too; AuditError without it.

    A count of another deck than `deck`, where one is named, says nothing.
    """
    doubted = set() if judge is None else set(_doubted(judge, whose))
    since: Position | None = None
    how = "no count that is still kept was right"
    touched: list[RoundRows] = []
    for stretch in split_rounds(log.rows()):
        touched.append(stretch)
        for event in stretch.events:
            at = Position(epoch=event.epoch, number=event.tableseq)
            if at == incident:
                return IncidentReach(incident, since, how, tuple(each for each in touched if each.number))
            verified = _verified(event, doubted, deck)
            if verified:
                since, how, touched = at, verified, [stretch]
    raise AuditError(f"{log.path}: holds no row {incident.epoch}/{incident.number}")


def _verified(event: LogEvent, doubted: set[tuple[str, int]], deck: str | None) -> str:
    """What counted the cards on this row, if it did and the judge had nothing to say to it."""
    about = event.data.act if isinstance(event.data, InputLogged) else event.data
    if deck is not None and getattr(about, "deck", deck) != deck:
        return ""
    if (event.epoch, event.tableseq) in doubted:
        return ""
    if act_name(event) in VERIFIED_BY:
        return f"{act_name(event)}, keyed by a person"
    counted = isinstance(event.data, ShufflerDone) and event.data.count is not None
    return "the shuffler's count, which the rules found right" if counted else ""


def _doubted(judge: JudgeEvidence, whose: AuditScope) -> Iterator[tuple[str, int]]:
    for output in judge.outputs(whose.key):
        if isinstance(decode(OutputEvent, output.body).data, Irregularity):
            yield output.cause.epoch, output.cause.number
