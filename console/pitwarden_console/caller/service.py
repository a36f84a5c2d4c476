"""The caller's socket: it takes calls and beats of the console, and calls by itself when the beats stop.

Threat: a console that dies, and with it every page and every step. The caller is another process, so it notices.
"""

import asyncio
import logging
import os
import random
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from pitwarden_client.backoff import Backoff
from pitwarden_console.caller.wire import (
    MAX_LINE,
    SILENCE_S,
    CallerLine,
    CallRequest,
    ConsoleLine,
    WireError,
    answer_line,
    read_line,
    write_line,
)
from pitwarden_console.clock import ConsoleClock

# Seconds between two checks whether beats arrive: a small part of the silence that is noticed.
_CHECK_S: Final = 1.0
# Shortest and longest delay in ms until a call of the caller itself is tried again: a network is often back in minutes.
RETRY_MS: Final = (5_000, 60_000)
MAX_CALLS: Final = 100
"""Number of calls that may wait for their services at once: as many as the file has recipients."""
_TOO_MANY: Final = "too many calls wait for their services"
_LOG: Final = logging.getLogger("pitwarden_console.caller")


class CallSender(Protocol):
    """Sender of calls."""

    async def send(self, recipient: str, title: str, text: str) -> str:
        """Return an empty text once the call was taken, else the reason."""
        ...


class CallerService:
    """The caller. `silent` is called when the beats of a console stop, and when they return."""

    def __init__(self, socket: Path, sender: CallSender, silent: Sequence[str], clock: ConsoleClock) -> None:
        self._socket, self._sender, self._silent, self._clock = socket, sender, silent, clock
        self._beat_ms: int | None = None
        """Monotonic time of the last beat; None before the first."""
        self._is_silent = False
        self._owed: dict[str, _Owed] = {}
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
        try:
            async with server:
                _LOG.info("caller started socket=%s", self._socket)
                while True:
                    await asyncio.sleep(_CHECK_S)
                    await self.check()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def check(self) -> None:
        """Call when the beats have stopped, or when they returned. A console that was never there is not missed."""
        if self._beat_ms is None:
            return
        now = self._clock.monotonic_ms()
        missing = now - self._beat_ms >= SILENCE_S * 1_000
        if missing != self._is_silent:
            self._is_silent = missing
            _LOG.warning("console %s", "silent" if missing else "back")
            self._owed = {recipient: _Owed(*RETRY_MS) for recipient in self._silent}
        due = [recipient for recipient, owed in self._owed.items() if owed.at <= now]
        await asyncio.gather(*(self._call(recipient, self._owed[recipient]) for recipient in due))

    async def _call(self, recipient: str, owed: "_Owed") -> None:
        """Call a recipient about the console; what fails is tried again until the beats change."""
        sentence = "The pit console does not answer." if self._is_silent else "The pit console answers again."
        reason = await self._sender.send(recipient, "Pit console", sentence)
        if reason:
            _LOG.error("call failed recipient=%s reason=%s", recipient, reason)
            owed.failed(self._clock.monotonic_ms())
        else:
            self._owed.pop(recipient, None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (line := await read_line(reader, ConsoleLine)) is not None:
                self._beat_ms = self._clock.monotonic_ms()
                if line.call is None:
                    await write_line(writer, CallerLine())
                elif len(self._tasks) >= MAX_CALLS:
                    await write_line(writer, answer_line(line.call.id, _TOO_MANY))
                else:
                    made = asyncio.create_task(self._answer(line.call, writer), name="call")
                    self._tasks.add(made)
                    made.add_done_callback(self._tasks.discard)
        except (WireError, OSError) as error:
            _LOG.warning("connection refused error=%s", error)
        finally:
            writer.close()

    async def _answer(self, wanted: CallRequest, writer: asyncio.StreamWriter) -> None:
        reason = await self._sender.send(wanted.to, wanted.title, wanted.text)
        with suppress(OSError):
            await write_line(writer, answer_line(wanted.id, reason))


class _Owed:
    """Call that a recipient has not had, and the monotonic time (ms) from which it is tried."""

    def __init__(self, floor_ms: int, cap_ms: int) -> None:
        self.at = 0
        self._backoff = Backoff(random.SystemRandom().random, floor_ms, cap_ms)

    def failed(self, now: int) -> None:
        """Wait after a failure."""
        self.at = now + self._backoff.failed()
