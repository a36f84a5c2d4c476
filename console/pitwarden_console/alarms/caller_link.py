"""Connection to the caller: a process of its own on this machine, the only one with a way out of the network.

Lines of JSON over a Unix socket. The console sends a beat every few seconds; a caller that misses them calls by itself.
"""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Final

# Seconds between two beats: the caller calls by itself after three are missing.
BEAT_S: Final = 5.0
# Seconds for which a call waits for the service's answer. A step of a house is longer.
ANSWER_S: Final = 25.0
# Seconds until the connection is tried again. Meanwhile the pages show that no one can be called.
RETRY_S: Final = 1.0
# Longest line from the caller, in bytes: an answer has one sentence.
MAX_LINE: Final = 8_192

NOT_CONNECTED: Final = "the caller does not answer at its socket"


class CallerLink:
    """The connection. `call` can be used at any time; without a connection it answers with the reason."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._next = 1

    async def run(self) -> None:
        """Hold the connection until cancelled."""
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_unix_connection(self._socket, limit=MAX_LINE)
                self._writer = writer
                beats = asyncio.create_task(self._beats(writer), name="beats to the caller")
                try:
                    await self._read(reader)
                finally:
                    beats.cancel()
                    self._lost()
                    writer.close()
            await asyncio.sleep(RETRY_S)

    async def call(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the service took the call, else the reason why it did not."""
        if self._writer is None:
            return NOT_CONNECTED
        ident, self._next = self._next, self._next + 1
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[ident] = answer
        try:
            await self._send(self._writer, {"id": ident, "to": recipient, "title": title, "text": text})
            async with asyncio.timeout(ANSWER_S):
                return await answer
        except TimeoutError:
            return "the service did not answer in time"
        except OSError:
            return NOT_CONNECTED
        finally:
            self._waiting.pop(ident, None)

    async def _beats(self, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                await self._send(writer, {"beat": True})
                await asyncio.sleep(BEAT_S)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            try:
                answer = json.loads(line)
                waiting = self._waiting.get(answer["id"])
                if waiting is not None and not waiting.done():
                    waiting.set_result(str(answer["reason"]))
            except (ValueError, KeyError, TypeError):
                return  # not our caller: the connection begins again

    @staticmethod
    async def _send(writer: asyncio.StreamWriter, content: dict[str, object]) -> None:
        writer.write(json.dumps(content).encode() + b"\n")
        await writer.drain()

    def _lost(self) -> None:
        self._writer = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(NOT_CONNECTED)
