"""Rows of many tables, numbered, sealed, chained, signed and packed before the measurement, on every core."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from pitwarden.seal.keys import load_private, load_signing
from pitwarden_tools.bench.bare_mqtt import IDENTS, publish
from pitwarden_tools.bench.feed import Feed

ROUNDS: Final = 8  # of the script; its night starts over after them


def prepared(keys: Path, tables: Sequence[str], rows: int) -> list[list[bytes]]:
    """Return the first `rows` packets of each table's log, signed and sealed with the `keys` of all."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(partial(_packets, keys, rows, len(tables)), tables, range(len(tables)), chunksize=4))


def built(keys: Path, table: str, rows: int) -> Iterator[tuple[str, bytes]]:
    """Yield topic and payload of the first `rows` rows of one table's log."""
    signer, judge = load_signing(keys / "field.key"), load_private(keys / "judge.key")
    feed = Feed(table, signer, judge.public_key, ROUNDS)
    return ((feed.topic(row), row.stored.body) for row in islice(feed, rows))


def _packets(keys: Path, rows: int, tables: int, table: str, place: int) -> list[bytes]:
    return [
        publish(topic, (number * tables + place) % IDENTS + 1, payload)
        for number, (topic, payload) in enumerate(built(keys, table, rows))
    ]
