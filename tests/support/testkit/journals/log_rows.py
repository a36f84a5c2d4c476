"""Rows of a log, chained as a field half chains them, and receivers that have read some of them."""

import json
from dataclasses import dataclass, replace

from pitwarden.journal.records import NewRow
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest, encode
from pitwarden_client.events.envelope import GENESIS, LogEvent, rfc3339
from pitwarden_client.events.table import ClockTick, EpochOpened, Head, TableEvent

SOURCE = "/site/t1/"
SIGNATURE = "A" * 86 + "=="


@dataclass(frozen=True)
class RowWriter:
    """End of a log; `write` and `open` return the next row and the log after it."""

    head: Head | None = None

    def open(self, epoch: str) -> tuple[NewRow, "RowWriter"]:
        """Return the first row of `epoch`, with this log as its parent."""
        return self.row(epoch, 1, EpochOpened(parent=self.head, signer="0" * 64, signature=SIGNATURE))

    def write(self, salt: int = 0) -> tuple[NewRow, "RowWriter"]:
        """Return the next row; rows with another `salt` differ."""
        if self.head is None:
            raise ValueError("open an epoch first")
        return self.row(self.head.at.epoch, self.head.at.number + 1, ClockTick(), salt)

    def row(self, epoch: str, number: int, data: TableEvent, salt: int = 0) -> tuple[NewRow, "RowWriter"]:
        """Return a row with this number, chained to this log."""
        before = GENESIS if self.head is None else self.head.hash
        body = encode(
            LogEvent(
                id=f"{epoch}/{number}",
                source=f"{SOURCE}field",
                type=f"pitwarden.{data.kind}",
                time=rfc3339(0),
                epoch=epoch,
                prevhash=before,
                simulated=True,
                tableseq=number,
                logms=number * 10 + salt,
                clocksync=True,
                clockerror=0,
                data=data,
            )
        )
        at = Position(epoch=epoch, number=number)
        row = NewRow(at, digest(body), before, f"t/{data.kind}", body)
        return row, replace(self, head=Head(at=at, hash=row.hash))


def log_of(*lengths: int, writer: RowWriter | None = None, first: int = 1) -> list[NewRow]:
    """Return epochs `e<first>`, `e<first+1>` ... of these lengths, one after the other."""
    writer, rows = writer or RowWriter(), []
    for which, length in enumerate(lengths, first):
        row, writer = writer.open(f"e{which}")
        rows.append(row)
        for _ in range(length - 1):
            row, writer = writer.write()
            rows.append(row)
    return rows


def writer_at(row: NewRow) -> RowWriter:
    """Return the log that ends with `row`."""
    return RowWriter(Head(at=row.at, hash=row.hash))


def accepted_positions(receiver: LogReceiver, rows: list[NewRow]) -> list[Position]:
    return [row.at for sent in rows for row in receiver.take(sent.body).rows]


def at(rows: list[NewRow]) -> list[Position]:
    return [row.at for row in rows]


def head(row: NewRow) -> Head:
    return Head(at=row.at, hash=row.hash)


def receiver_after(rows: list[NewRow]) -> LogReceiver:
    receiver = LogReceiver(None, [], SOURCE)
    assert accepted_positions(receiver, rows) == at(rows)
    return receiver


def rewritten(row: NewRow, **changed: object) -> bytes:
    return json.dumps(json.loads(row.body) | changed).encode()
