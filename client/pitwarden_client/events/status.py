"""Retained statuses and the positions of consumers: who is there, and who has stored what."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Count, Hex32, Ident, Millis, Number, Position, Record, Text
from pitwarden_client.events.table import Head, JudgeAnnounced, Signature


class PartStatus(Record):
    """The field or judge half of a table. The will says offline too; `run` tells one start from another.

    While it is online: which `version` of pitwarden runs; of a judge, by which rules and which profile it judges.
    """

    online: bool
    run: Ident
    faults: Annotated[tuple[Text, ...], Field(max_length=32)] = ()
    version: Text = ""
    rules_version: Text = ""
    profile_digest: Hex32 | None = None


class DeviceStatus(Record):
    """A device as its driver sees it; combine it with the status of the field half."""

    state: Literal["online", "stale", "lost"]
    reason: Text
    serial: Text = ""
    firmware: Text = ""
    last_seen_logms: Millis = 0


class LogHead(Record):
    """The last row of the table's log that was committed, signed by the field half as a checkpoint of all before it.

    `trimmed`: all rows up to this one are gone by age, signed too; a consumer without a position begins behind it.
    """

    at: Position
    hash: Hex32
    signer: Hex32 | None = None
    signature: Signature | None = None
    trimmed: Head | None = None
    trimmed_signature: Signature | None = None


class ConsumerPosition(Record):
    """All rows up to `at` are stored durably by this consumer. `hello`: it has just subscribed.

    `announce`: a judge says with its hello by which rules it judges; the field half puts that in the log.
    """

    at: Position | None
    hash: Hex32 | None
    hello: bool = False
    announce: JudgeAnnounced | None = None


class ReplayRequest(Record):
    """A consumer asks for what it missed: the rows of the log, or the judge's outputs, behind one that it has.

    `after` (log) or `output` with `hash` (outputs) is the last that it has; None or 0: from the oldest one kept.
    """

    id: Ident
    of: Literal["log", "outputs"]
    after: Position | None = None
    output: Number = 0
    hash: Hex32 | None = None
    limit: Annotated[int, Field(ge=1, le=1_000)]


class ReplayReply(Record):
    """The end of a replay: `sent` rows or outputs came before it, byte for byte as they were committed.

    `more`: others stand behind those sent. Refused: `trimmed`, then ask again from the oldest kept with no position;
    `not_ours`, the position is no row of this log or chain; `busy`, try again later; `unreadable`, `reason` says why.
    """

    id: Ident
    of: Literal["log", "outputs"]
    sent: Count = 0
    more: bool = False
    refused: Literal["", "trimmed", "not_ours", "busy", "unreadable"] = ""
    reason: Text = ""
