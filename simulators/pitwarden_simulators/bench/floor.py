"""The floor: what any service costs that takes a frame from a line over a broker to a verdict, durable at both ends.

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
from pathlib import Path
from typing import Final

import aiomqtt
from paho.mqtt.client import MQTTMessage

IN: Final = "floor/in"
OUT: Final = "floor/out"
READY: Final = "floor/ready"
ROW: Final = b"r" * 707  # the length of the row of the card that is measured
SAID: Final = b"s" * 970  # of its irregularity
STEADY: Final = 900  # commits; the write-ahead log begins anew behind a thousand pages, after some 750 of them


class Commits:
    """One table of bytes; each commit is on the disk when it returns."""

    def __init__(self, path: Path) -> None:
        self._sql = sqlite3.connect(path, isolation_level=None)
        self._sql.execute("PRAGMA journal_mode=WAL")
        self._sql.execute("PRAGMA synchronous=FULL")
        self._sql.execute("CREATE TABLE IF NOT EXISTS row (place INTEGER PRIMARY KEY, body BLOB)")

    def commit(self, body: bytes) -> None:
        """Stores one row durably."""
        self._sql.execute("INSERT INTO row VALUES (NULL, ?)", (body,))


async def serve(port: int, pty: str, folder: Path) -> None:
    """Bytes from the pty are stored, published, received, stored and answered, until killed."""
    field, judge = Commits(folder / "floor-field.sqlite"), Commits(folder / "floor-judge.sqlite")
    for each in (field, judge):
        for _ in range(STEADY):
            each.commit(ROW)
    line = os.open(pty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    async with _client(port, "floor-out") as out, _client(port, "floor-in") as heard:
        paho = out._client  # noqa: SLF001  the bare client's own engine, without a task for each message
        for one in (out, heard):
            sock = one._client.socket()  # noqa: SLF001  as above
            if isinstance(sock, socket.socket):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def from_line() -> None:
            os.read(line, 4_096)
            field.commit(ROW)
            paho.publish(IN, ROW, 1)

        def from_broker(_client: object, _data: object, message: MQTTMessage) -> None:
            judge.commit(bytes(message.payload))
            paho.publish(OUT, SAID, 1)

        heard._client.on_message = from_broker  # noqa: SLF001  direct dispatch
        await heard.subscribe(IN, qos=1)
        asyncio.get_running_loop().add_reader(line, from_line)
        await out.publish(READY, b"", qos=1)
        await asyncio.get_running_loop().create_future()


def _client(port: int, name: str) -> aiomqtt.Client:
    return aiomqtt.Client("127.0.0.1", port, identifier=name, protocol=aiomqtt.ProtocolVersion.V5)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
