"""Which rows of a journal are old: rows stand in the order of their time, so a few looks find the place."""

import json
import sqlite3
from typing import Final

_SHARE: Final = 4
"""Of a journal that takes too much room, this part goes: one of so many."""


def older_than(sql: sqlite3.Connection, query: str, first: int, last: int, before: str) -> int:
    """The last place from `first` to `last` whose row is older than `before` (RFC 3339 in UTC); `first` - 1 for none.

    `query` gives the body of the row at a place, as its one parameter.
    """
    low, high = first - 1, last
    while low < high:
        middle = (low + high + 1) // 2
        if _time(sql, query, middle) < before:
            low = middle
        else:
            high = middle - 1
    return low


def beyond_size(sql: sqlite3.Connection, first: int, last: int, most_bytes: int) -> int:
    """The last place of the oldest quarter when the journal holds more than `most_bytes` (0: no limit)."""
    pages, free, size = (
        sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    too_much = most_bytes and (pages - free) * size > most_bytes
    return first + (last - first) // _SHARE if too_much else first - 1


def _time(sql: sqlite3.Connection, query: str, place: int) -> str:
    found = sql.execute(query, (place,)).fetchone()
    return time_of(found[0]) if found else ""


def time_of(body: bytes) -> str:
    """The time of a row; empty for what nobody can read, which keeps nothing back."""
    try:
        return str(json.loads(body)["time"])
    except (ValueError, KeyError, TypeError):
        return ""
