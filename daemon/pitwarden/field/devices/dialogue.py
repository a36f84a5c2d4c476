"""Drives a driver session over an open port: bounded inbox, wake event.

What one task waits for: somebody who wakes it, or the time that it has to look by itself.

What waits for a device's task: bytes, orders, acknowledgements, and the end of the line. Bounded, never blocking.

A device's dialogue over its open port: what came is heard in order, and what the dialogue asks for is done.
"""

import asyncio
from collections import deque
from typing import Final, Protocol

from pitwarden_client.events.device import CommandName
from pitwarden_client.events.keypad import Lamps
from pitwarden_drivers.api import DeviceReport, LampSession, Session, SessionOutput
from pitwarden_drivers.errors import DeviceError, DeviceNotAcceptingError
from pitwarden_drivers.ports.port import Port


class WakeEvent:
    """For one task. Its timer is kept from wait to wait: one that rings too early is set again, and wakes nobody."""

    def __init__(self) -> None:
        self._woken = False
        self._until = 0.0
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """The task goes on; if it does not wait just now, its next wait ends at once."""
        self._woken = True
        self._let_go()

    async def wait(self, seconds: float) -> None:
        """Returns when it is woken, or after `seconds`."""
        if not self._woken:
            loop = asyncio.get_running_loop()
            self._until = loop.time() + seconds
            if self._timer is None or self._timer.when() > self._until:
                self._set(loop)
            self._waiter = loop.create_future()
            await self._waiter
        self._woken = False

    def _set(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(self._until, self._ring, loop)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        early = self._timer is not None and self._timer.when() < self._until
        self._timer = None
        if early:
            self._set(loop)
        else:
            self._let_go()

    def _let_go(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


MAX_BYTES: Final = 1_048_576  # the task empties it each time round; a megabyte means that it is stuck
MAX_COMMANDS: Final = 64


class DeviceInbox:
    """Filled by the port (it is its listener) and by the halves, emptied by one task."""

    def __init__(self) -> None:
        self.fault: DeviceError | None = None
        self._waking = WakeEvent()
        self._data = bytearray()
        self._commands: deque[tuple[str, CommandName]] = deque()
        self._stored: tuple[int, int] | None = None

    def received(self, data: bytes) -> None:
        """Bytes came."""
        if self.fault is not None:
            return
        self._data += data
        if len(self._data) > MAX_BYTES:
            self.end(DeviceNotAcceptingError("more came than can be read: see what else is on the line"))
        self._waking.wake()

    def lost(self, fault: DeviceError) -> None:
        """The port is gone; what came before is still heard."""
        self.fault = fault
        self._waking.wake()

    def end(self, fault: DeviceError) -> None:
        """The dialogue shall end; what has not been heard yet is dropped, and asked for again later."""
        self._data.clear()
        self.lost(fault)

    def commit(self, boot: int, counter: int) -> None:
        """The newest stored position; it stands for all before."""
        self._stored = boot, counter
        self._waking.wake()

    def enqueue_command(self, request: str, command: CommandName) -> bool:
        """Queues a command; False when too many wait."""
        if len(self._commands) >= MAX_COMMANDS:
            return False
        self._commands.append((request, command))
        self._waking.wake()
        return True

    def wake(self) -> None:
        """Something else than bytes wants the task's attention."""
        self._waking.wake()

    def open(self) -> None:
        """A new opening: nothing of the last one is left but what was stored."""
        self.fault = None
        self._data.clear()
        self._commands.clear()
        self._waking.wake()

    async def wait(self, seconds: float) -> None:
        """Returns when there is something, or after `seconds`."""
        await self._waking.wait(seconds)

    def take_data(self) -> bytes:
        """All bytes that came."""
        data = bytes(self._data)
        self._data.clear()
        return data

    def take_commands(self) -> tuple[tuple[str, CommandName], ...]:
        """All commands that wait."""
        commands = tuple(self._commands)
        self._commands.clear()
        return commands

    def take_stored(self) -> tuple[int, int] | None:
        """The newest stored position, once."""
        stored, self._stored = self._stored, None
        return stored


LEAST_MS: Final = 1  # a driver that always wants to be woken now shall not spin


class ReportHandler(Protocol):
    """Receiver of the reports of one dialogue."""

    def reported(self, report: DeviceReport) -> None:
        """Handle one report of the device; reports arrive in the device's order."""
        ...


class DeviceDialogue:
    """Dialogue over one opening of `port`; times are monotonic, in ms. `handler` receives every report."""

    def __init__(self, port: Port, session: Session, inbox: DeviceInbox, handler: ReportHandler) -> None:
        self._port, self._session, self._inbox, self._handler = port, session, inbox, handler
        self._wake_at: int | None = None

    def begin(self, now: int, stored: tuple[int, int]) -> None:
        """Asks who is there; `stored` is up to which boot and counter the log has the device, (0, 0) if it has none."""
        self._do(self._session.begin(now))
        if stored[0]:
            self._do(self._session.committed(now, *stored))

    def process(self, now: int, lamps: Lamps | None) -> None:
        """Everything that waits is heard once, and then the end of the line, if it came: its DeviceError."""
        session, inbox = self._session, self._inbox
        data = inbox.take_data()
        if data:
            self._do(session.receive(now, data))
        for request, command in inbox.take_commands():
            self._do(session.command(now, request, command))
        if lamps is not None and isinstance(session, LampSession):
            self._do(session.show(now, lamps))
        stored = inbox.take_stored()
        if stored is not None:
            self._do(session.committed(now, *stored))
        if inbox.fault is not None:
            raise inbox.fault
        if self._wake_at is not None and self._wake_at <= now:
            self._do(session.tick(now))

    def idle_ms(self, now: int, stale_after_ms: int, most_ms: int) -> int:
        """How long it may wait, `most_ms` at most: the dialogue is to be woken then, or the device counts as stale."""
        heard = self._session.heard_at
        ends = [now + most_ms]
        if self._wake_at is not None:
            ends.append(self._wake_at)
        if heard is not None and heard + stale_after_ms > now:
            ends.append(heard + stale_after_ms)
        return max(min(ends) - now, LEAST_MS)

    def _do(self, turn: SessionOutput) -> None:
        self._wake_at = turn.wake_at
        if turn.send:
            self._port.write(turn.send)
        for report in turn.reports:
            self._handler.reported(report)
