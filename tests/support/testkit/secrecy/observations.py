"""Observations of a night from outside, as text to compare; random strings are replaced by their length."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Final

from pitwarden_drivers.framing.stuffed import Framer, GoodFrame
from pitwarden_drivers.tdp.commands import lamps_from_frame
from pitwarden_drivers.tdp.frames_host import LampFrame
from pitwarden_drivers.tdp.wire import decode

_RANDOM = frozenset({"box", "commitment", "blind", "prevhash", "hash", "outputhash", "signature", "parent_hash"})
"""Fields and columns with seals, wrapped keys, commitments, blinds, hashes, signatures."""

# Rows between two readings of the metrics; reading them at every row would double the time of a night.
SCRAPED_ROWS: Final = 16


@dataclass(frozen=True)
class SeenItem:
    """Message or log line, its simulated time in ms, and the number of the log row that it is, or 0."""

    at_ms: int
    what: str
    text: str
    row: int = 0

    def __str__(self) -> str:
        return f"{self.at_ms} {self.what} {self.text}"


@dataclass(frozen=True)
class ObservedRow:
    """Row of a journal's table as read, and the number of the log row that it belongs to, or 0."""

    row: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass
class Observations:
    """One night from outside: messages, log lines and metrics in one stream, then each journal's rows by table."""

    now_ms: Callable[[], int]
    metrics: Callable[[], bytes] = bytes
    stream: list[SeenItem] = field(default_factory=list)
    journals: dict[str, list[ObservedRow]] = field(default_factory=dict)
    bodies: list[bytes] = field(default_factory=list)
    raw: list[tuple[str, bytes]] = field(default_factory=list, compare=False)

    def message(self, topic: str, payload: bytes) -> None:
        """Record a published message."""
        row = 0
        self.raw.append((topic, payload))
        if "/events/" in topic:
            self.bodies.append(payload)
            row = int(json.loads(payload)["tableseq"])
            if row % SCRAPED_ROWS == 0:
                self.stream.append(SeenItem(self.now_ms(), "metrics", _less_the_machine(self.metrics())))
        self.stream.append(SeenItem(self.now_ms(), topic, shape(payload), row))

    def line(self, text: str) -> None:
        """Record a written log line."""
        self.stream.append(SeenItem(self.now_ms(), "log", text))

    def keypad_line(self, chunk: bytes) -> list[bytes]:
        """Record bytes for the dealer's keypad: any person at the table sees its lamps."""
        for found in Framer().feed(chunk):
            frame = decode(found.content) if isinstance(found, GoodFrame) else None
            if isinstance(frame, LampFrame):
                self.stream.append(SeenItem(self.now_ms(), "lamps", str(lamps_from_frame(frame))))
        return [chunk]

    def read_journal(self, path: Path) -> None:
        """Read every row of every table of a closed journal."""
        with closing(sqlite3.connect(path)) as sql:
            names = [name for (name,) in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            for name in sorted(names):
                found = sql.execute(f'SELECT * FROM "{name}"')  # noqa: S608  the name is the schema's own
                columns = [column[0] for column in found.description]
                self.journals[f"{path.name} {name}"] = [_stored(name, columns, row) for row in found]

    def before(self, row: int) -> "Observations":
        """Return all that was seen before log row `row` was published, and the journals' content on rows before it."""
        cut = next((i for i, seen in enumerate(self.stream) if seen.row >= row), len(self.stream))
        kept = {name: [each for each in rows if 0 < each.row < row] for name, rows in self.journals.items()}
        return Observations(self.now_ms, self.metrics, self.stream[:cut], kept)


def first_difference(one: Observations, other: Observations) -> str:
    """Return where two nights differ, as a sentence; empty when they are equal."""
    for a, b in zip_longest(one.stream, other.stream):
        if a != b:
            return f"in the stream:\n  {a}\n  {b}"
    if one.journals.keys() != other.journals.keys():
        return f"in the journals' tables: {sorted(one.journals.keys() ^ other.journals.keys())}"
    for name, rows in one.journals.items():
        for x, y in zip_longest(rows, other.journals[name]):
            if x != y:
                return f"in {name}:\n  {x}\n  {y}"
    return ""


def shape(payload: bytes) -> str:
    """Return JSON with random strings replaced by their lengths, in the order of its keys.

    Other bytes by their length.
    """
    try:
        return json.dumps(_shaped("", json.loads(payload)))
    except ValueError:
        return f"<{len(payload)} bytes>"


def _less_the_machine(metrics: bytes) -> str:
    """Return the metrics without the free space of the machine's disk."""
    return "".join(line for line in metrics.decode().splitlines(keepends=True) if "disk_free" not in line)


def _shaped(name: str, value: object) -> object:
    if isinstance(value, dict):
        return {key: _shaped(key, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shaped(name, inner) for inner in value]
    if isinstance(value, str) and name in _RANDOM:
        return f"<{len(value)}>"
    return value


_OF_ONE_ROW = frozenset({"row", "answer", "received", "output", "snapshot"})
"""Tables whose rows belong to one log row. The others hold the newest marks; they count at the end of whole nights."""


def _stored(table: str, columns: Sequence[str], values: Sequence[object]) -> ObservedRow:
    named = dict(zip(columns, values, strict=True))
    row = named.get("number") if table in _OF_ONE_ROW else None
    return ObservedRow(
        row if isinstance(row, int) else 0, " ".join(f"{key}={_value(key, named[key])}" for key in columns)
    )


def _value(column: str, value: object) -> object:
    return shape(value) if isinstance(value, bytes) else _shaped(column, value)
