"""Channels of a table: address, message, publishers, and whether retained. The topics are in `events.topics`.

A test compares each address with the topic that the service uses.
"""

from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_client.events.base import Record
from pitwarden_client.events.device import DeviceOrder
from pitwarden_client.events.envelope import Envelope, LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import (
    ConsumerPosition,
    DeviceStatus,
    LogHead,
    PartStatus,
    RecordHead,
    ReplayReply,
    ReplayRequest,
)

Speaker = Literal["field", "judge", "terminal", "consumer"]
SERVICE: Final = frozenset({"field", "judge"})
"""Publishers that are the service. It receives what the others publish."""

PARAMETERS: Final = {
    "site": "The casino, as in the table file.",
    "table": "The table, as in the table file.",
    "origin": "The device or terminal that the row is from, or `table` for the field half's own rows.",
    "kind": "The kind of `data`, with `_` for its dots: `shoe_card`, `input`, `clock_tick`.",
    "role": "The role whose acts the login at the broker may send: `dealer`, `floor` or `supervisor`.",
    "terminal": "The terminal's own name.",
    "part": "`field` or `judge`.",
    "device": "The device, as in the table file.",
    "consumer": "Your own name: 1 to 64 of `A-Z a-z 0-9 _ -`, with rights of its own at the broker.",
}


@dataclass(frozen=True, slots=True)
class Channel:
    """One kind of topic below `pitwarden/v1/{site}/{table}/`. `speakers` publish `message` there at QoS 1."""

    name: str
    address: str
    message: type[Record]
    speakers: tuple[Speaker, ...]
    retained: bool
    says: str
    written_by: tuple[Speaker, ...] = ()
    """Publishers outside the service that may publish the same message there, as an operation of its own."""

    @property
    def sent(self) -> bool:
        """True if the service publishes here, and consumers read it; otherwise the service receives."""
        return set(self.speakers) <= SERVICE

    @property
    def cloudevents(self) -> bool:
        """True if messages are CloudEvents, and say so in their MQTT 5 content type."""
        return issubclass(self.message, Envelope)


CHANNELS: Final = (
    Channel(
        "events", "events/{origin}/{kind}", LogEvent, ("field",), retained=False,
        says="Each row of the log after its commit, in order; sent again from a row on whenever the judge needs it.",
    ),
    Channel(
        "irregularities", "irregularities", OutputEvent, ("judge",), retained=False,
        says="Irregularities, duties, notices, refusals and failed checks. One chain with `reveals`.",
    ),
    Channel(
        "reveals", "reveals", OutputEvent, ("judge",), retained=False,
        says="Cards and reader answers that became public, with their blinds; the outcomes of wagers.",
    ),
    Channel(
        "state", "state", TableState, ("judge",), retained=True,
        says="Permit, open irregularities and duties as of a position; each message replaces the complete state.",
    ),
    Channel(
        "status", "status/{part}", PartStatus, ("field", "judge"), retained=True,
        says="A half is online or offline, and its faults. The broker publishes offline for a half that was lost.",
    ),
    Channel(
        "deviceStatus", "devices/{device}/status", DeviceStatus, ("field",), retained=True,
        says="A device is online, stale or lost; it counts only while `status/field` is online.",
    ),
    Channel(
        "head", "head", LogHead, ("field",), retained=True,
        says="The last committed row, at most once a second, so that a missing tail is visible.",
    ),
    Channel(
        "record", "record", RecordHead, ("judge",), retained=True,
        says="The signed end of the judge's record, at most once a second: a witness keeps it beside `head`.",
    ),
    Channel(
        "inputs", "inputs/{role}/{terminal}", TerminalInput, ("terminal",), retained=False,
        says="An input of a person. A retry has the same id; a retained input is refused.",
    ),
    Channel(
        "replies", "inputs/{role}/{terminal}/replies", InputReply, ("field",), retained=False,
        says="The reply to an input: accepted with the number of its row, or refused with the reason.",
    ),
    Channel(
        "commands", "commands/{device}", DeviceOrder, ("judge",), retained=False,
        says="A command of the judge to a device: lock, unlock, count. A retained, repeated or stale one is refused.",
    ),
    Channel(
        "commandReplies", "commands/{device}/replies", InputReply, ("field",), retained=False,
        says="The reply to a command: accepted with the number of its row, or refused with the reason.",
    ),
    Channel(
        "positions", "positions/{consumer}", ConsumerPosition, ("judge",), retained=False,
        says="The position up to which the judge, or a consumer named in `[storage] consumers`, has stored the log.",
        written_by=("consumer",),
    ),
    Channel(
        "replayRequests", "replay/{consumer}/request", ReplayRequest, ("consumer",), retained=False,
        says="A consumer requests what it missed, at most 1,000 rows or outputs at a time.",
    ),
    Channel(
        "replayLog", "replay/{consumer}/log", LogEvent, ("field",), retained=False,
        says="The requested rows, byte for byte as they were committed.",
    ),
    Channel(
        "replayOutputs", "replay/{consumer}/outputs", OutputEvent, ("judge",), retained=False,
        says="The requested outputs, byte for byte as they were committed.",
    ),
    Channel(
        "replayReplies", "replay/{consumer}/reply", ReplayReply, ("field", "judge"), retained=False,
        says="The end of a replay, or the reason why there is none.",
    ),
)  # fmt: skip

REPLIES: Final = {"inputs": "replies", "commands": "commandReplies", "replayRequests": "replayReplies"}
"""Channel of the requests, and channel on which each of them is answered."""
