"""Connection to the caller: a process of its own on this machine, the only one with a way out of the network.

The console sends a beat every few seconds; a caller that misses them calls by itself, and a caller that returns none
counts as lost here.
"""

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Final

from pitwarden_client.backoff import LinkBackoff, RetryPolicy
from pitwarden_console.caller.wire import (
    ANSWER_S,
    BEAT_S,
    MAX_LINE,
    SILENCE_S,
    CallerLine,
    ConsoleLine,
    WireError,
    call_line,
    read_line,
    write_line,
)

NOT_CONNECTED: Final = "the caller does not answer at its socket"
_LOG: Final = logging.getLogger("pitwarden_console")


class CallerLink:
    """The connection. `call` can be used at any time; without a connection it answers with the reason."""

    def __init__(
        self, socket: Path, *, retry: RetryPolicy | None = None, answer_s: float = ANSWER_S,
        silence_s: float = SILENCE_S,
    ) -> None:  # fmt: skip
        self._socket, self._answer_s, self._silence_s = socket, answer_s, silence_s
        self._retry = LinkBackoff() if retry is None else retry
        self._writer: asyncio.StreamWriter | None = None
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._next = 1
        self._is_up: bool | None = None

    async def run(self) -> None:
        """Hold the connection until cancelled, whatever is at the socket."""
        while True:
            try:
                await self._connected()
                reason = "closed"
            except TimeoutError:
                reason = "silent"
            except (OSError, WireError) as error:
                reason = str(error)
            self._is_now(up=False, reason=reason)
            await asyncio.sleep(self._retry.after_failure())

    async def call(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the service took the call, else the reason why it did not."""
        if self._writer is None:
            return NOT_CONNECTED
        ident, self._next = self._next, self._next + 1
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[ident] = answer
        try:
            async with asyncio.timeout(self._answer_s):
                await write_line(self._writer, call_line(ident, recipient, title, text))
                return await answer
        except TimeoutError:
            return "the service did not answer in time"
        except OSError:
            return NOT_CONNECTED
        finally:
            self._waiting.pop(ident, None)

    async def _connected(self) -> None:
        """Hold one connection to its end.

        Raises:
            OSError: There is no socket, or the connection failed; TimeoutError when nothing came for too long.
            WireError: The other side sent no line of the format.
        """
        reader, writer = await asyncio.open_unix_connection(self._socket, limit=MAX_LINE)
        beats = asyncio.create_task(self._beats(writer), name="beats to the caller")
        try:
            while True:
                async with asyncio.timeout(self._silence_s):
                    line = await read_line(reader, CallerLine)
                if line is None:
                    return
                # Only a line of the format proves that it is the caller.
                self._writer = writer
                self._retry.succeeded()
                self._is_now(up=True)
                self._answered(line)
        finally:
            beats.cancel()
            await asyncio.gather(beats, return_exceptions=True)
            self._lost()
            writer.close()

    async def _beats(self, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                await write_line(writer, ConsoleLine())
                await asyncio.sleep(BEAT_S)

    def _answered(self, line: CallerLine) -> None:
        waiting = None if line.answer is None else self._waiting.get(line.answer.id)
        if line.answer is not None and waiting is not None and not waiting.done():
            waiting.set_result(line.answer.reason)

    def _is_now(self, *, up: bool, reason: str = "") -> None:
        """Log the first loss, and the return: not each attempt."""
        if up is self._is_up:
            return
        self._is_up = up
        if up:
            _LOG.info("caller connected socket=%s", self._socket)
        else:
            _LOG.warning("caller lost socket=%s reason=%s", self._socket, reason)

    def _lost(self) -> None:
        self._writer = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(NOT_CONNECTED)
