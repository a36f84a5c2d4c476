"""CloudEvents 1.0 envelopes, structured JSON mode: one for log rows, one for the judge's outputs."""

from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field

from pitwarden_client.events.base import Count, Hex32, Ident, Millis, Number, Record, Text
from pitwarden_client.events.device import DeviceEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Output
from pitwarden_client.events.table import TableEvent

SCHEMA_VERSION = "1"
GENESIS = "0" * 64
"""`prevhash` of the first row of a first epoch."""

LogData = Annotated[DeviceEvent | InputLogged | TableEvent, Field(discriminator="kind")]
Rfc3339 = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class Envelope(Record):
    """Fields that all messages of a chain share.

    `source` is `/<site>/<table>/<device, terminal or judge>`; `prevhash` is SHA-256 over the bytes of the previous row.
    `gamingday` is the date of the house's gaming day at `time`; rows from before contract 1.4 have none.
    """

    specversion: Literal["1.0"] = "1.0"
    id: Text
    source: Text
    type: Text
    time: Rfc3339
    datacontenttype: Literal["application/json"] = "application/json"
    schemaversion: Literal["1"] = "1"
    epoch: Ident
    prevhash: Hex32
    simulated: bool
    # Left out where there is none, so that older rows keep their bytes when they are encoded again.
    gamingday: date | None = Field(default=None, exclude_if=lambda day: day is None)


class LogEvent(Envelope):
    """One row of a table's log. `logms` is log time, which never runs back; `time` is UTC, with the state of its clock.

    `deviceboot` and `devicecounter` are the device's own, zero where the source is not a device.
    """

    tableseq: Number
    logms: Millis
    clocksync: bool
    clockerror: Millis
    deviceboot: Number = 0
    devicecounter: Number = 0
    data: LogData


class OutputEvent(Envelope):
    """One output of a judge. `tableseq` and `index` name the log row that caused it; `outputseq` is gapless.

    `rulesversion` and `profiledigest` identify the rules that produced it; judges before 0.2.0 did not publish the
    latter.
    """

    tableseq: Number
    index: Count
    outputseq: Number
    logms: Millis
    rulesversion: Text
    profiledigest: Hex32 | None = None
    data: Output


def rfc3339(utc_ms: int) -> str:
    """Return `utc_ms`, milliseconds since 1970 UTC, as RFC 3339 with milliseconds."""
    minute, rest = divmod(utc_ms, 60_000)
    return f"{_to_the_minute(minute)}:{rest // 1_000:02d}.{rest % 1_000:03d}Z"


@lru_cache(maxsize=8)
def _to_the_minute(minute: int) -> str:
    """Return the text up to the minute, from a cache: rows arrive in order of time and mostly share it."""
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%dT%H:%M")


def parse_rfc3339(text: str) -> int:
    """Return the milliseconds since 1970 UTC of an `Rfc3339` string."""
    return int(datetime.fromisoformat(text[:19] + "+00:00").timestamp()) * 1000 + int(text[20:23])
