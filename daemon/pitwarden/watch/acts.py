"""Acts that the floor can key to settle an irregularity: each establishes a fact that clears it."""

from collections.abc import Mapping
from typing import Final

from pitwarden_client.events.outputs import ClearingFact, Irregularity

_ACTS: Final[Mapping[str, str]] = {
    "ten_destroyed": "ft.ten_destroyed",
    "notified": "ft.notified",
    "visible_told": "ft.reader_visible visible=true",
    "inspected": "ft.inspect device={subject} ok=true",
    "inspected_idle": "ft.inspect device={subject} ok=true",
    "verified": "ft.deck_verified deck={subject}",
    "counted": "ft.deck_verified deck={subject} count=",
    "returned": "ft.deck_returned deck={subject}",
    "opened": "ft.deck_opened deck={subject}",
    "opening": "ft.opening deck={subject}",
    "card_removed": "ft.card_removed deck={deck} count=1 reason=foreign",
    "removed": "ft.device_removed device={subject}",
    "confirmed": "ft.confirmed irregularity={ref}",
    "secured": "ft.table_open secured=true",
    "noted": 'ft.settle_note irregularity={ref} ruling=""',
}
"""By the kind of a fact: the act of the floor that establishes it. The other kinds are established by play itself."""


def clearing(case: Irregularity) -> str:
    """The act for the first fact that the floor can establish; empty when the table itself clears it by playing."""
    acts = (_act(case, fact) for step in case.clears_facts for fact in step)
    return next((act for act in acts if act), "")


def _act(case: Irregularity, fact: ClearingFact) -> str:
    act = _ACTS.get(fact.kind, "")
    if "{subject}" in act and fact.subject is None:
        return ""
    return act.format(subject=fact.subject, ref=case.ref, deck=case.deck or "")


def refuting(case: Irregularity) -> str:
    """The act that refutes it, with its reason still to be written."""
    return f'refute irregularity={case.ref} reason=""'
