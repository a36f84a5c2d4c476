"""Port on a non-blocking file descriptor in the event loop: a tty, or a socket (B07, B08, B09)."""

import asyncio
import os
from collections.abc import Callable
from typing import Final

from pitwarden_drivers.errors import DeviceError, DeviceNotAcceptingError, LinkLostError
from pitwarden_drivers.ports.port import MAX_QUEUED, WRITE_DEADLINE_S, PortListener, close_with_deadline

_READ: Final = 4_096
# Seconds between two checks of the line. A card is dealt every second or so: at most one is read with other settings,
# and the device repeats it. A check takes some microseconds.
CHECK_S: Final = 1.0


def _unchanged() -> None:
    """Find nothing: a socket has no settings that another program could change."""


class FdPort:
    """Port of one descriptor. `dispose` discards what the kernel has not sent and closes.

    It runs in a thread and may block. `fault` is called every CHECK_S and must not block; what it finds ends the port.
    """

    def __init__(
        self,
        place: str,
        fd: int,
        listener: PortListener,
        dispose: Callable[[], None],
        fault: Callable[[], DeviceError | None] = _unchanged,
    ) -> None:
        self._place = place
        self._fd = fd
        self._listener = listener
        self._dispose = dispose
        self._loop = asyncio.get_running_loop()
        self._queue = bytearray()
        self._deadline: asyncio.TimerHandle | None = None
        self._over = False
        self._fault = fault
        self._loop.add_reader(fd, self._readable)
        self._next_check = self._loop.call_later(CHECK_S, self._check)

    def write(self, data: bytes) -> None:
        """Enqueue bytes; never blocks."""
        if self._over:
            return
        if len(self._queue) + len(data) > MAX_QUEUED:
            self._lose(
                DeviceNotAcceptingError(f"{self._place}: more than {MAX_QUEUED} bytes wait to be taken: see the device")
            )
            return
        idle = not self._queue
        self._queue += data
        if idle and self._queue:
            self._deadline = self._loop.call_later(WRITE_DEADLINE_S, self._too_late)
            self._loop.add_writer(self._fd, self._writable)
            self._writable()

    async def close(self) -> None:
        """Discard the queue and close, within two seconds. A close that blocks continues in its thread.

        An error is ignored.
        """
        self._stop()
        await close_with_deadline(self._place, self._dispose)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, _READ)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(LinkLostError(f"{self._place}: reading failed, {error.strerror}: see the cable"))
            return
        if data:
            self._listener.received(data)
        else:
            self._lose(LinkLostError(f"{self._place}: the line hung up: see the cable"))

    def _writable(self) -> None:
        try:
            sent = os.write(self._fd, self._queue)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(LinkLostError(f"{self._place}: writing failed, {error.strerror}: see the cable"))
            return
        del self._queue[:sent]
        if not self._queue:
            self._idle()

    def _too_late(self) -> None:
        waited = f"{len(self._queue)} bytes were not taken in {WRITE_DEADLINE_S:g} s"
        self._lose(DeviceNotAcceptingError(f"{self._place}: {waited} and are dropped: see the device"))

    def _idle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
            self._loop.remove_writer(self._fd)

    def _check(self) -> None:
        found = self._fault()
        if found is not None:
            self._lose(found)
        else:
            self._next_check = self._loop.call_later(CHECK_S, self._check)

    def _stop(self) -> None:
        self._over = True
        self._next_check.cancel()
        self._loop.remove_reader(self._fd)
        self._idle()
        self._queue.clear()

    def _lose(self, fault: DeviceError) -> None:
        self._stop()
        self._listener.lost(fault)
