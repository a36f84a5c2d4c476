"""Journals as lines: the committed bytes as JSON lines, or the envelope of each row as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from pitwarden_client.events.codec import encode

from pitwarden.audit.reading import Row
from pitwarden.audit.rounds import readable
from pitwarden.journal.records import OutputRow

COLUMNS: Final = (
    "epoch", "number", "hash", "prevhash", "time", "clocksync", "clockerror", "logms", "source", "type", "simulated",
    "data",
)  # fmt: skip
OUTPUT_COLUMNS: Final = ("seq", "epoch", "number", "index", "hash", "topic", "body")


def log_lines(rows: Iterable[Row], form: Literal["jsonl", "csv"]) -> Iterator[str]:
    """The rows of a log. A row that cannot be read has empty columns in CSV and its bytes, replaced, in JSON lines."""
    if form == "jsonl":
        yield from (row.body.decode(errors="backslashreplace") for row in rows)
        return
    yield _line(COLUMNS)
    for row in rows:
        event = readable(row.body)
        if event is None:
            yield _line((row.at.epoch, row.at.number, row.hash, *[""] * (len(COLUMNS) - 3)))
            continue
        yield _line(
            (
                event.epoch, event.tableseq, row.hash, event.prevhash, event.time, event.clocksync, event.clockerror,
                event.logms, event.source, event.type, event.simulated, encode(event.data).decode(),
            )
        )  # fmt: skip


def output_lines(outputs: Iterable[OutputRow], form: Literal["jsonl", "csv"]) -> Iterator[str]:
    """What was judged."""
    if form == "jsonl":
        yield from (output.body.decode(errors="backslashreplace") for output in outputs)
        return
    yield _line(OUTPUT_COLUMNS)
    for out in outputs:
        body = out.body.decode(errors="backslashreplace")
        yield _line((out.seq, out.cause.epoch, out.cause.number, out.index, out.hash, out.topic, body))


def _line(values: Iterable[object]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow(values)
    return made.getvalue()
