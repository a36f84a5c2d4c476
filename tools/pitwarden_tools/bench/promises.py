"""Baseline with the promises of a row and a verdict, which no design can leave out, and nothing that decides or checks.

Each frame has a checksum; the card is sealed, committed to and chained; the verdict is chained to it. Both commits are
made in a thread each, since a disk that stalls must not stop the loop that serves lamps and lines. Arguments as those
of `baseline`. The cost of the service beyond this is drivers, checks, rules and evidence; the cost of this beyond the
baseline is one that no service of this design can save.
"""

import asyncio
import hashlib
import json
import os
import sys
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Final

from pitwarden.seal import sodium
from pitwarden_tools.bench.baseline import ROW, SAID, Commits, connected

MARK: Final = "p"
_PLACE: Final = b"/bench/table/shoe"
_JOKER: Final = b"\x34"
_KEY: Final = sodium.random_bytes(sodium.KEY_BYTES)


class PromisedJournal:
    """File of commits and its thread."""

    def __init__(self, path: Path) -> None:
        self._calls: SimpleQueue[tuple[bytes, Callable[[], None]]] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        Thread(target=self._work, args=(path,), daemon=True).start()

    def commit(self, body: bytes, done: Callable[[], None]) -> None:
        """Call `done` in the loop once `body` is on the disk."""
        self._calls.put((body, done))

    def _work(self, path: Path) -> None:
        commits = Commits(path)
        while True:
            body, done = self._calls.get()
            commits.commit(body)
            self._loop.call_soon_threadsafe(done)


class Chain:
    """Messages of the length of ours, each with the hash of the previous one."""

    def __init__(self, length: int) -> None:
        self._length, self._before = length, "0" * 64
        self.number = 0

    def next(self, **fields: object) -> bytes:
        """Return the next message as JSON."""
        self.number += 1
        body = json.dumps({"number": self.number, "prevhash": self._before, **fields}).encode()
        body = body[:-1] + b" " * (self._length - len(body)) + body[-1:]
        self._before = hashlib.sha256(body).hexdigest()
        return body


def _sealed(number: int) -> dict[str, str]:
    blind = sodium.random_bytes(32)
    place = _PLACE + number.to_bytes(8, "big")
    box = sodium.aead_seal(_KEY, _JOKER + blind, place)
    return {"box": b64encode(box).decode(), "commitment": hashlib.sha256(place + _JOKER + blind).hexdigest()}


def _opens(body: bytes) -> bool:
    """Return whether the row's card matches its commitment."""
    row = json.loads(body)
    place = _PLACE + int(row["number"]).to_bytes(8, "big")
    plain = sodium.aead_open(_KEY, b64decode(row["face"]["box"]), place)
    return hashlib.sha256(place + plain).hexdigest() == str(row["face"]["commitment"])


async def serve(port: int, pty: str, folder: Path) -> None:
    """Serve as the baseline does. A row that cannot be opened is not answered."""
    field, judge = PromisedJournal(folder / "promises-field.sqlite"), PromisedJournal(folder / "promises-judge.sqlite")
    rows, verdicts = Chain(len(ROW)), Chain(len(SAID))
    async with connected(port, MARK) as bare:
        line = os.open(pty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

        def from_line() -> None:
            checked = zlib.crc32(os.read(line, 4_096))
            body = rows.next(source="shoe", checked=checked, face=_sealed(rows.number + 1))
            field.commit(body, lambda: bare.row(body))

        def from_broker(body: bytes) -> None:
            if _opens(body):
                said = verdicts.next(parent=hashlib.sha256(body).hexdigest())
                judge.commit(body + said, lambda: bare.verdict(said))

        await bare.begin(line, from_line, from_broker)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
