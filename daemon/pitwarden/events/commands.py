"""What the judge may ask of a device, and what the field half answers. A command carries no reason: one could leak."""

from typing import Literal

from pitwarden.events.base import Ident, Millis, Position, Record

CommandName = Literal["lock", "unlock", "report_count"]

Refusal = Literal[
    "retained", "unreadable", "unknown_device", "repeated", "stale", "in_round", "not_configured", "no_room"
]
"""Why a command was not given to its device."""


class DeviceOrder(Record):
    """A command for the device that its topic names. `id` is never used twice within an epoch.

    `as_of` is the position of the state that it acts on, `until_ms` (log time) the end of that state's permit: after
    it the command is stale.
    """

    id: Ident
    command: CommandName
    as_of: Position
    until_ms: Millis
