"""Rounds of play in a log, counted by the dealer's `kp.boxes`, and the rounds that an incident may have affected.

The affected rounds are those since the last right count of the cards.
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
    """Rows of one round and of the time after it, or (number 0) the rows before the first round."""

    number: int
    rows: list[EvidenceRow] = field(default_factory=list)
    events: list[LogEvent] = field(default_factory=list)

    def holds(self, at: Position) -> bool:
        """Return whether row `at` is one of these."""
        return any(row.at == at for row in self.rows)


def split_rounds(rows: Iterable[EvidenceRow]) -> Iterator[RoundRows]:
    """Yield the log in parts that begin with `kp.boxes`. A row that cannot be read stays in place, without an event."""
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
    """Return the row in `body`, or None."""
    try:
        return decode(LogEvent, body)
    except BadPayloadError:
        return None


def act_name(event: LogEvent) -> str:
    """Return the act of an input; empty for an event of a device or of the service."""
    return event.data.act.act if isinstance(event.data, InputLogged) else ""


VERIFIED_BY = frozenset({"ft.deck_verified", "ft.opening"})


@dataclass(frozen=True, slots=True)
class IncidentReach:
    """Rounds that an incident may have affected.

    `since` is the row of the last right count, None when none is stored.
    """

    incident: Position
    since: Position | None
    how: str
    rounds: tuple[RoundRows, ...]


def find_incident(judge: JudgeEvidence, whose: AuditScope, ref: str) -> tuple[Position, Irregularity]:
    """Return the row on which the irregularity `ref` was first published, and the irregularity.

    Raises:
        AuditError: It was never published.
    """
    for output in judge.outputs(whose.key):
        data = decode(OutputEvent, output.body).data
        if isinstance(data, Irregularity) and data.ref == ref:
            return output.cause, data
    raise AuditError(f"{judge.path}: no irregularity {ref} was judged at {whose.key}")


def incident_reach(
    whose: AuditScope, log: LogEvidence, judge: JudgeEvidence | None, incident: Position, deck: str | None = None
) -> IncidentReach:
    """Return the rounds between the last right count and row `incident`, including its own round.

    A count of another deck than `deck`, if given, does not matter.

    Raises:
        AuditError: The log has no row `incident`.
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
                # The round of the count stays in the list: cards may have been dealt in it after the count.
                since, how, touched = at, verified, [stretch]
    raise AuditError(f"{log.path}: holds no row {incident.epoch}/{incident.number}")


def _verified(event: LogEvent, doubted: set[tuple[str, int]], deck: str | None) -> str:
    """Return what counted the cards on this row, unless the judge published an irregularity for it; else empty."""
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
