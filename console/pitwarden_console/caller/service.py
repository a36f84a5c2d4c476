"""The caller's socket: it takes calls and beats of the console, and calls by itself when the beats stop.

Threat: a console that dies, and with it every page and every step. The caller is another process, so it notices.
"""

import asyncio
import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

# Seconds without a beat after which the caller calls by itself: three beats of the console.
SILENCE_S: Final = 15.0
# Longest line from the console, in bytes: a call has a title and one sentence.
MAX_LINE: Final = 8_192
# Seconds between two checks whether beats arrive: a small part of the silence that is noticed.
_CHECK_S: Final = 1.0
_LOG: Final = logging.getLogger("pitwarden_console.caller")


class CallSender(Protocol):
    """Sender of calls."""

    async def send(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the call was taken, else the reason."""
        ...


class CallerService:
    """The caller. `silent` is called when the beats of a console stop, and when they return."""

    def __init__(
        self, socket: Path, sender: CallSender, silent: Sequence[str], *, silence_s: float = SILENCE_S
    ) -> None:
        self._socket, self._sender, self._silent, self._silence_s = socket, sender, silent, silence_s
        self._beat_at: float | None = None
        self._is_silent = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve the socket until cancelled."""
        with suppress(FileNotFoundError):
            self._socket.unlink()
        before = os.umask(0o117)  # the console's group alone may connect
        try:
            server = await asyncio.start_unix_server(self._serve, self._socket, limit=MAX_LINE)
        finally:
            os.umask(before)
        async with server:
            _LOG.info("caller started socket=%s", self._socket)
            while True:
                await asyncio.sleep(min(_CHECK_S, self._silence_s / 3))
                await self.check()

    async def check(self) -> None:
        """Call when the beats have stopped, or when they returned. A console that was never there is not missed."""
        if self._beat_at is None:
            return
        missing = asyncio.get_running_loop().time() - self._beat_at >= self._silence_s
        if missing != self._is_silent:
            self._is_silent = missing
            sentence = "The pit console does not answer." if missing else "The pit console answers again."
            _LOG.warning("console %s", "silent" if missing else "back")
            for recipient in self._silent:
                reason = await self._sender.send(recipient, "Pit console", sentence)
                if reason:
                    _LOG.error("call failed recipient=%s reason=%s", recipient, reason)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                content = json.loads(line)
                self._beat_at = asyncio.get_running_loop().time()
                if "id" in content:
                    made = asyncio.create_task(self._answer(content, writer), name="call")
                    self._tasks.add(made)
                    made.add_done_callback(self._tasks.discard)
        except (ValueError, TypeError, OSError) as error:
            _LOG.warning("connection refused error=%s", type(error).__name__)
        finally:
            writer.close()

    async def _answer(self, content: dict[str, object], writer: asyncio.StreamWriter) -> None:
        words = [str(content.get(name, "")) for name in ("to", "title", "text")]
        reason = await self._sender.send(*words)
        with suppress(OSError):
            writer.write(json.dumps({"id": content["id"], "reason": reason}).encode() + b"\n")
            await writer.drain()
