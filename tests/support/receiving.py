"""A receiver that has read some rows, and what it says of the next."""

import json

from log_rows import SOURCE
from pitwarden.client.chain.receiver import LogReceiver
from pitwarden.events.base import Position
from pitwarden.events.table import Head
from pitwarden.journal.rows import NewRow


def fed(receiver: LogReceiver, rows: list[NewRow]) -> list[Position]:
    return [row.at for sent in rows for row in receiver.take(sent.body).rows]


def at(rows: list[NewRow]) -> list[Position]:
    return [row.at for row in rows]


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


def behind(rows: list[NewRow]) -> LogReceiver:
    receiver = LogReceiver(None, [], SOURCE)
    assert fed(receiver, rows) == at(rows)
    return receiver


def rewritten(row: NewRow, **changed: object) -> bytes:
    return json.dumps(json.loads(row.body) | changed).encode()
