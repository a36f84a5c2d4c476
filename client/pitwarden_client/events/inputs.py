"""Terminal inputs: the input, the field half's reply, the logged row, and the rights of each role."""

from typing import Annotated, Final, Literal

from pydantic import Field

from pitwarden_client.events.base import Ident, Number, Position, Record, Role, Text
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct

Act = Annotated[DealerAct | FloorAct, Field(discriminator="act")]

SUPERVISOR_ONLY: Final = frozenset({"ft.recut", "override", "ft.notified"})
"""Acts reserved to a casino supervisor (19:47-36.4(f), 36.14(l); design: overrides)."""

ANYONE: Final = frozenset({"ack", "retract"})


def may_send(role: Role, act: str) -> bool:
    """Return whether a login of `role` may send `act`. A supervisor may send every act of a floorperson."""
    if act in ANYONE:
        return True
    if act.startswith("kp."):
        return role == "dealer"
    return role == "supervisor" or (role == "floor" and act not in SUPERVISOR_ONLY)


class TerminalInput(Record):
    """One input as a terminal sends it. The role and the terminal are segments of its topic.

    `id` is chosen by the terminal and repeated on a retry; `as_of` is the position of the state to which the person
    responded. `witness` is the second person of an act that two persons do, another one than `person`.
    """

    id: Ident
    person: Ident
    as_of: Position | None
    act: Act
    witness: Ident | None = None


class InputReply(Record):
    """The field half's reply to an input or a command: accepted with the log number, or refused with the reason."""

    id: Ident
    accepted: bool
    number: Number | None = None
    reason: Text = ""


class InputLogged(Record):
    """Accepted input, as stored in the log. `witness`: the second person of an act that two persons do.

    `confirmed_at`: the terminal at which the witness keyed the same act, where the house demands that; None where a
    witness is a name that the person entered.
    """

    kind: Literal["input"] = "input"
    role: Role
    terminal: Ident
    person: Ident
    input_id: Ident
    as_of: Position | None
    act: Act
    witness: Ident | None = None
    confirmed_at: Ident | None = None
