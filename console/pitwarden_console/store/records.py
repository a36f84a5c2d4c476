"""Index columns of a row or an output, next to its exact bytes. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from pitwarden_client import LogItem, OutputItem
from pitwarden_client.events.codec import digest
from pitwarden_client.events.envelope import GENESIS, parse_rfc3339
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.outputs import Duty, Irregularity, Notice, Refused
from pitwarden_console.site_time import SiteTime

UNKNOWN_KIND: Final = "unknown"
"""Kind of what a later schema version published: its bytes are stored, its meaning is not known here."""

Values = Mapping[str, int | str | bytes | bool | date | None]


@dataclass(frozen=True, slots=True)
class RecordContext:
    """Circumstances of a record: its table, our time, and the time of the record before it."""

    table_id: int
    time: SiteTime
    received_ms: int
    previous_ms: int


def row_values(item: LogItem, context: RecordContext) -> Values:
    """Return the columns of a row of the log."""
    event = item.event
    outline = _outline(item.body)
    at_ms = context.previous_ms if event is None else parse_rfc3339(event.time)
    data = None if event is None else event.data
    logged = data if isinstance(data, InputLogged) else None
    return {
        "table_id": context.table_id,
        "epoch": item.at.epoch,
        "number": item.at.number,
        "day": context.time.gaming_day(at_ms),
        "at_ms": at_ms,
        "log_ms": None if event is None else event.logms,
        "received_ms": context.received_ms,
        "kind": UNKNOWN_KIND if data is None else logged.act.act if logged else data.kind,
        "source": _text(outline, "source").rpartition("/")[2][:64],
        "person": logged.person if logged else None,
        "simulated": outline.get("simulated") is True,
        "hash": digest(item.body),
        "prevhash": _text(outline, "prevhash"),
        "body": item.body,
    }


def output_values(item: OutputItem, chain: int, context: RecordContext) -> Values:
    """Return the columns of an output of the judge, in the `chain`-th chain of its table."""
    event = item.event
    outline = _outline(item.body)
    at_ms = context.previous_ms if event is None else parse_rfc3339(event.time)
    data = None if event is None else event.data
    ranked = data if isinstance(data, Irregularity | Duty) else None
    row = outline.get("tableseq")
    return {
        "table_id": context.table_id,
        "chain": chain,
        "number": item.number,
        "epoch": _text(outline, "epoch")[:64],
        "row": row if isinstance(row, int) else 0,
        "day": context.time.gaming_day(at_ms),
        "at_ms": at_ms,
        "received_ms": context.received_ms,
        "kind": UNKNOWN_KIND if data is None else data.kind,
        "ref": None if ranked is None else ranked.ref,
        "catalogue": data.catalogue if isinstance(data, Irregularity | Duty | Notice | Refused) else None,
        "status": None if ranked is None else ranked.status,
        "by": data.by if isinstance(data, Irregularity) else None,
        "rules_version": None if event is None else event.rulesversion,
        "profile_digest": None if event is None else event.profiledigest,
        "proved": item.proved,
        "simulated": outline.get("simulated") is True,
        "hash": digest(item.body),
        "prevhash": _text(outline, "prevhash"),
        "body": item.body,
    }


def _outline(body: bytes) -> Mapping[str, object]:
    """Return the members of a message that the client has accepted, so that it is an object."""
    made: object = json.loads(body)
    return made if isinstance(made, dict) else {}


def _text(outline: Mapping[str, object], name: str) -> str:
    value = outline.get(name)
    return value if isinstance(value, str) else GENESIS
