"""Dialogue with one device over an open port: bounded inbox, wake event, driver session.

Everything here belongs to the task of one device. Other code reaches it through the inbox, whose methods never block.
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
    """Event for one waiting task, with a timeout.

    The timer outlives a wait. One that fires before the time of the current wait is set again and wakes no task, which
    is cheaper than a new timer for each wait.
    """

    def __init__(self) -> None:
        self._woken = False
        self._until = 0.0
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        """Wake the task. If it is not waiting, its next wait ends at once."""
        self._woken = True
        self._let_go()

    async def wait(self, seconds: float) -> None:
        """Wait until woken, at most `seconds`."""
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


# Bytes that wait for the task at most. The task empties the inbox in each round, so a megabyte means that it is stuck
# or that the line floods; the dialogue then ends with DeviceNotAcceptingError.
MAX_BYTES: Final = 1_048_576
# Commands that wait at most. The judge repeats one every 10 s, so more than a few mean a flood; the rest is refused.
MAX_COMMANDS: Final = 64


class DeviceInbox:
    """Bounded inbox of one device task: received bytes, commands, commit positions, loss of the port.

    The port is its writer (as its listener), and so are the components of the half; one task reads. No method but
    `wait` blocks.
    """

    def __init__(self) -> None:
        self.fault: DeviceError | None = None
        """Error that ended the port; None while it is open."""
        self._waking = WakeEvent()
        self._data = bytearray()
        self._commands: deque[tuple[str, CommandName]] = deque()
        self._stored: tuple[int, int] | None = None

    def received(self, data: bytes) -> None:
        """Append received bytes; more than MAX_BYTES end the dialogue."""
        if self.fault is not None:
            return
        self._data += data
        if len(self._data) > MAX_BYTES:
            self.end(DeviceNotAcceptingError("more came than can be read: see what else is on the line"))
        self._waking.wake()

    def lost(self, fault: DeviceError) -> None:
        """Record the loss of the port. Bytes that arrived before it are still processed."""
        self.fault = fault
        self._waking.wake()

    def end(self, fault: DeviceError) -> None:
        """End the dialogue with `fault`. Unprocessed bytes are dropped; the device repeats them later."""
        self._data.clear()
        self.lost(fault)

    def commit(self, boot: int, counter: int) -> None:
        """Record the newest committed position of the device; it covers all earlier ones."""
        self._stored = boot, counter
        self._waking.wake()

    def enqueue_command(self, request: str, command: CommandName) -> bool:
        """Enqueue a command; return False when MAX_COMMANDS already wait."""
        if len(self._commands) >= MAX_COMMANDS:
            return False
        self._commands.append((request, command))
        self._waking.wake()
        return True

    def wake(self) -> None:
        """Wake the task for another reason than bytes."""
        self._waking.wake()

    def open(self) -> None:
        """Prepare for a new opening of the port: only the committed position remains."""
        self.fault = None
        self._data.clear()
        self._commands.clear()
        self._waking.wake()

    async def wait(self, seconds: float) -> None:
        """Wait until there is work, at most `seconds`."""
        await self._waking.wait(seconds)

    def take_data(self) -> bytes:
        """Remove and return all received bytes."""
        data = bytes(self._data)
        self._data.clear()
        return data

    def take_commands(self) -> tuple[tuple[str, CommandName], ...]:
        """Remove and return all waiting commands, as pairs of request id and command."""
        commands = tuple(self._commands)
        self._commands.clear()
        return commands

    def take_stored(self) -> tuple[int, int] | None:
        """Remove and return the newest committed position, as boot id and counter; None when it was returned before."""
        stored, self._stored = self._stored, None
        return stored


# Shortest wait, in ms. Without it a driver that always requests an immediate wake-up would occupy the event loop.
LEAST_MS: Final = 1


class ReportHandler(Protocol):
    """Receiver of the reports of one dialogue."""

    def reported(self, report: DeviceReport) -> None:
        """Handle one report of the device; reports arrive in the device's order."""
        ...


class DeviceDialogue:
    """Dialogue over one opening of `port`. Times are monotonic, in ms. `handler` receives every report."""

    def __init__(self, port: Port, session: Session, inbox: DeviceInbox, handler: ReportHandler) -> None:
        self._port, self._session, self._inbox, self._handler = port, session, inbox, handler
        self._wake_at: int | None = None

    def begin(self, now: int, stored: tuple[int, int]) -> None:
        """Request the identity of the device.

        Args:
            now: Monotonic time in ms.
            stored: Boot id and counter up to which the log has the device's events; (0, 0) if it has none.
        """
        self._do(self._session.begin(now))
        if stored[0]:
            self._do(self._session.committed(now, *stored))

    def process(self, now: int, lamps: Lamps | None) -> None:
        """Process everything that waits, once, in the order bytes, commands, lamps, acknowledgement.

        Raises:
            DeviceError: The port was lost. It is raised last, after what arrived before the loss was processed.
        """
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
        """Return how long the task may wait, in ms, at least LEAST_MS and at most `most_ms`.

        The wait ends when the session is to be woken, or when the device counts as stale.
        """
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
