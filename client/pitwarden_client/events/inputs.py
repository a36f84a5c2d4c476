"""Terminal inputs: what a terminal sends, what the field half answers, what the log keeps; who may key what."""

from typing import Annotated, Final, Literal

from pydantic import Field

from pitwarden_client.events.base import Ident, Number, Position, Record, Text
from pitwarden_client.events.dealer import DealerAct
from pitwarden_client.events.floor import FloorAct

Role = Literal["dealer", "floor", "supervisor"]
Act = Annotated[DealerAct | FloorAct, Field(discriminator="act")]

SUPERVISOR_ONLY: Final = frozenset({"ft.recut", "override", "ft.notified"})
"""Acts of a casino supervisor alone (19:47-36.4(f), 36.14(l); design: overrides)."""

ANYONE: Final = frozenset({"ack", "retract"})


def may_send(role: Role, act: str) -> bool:
    """Whether a login of `role` may key `act`; a supervisor may key all that a floorperson may."""
    if act in ANYONE:
        return True
    if act.startswith("kp."):
        return role == "dealer"
    return role == "supervisor" or (role == "floor" and act not in SUPERVISOR_ONLY)


class TerminalInput(Record):
    """One input as a terminal sends it; the role and the terminal are segments of its topic.

    `id` is the terminal's own, repeated on a retry; `as_of` is the position of the state that the person acted on.
    """

    id: Ident
    person: Ident
    as_of: Position | None
    act: Act


class InputReply(Record):
    """The field half's answer to an input or a command: accepted with the log number, or refused with the reason."""

    id: Ident
    accepted: bool
    number: Number | None = None
    reason: Text = ""


class InputLogged(Record):
    """An accepted input as it stands in the log."""

    kind: Literal["input"] = "input"
    role: Role
    terminal: Ident
    person: Ident
    input_id: Ident
    as_of: Position | None
    act: Act
