"""An incident as columns, and back."""

from sqlalchemy import RowMapping

from pitwarden_client.events.base import Position
from pitwarden_console.site_time import SiteTime
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.records import Values

_LIST = "\n"
"""Separator of a list in a column: no text of the contract contains a control character."""

_SAME = (
    "ref", "kind", "catalogue", "priority", "status", "actor", "sentence", "opened_ms", "acknowledged_ms",
    "acknowledged_by", "ended_ms", "ended_by", "round", "deck", "device", "box", "simulated", "last_output",
    "overdue_ms",
)  # fmt: skip


def incident_values(one: Incident, table_id: int, time: SiteTime, *, reviewed: bool) -> Values:
    """Return the columns of an incident. Its gaming day is that of its opening; `reviewed` by a person at any time."""
    return {
        **{name: getattr(one, name) for name in _SAME},
        "table_id": table_id,
        "clauses": _LIST.join(one.clauses),
        "verdicts": _LIST.join(one.verdicts),
        "day": time.gaming_day(one.opened_ms),
        "opened_epoch": one.opened_at.epoch,
        "opened_row": one.opened_at.number,
        "unseen": one.ended_unnoticed and not reviewed,
    }


def incident_from_row(row: RowMapping) -> Incident:
    """Return the incident in a row of the table `incident`."""
    return Incident(
        **{name: row[name] for name in _SAME},
        clauses=_listed(row["clauses"]),
        verdicts=_listed(row["verdicts"]),
        opened_at=Position(epoch=row["opened_epoch"], number=row["opened_row"]),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(_LIST)) if text else ()
