"""Projection of a table's outputs: one incident for each irregularity and duty. Pure; the same live and rebuilt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import Duty, Irregularity, Output
from pitwarden_console.priorities import Priorities, Priority

ENDED = frozenset({"cleared", "refuted", "withdrawn", "done"})
"""Statuses with which an irregularity or a duty has ended."""


@dataclass(frozen=True, slots=True)
class OutputContext:
    """Circumstances of an output: its number, the row that caused it, its time (UTC, ms), and that row's person."""

    number: int
    at: Position
    at_ms: int
    person: str | None
    simulated: bool


@dataclass(frozen=True, slots=True)
class Incident:
    """An irregularity or a duty from its opening to its end."""

    ref: str
    kind: Literal["irregularity", "duty"]
    catalogue: str
    clauses: tuple[str, ...]
    verdicts: tuple[str, ...]
    priority: Priority
    status: str
    actor: str
    sentence: str
    opened_ms: int
    opened_at: Position
    simulated: bool
    last_output: int
    acknowledged_ms: int | None = None
    acknowledged_by: str | None = None
    ended_ms: int | None = None
    ended_by: str | None = None
    round: int | None = None
    deck: str | None = None
    device: str | None = None
    box: int | None = None
    overdue_ms: int | None = None
    """When a duty became overdue, also after it was done; None for one that was done in time."""

    @property
    def is_acknowledged(self) -> bool:
        """True once a person has acknowledged it."""
        return self.acknowledged_ms is not None

    @property
    def ended_unnoticed(self) -> bool:
        """True once it ended by itself: no one acknowledged it, and no person's act ended, refuted or withdrew it."""
        ended = self.ended_ms is not None and self.status == "cleared" and self.ended_by is None
        return self.kind == "irregularity" and ended and not self.is_acknowledged


def next_incident(
    known: Mapping[str, Incident], output: Output, context: OutputContext, priorities: Priorities
) -> Incident | None:
    """Return the incident as `output` leaves it; None for an output that is about no incident.

    Args:
        known: The incidents so far, by `ref`.
        output: The output.
        context: Its circumstances.
        priorities: The house's priorities.
    """
    if not isinstance(output, Irregularity | Duty):
        return None
    before = known.get(output.ref)
    made = _opened(output, context, priorities) if before is None else before
    made = replace(
        made, status=output.status, sentence=output.sentence, last_output=context.number,
        priority=_priority(output, priorities),
    )  # fmt: skip
    if isinstance(output, Duty):
        made = replace(made, overdue_ms=_overdue_ms(made, output, context.at_ms))
    person = (output.by if isinstance(output, Irregularity) else None) or context.person
    if output.status in ENDED:
        return made if made.ended_ms is not None else replace(made, ended_ms=context.at_ms, ended_by=person)
    # A retracted input can open again what it had ended or acknowledged.
    made = replace(made, ended_ms=None, ended_by=None)
    if output.status != "acknowledged":
        return replace(made, acknowledged_ms=None, acknowledged_by=None)
    return made if made.is_acknowledged else replace(made, acknowledged_ms=context.at_ms, acknowledged_by=person)


def _opened(output: Irregularity | Duty, context: OutputContext, priorities: Priorities) -> Incident:
    irregular = output if isinstance(output, Irregularity) else None
    return Incident(
        ref=output.ref,
        kind=output.kind,
        catalogue=output.catalogue,
        clauses=output.clauses,
        verdicts=irregular.verdicts if irregular else (),
        priority=_priority(output, priorities),
        status=output.status,
        actor=output.actor,
        sentence=output.sentence,
        opened_ms=context.at_ms,
        opened_at=context.at,
        simulated=context.simulated,
        last_output=context.number,
        round=irregular.round if irregular else None,
        deck=irregular.deck if irregular else None,
        device=irregular.device if irregular else None,
        box=irregular.box if irregular else None,
    )


def _overdue_ms(one: Incident, duty: Duty, at_ms: int) -> int | None:
    if duty.status == "overdue":
        return at_ms if one.overdue_ms is None else one.overdue_ms
    return one.overdue_ms if duty.status == "done" else None


def _priority(output: Irregularity | Duty, priorities: Priorities) -> Priority:
    if isinstance(output, Irregularity):
        return priorities.of_irregularity(output.catalogue, output.verdicts)
    return priorities.of_duty(output.catalogue, output.status)
