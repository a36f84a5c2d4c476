"""Rights to make a statement about an irregularity, as the judge publishes them in the state of a table."""

from typing import Final

from pitwarden_client.events.base import Role
from pitwarden_client.events.outputs import TableState

STATEMENTS: Final = frozenset({"ack", "refute", "ft.confirmed", "ft.settle_note"})
"""Acts that state something about one irregularity. All other acts do what the clause demands."""


def may_clear(state: TableState, ref: str, role: Role, person: str | None = None) -> bool:
    """Return whether a login of `role` may make statements about the irregularity `ref`; the judge decides again.

    True where the judge publishes no rights, as before rules 0.4.5.

    Args:
        state: State of the table.
        ref: Reference of the irregularity.
        role: Role of the login.
        person: Person at the terminal; None where that is not known.
    """
    opened = next((one for one in state.opened if one.ref == ref), None)
    if opened is None or not opened.may_clear:
        return True
    return role in opened.may_clear and (person is None or person != opened.not_by)
