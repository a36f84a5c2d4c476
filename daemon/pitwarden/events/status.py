"""Retained statuses and the positions of consumers: who is there, and who has stored what."""

from typing import Annotated, Literal

from pydantic import Field

from pitwarden.events.base import Hex32, Ident, Millis, Number, Position, Record, Text
from pitwarden.events.table import JudgeAnnounced


class PartStatus(Record):
    """The field or judge half of a table. The will says offline too; `run` tells one start from another."""

    online: bool
    run: Ident
    faults: Annotated[tuple[Text, ...], Field(max_length=32)] = ()


class DeviceStatus(Record):
    """A device as its driver sees it; combine it with the status of the field half."""

    state: Literal["online", "stale", "lost"]
    reason: Text
    serial: Text = ""
    firmware: Text = ""
    last_seen_logms: Millis = 0


class LogHead(Record):
    """The last row of the table's log that was committed."""

    at: Position
    hash: Hex32


class ConsumerPosition(Record):
    """All rows up to `at` are stored durably by this consumer. `hello`: it has just subscribed.

    `announce`: a judge says with its hello by which rules it judges; the field half puts that in the log.
    """

    at: Position | None
    hash: Hex32 | None
    hello: bool = False
    announce: JudgeAnnounced | None = None


class ReplayRequest(Record):
    """A consumer asks for rows from a position on."""

    start: Position
    limit: Annotated[Number, Field(ge=1, le=10_000)]
