"""Baseline: the cost of any service that brings a frame over a broker to a verdict, durable at both ends.

A child process with nothing of ours: a bare pty, two bare SQLite files with `synchronous=FULL`, two connections of the
bare client (no delay, direct dispatch), QoS 1. Its files are in the steady state of any that has run for some minutes:
the write-ahead log has its full length, so that a commit overwrites and does not grow. Arguments: port, pty, folder.
`floor.c` is the same in C.
"""

import asyncio
import os
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiomqtt
from paho.mqtt.client import MQTTMessage

IN: Final = "floor/in"
OUT: Final = "floor/out"
READY: Final = "floor/ready"
ROW: Final = b"r" * 707  # length of the row of the measured card, in bytes
SAID: Final = b"s" * 970  # length of its irregularity, in bytes
# Commits. The write-ahead log starts over after a thousand pages, that is after some 750 commits.
STEADY: Final = 900


class Commits:
    """Table of bytes in the steady state; each commit is on the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self._sql = sqlite3.connect(path, isolation_level=None)
        self._sql.execute("PRAGMA journal_mode=WAL")
        self._sql.execute("PRAGMA synchronous=FULL")
        self._sql.execute("CREATE TABLE IF NOT EXISTS row (place INTEGER PRIMARY KEY, body BLOB)")
        for _ in range(STEADY):
            self.commit(ROW)

    def commit(self, body: bytes) -> None:
        """Store one row durably."""
        self._sql.execute("INSERT INTO row VALUES (NULL, ?)", (body,))


@dataclass(frozen=True, slots=True)
class Bare:
    """Two connections of the bare client, without a task for each message; the topics begin with `mark`."""

    out: aiomqtt.Client
    heard: aiomqtt.Client
    mark: str

    def row(self, body: bytes) -> None:
        """Publish a row."""
        self.out._client.publish(self.mark + IN, body, 1)  # noqa: SLF001  the bare client's own engine

    def verdict(self, body: bytes) -> None:
        """Publish a verdict."""
        self.out._client.publish(self.mark + OUT, body, 1)  # noqa: SLF001  as above

    async def begin(self, line: int, from_line: Callable[[], None], from_broker: Callable[[bytes], None]) -> None:
        """Report readiness and pass on what arrives, until killed."""

        def heard(_client: object, _data: object, message: MQTTMessage) -> None:
            from_broker(bytes(message.payload))

        self.heard._client.on_message = heard  # noqa: SLF001  direct dispatch
        await self.heard.subscribe(self.mark + IN, qos=1)
        asyncio.get_running_loop().add_reader(line, from_line)
        await self.out.publish(self.mark + READY, b"", qos=1)
        await asyncio.get_running_loop().create_future()


@asynccontextmanager
async def connected(port: int, mark: str = "") -> AsyncIterator[Bare]:
    """Yield the bare client's connections, without delay."""
    async with _client(port, f"{mark}floor-out") as out, _client(port, f"{mark}floor-in") as heard:
        for one in (out, heard):
            sock = one._client.socket()  # noqa: SLF001  the bare client's own engine
            if isinstance(sock, socket.socket):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield Bare(out, heard, mark)


async def serve(port: int, pty: str, folder: Path) -> None:
    """Store, publish, receive, store and answer the bytes from the pty, until killed."""
    field, judge = Commits(folder / "floor-field.sqlite"), Commits(folder / "floor-judge.sqlite")
    line = os.open(pty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    async with connected(port) as bare:

        def from_line() -> None:
            os.read(line, 4_096)
            field.commit(ROW)
            bare.row(ROW)

        def from_broker(body: bytes) -> None:
            judge.commit(body)
            bare.verdict(SAID)

        await bare.begin(line, from_line, from_broker)


def _client(port: int, name: str) -> aiomqtt.Client:
    return aiomqtt.Client("127.0.0.1", port, identifier=name, protocol=aiomqtt.ProtocolVersion.V5)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
