"""Retained statuses, and the positions and replay requests of consumers."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Count, Hex32, Ident, Millis, Number, Position, Record, Text
from pitwarden_client.events.table import Head, JudgeAnnounced, Signature


class PartStatus(Record):
    """Status of the field or judge half of a table.

    The will is the offline status; `run` distinguishes one start from another. `simulated`: the half serves a simulated
    table; None of a service before 0.3, which did not publish it.

    While it is online: the `version` of pitwarden, and the address of the `broker` that it is linked to; of a judge
    also the rules version and the profile that it evaluates with.

    Acts of two persons, as the house has set them at this table: the judge publishes in `two_persons` which acts need
    one, the field half in `second_person` whether that person is a name or confirms at another login. None: of the
    other half, or of a service before 0.3.
    """

    online: bool
    run: Ident
    faults: Annotated[tuple[Text, ...], Field(max_length=32)] = ()
    version: Text = ""
    rules_version: Text = ""
    profile_digest: Hex32 | None = None
    broker: Text = ""
    simulated: bool | None = None
    two_persons: Annotated[tuple[Text, ...] | None, Field(max_length=64)] = None
    second_person: Literal["name", "login"] | None = None


class DeviceStatus(Record):
    """Status of a device as its driver reports it. Combine it with the status of the field half."""

    state: Literal["online", "stale", "lost"]
    reason: Text
    serial: Text = ""
    firmware: Text = ""
    last_seen_logms: Millis = 0


class LogHead(Record):
    """Last committed row of the table's log, signed by the field half as a checkpoint of all rows before it.

    `trimmed`: all rows up to this one were deleted by age, with a signature too; a consumer without a position begins
    after it.
    """

    at: Position
    hash: Hex32
    signer: Hex32 | None = None
    signature: Signature | None = None
    trimmed: Head | None = None
    trimmed_signature: Signature | None = None


class RecordHead(Record):
    """End of the judge's record of a table, signed by the judge: the last row that it judged, and its last output.

    `output` is the number of that output, 0 for none; `outputhash` its hash. With `LogHead` it is what a witness on
    another machine keeps: verdicts that were changed or removed later contradict it.
    """

    at: Position
    hash: Hex32
    output: Number
    outputhash: Hex32
    signer: Hex32
    signature: Signature


class ConsumerPosition(Record):
    """Position up to which this consumer has stored all rows durably. There is no reply: publish it again now and then.

    `hello`: a judge has just subscribed, and receives the rows after it. `announce`: a judge announces the rules that
    it evaluates with; the field half writes that to the log. Other consumers leave both as they are by default.
    """

    at: Position | None
    hash: Hex32 | None
    hello: bool = False
    announce: JudgeAnnounced | None = None


class ReplayRequest(Record):
    """Request of a consumer for what it missed: rows of the log, or the judge's outputs, after one that it has.

    `after` (log), or `output` with `hash` (outputs), is the last that it has; None or 0 begins at the oldest stored
    one.
    """

    id: Ident
    of: Literal["log", "outputs"]
    after: Position | None = None
    output: Number = 0
    hash: Hex32 | None = None
    limit: Annotated[int, Field(ge=1, le=1_000)]


class ReplayReply(Record):
    """End of a replay: `sent` rows or outputs came before it, byte for byte as they were committed.

    `more`: further ones follow those that were sent. Refused: `trimmed`, request again from the oldest stored one,
    without a position; `not_ours`, the position is no row of this log or chain; `busy`, retry later; `unreadable`, see
    `reason`.
    """

    id: Ident
    of: Literal["log", "outputs"]
    sent: Count = 0
    more: bool = False
    refused: Literal["", "trimmed", "not_ours", "busy", "unreadable"] = ""
    reason: Text = ""
