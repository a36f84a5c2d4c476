"""Port on a connection that can only block: one thread reads, one writes, and both notify the event loop."""

import asyncio
import queue
import threading
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from pitwarden_drivers.errors import DeviceError, DeviceNotAcceptingError, LinkLostError
from pitwarden_drivers.ports.port import MAX_QUEUED, WRITE_DEADLINE_S, PortListener, close_with_deadline

T = TypeVar("T")
_END: Final = b""


class BlockingConnection(Protocol):
    """Connection whose calls block for a bounded time and raise OSError once it is closed."""

    def read(self) -> bytes:
        """Return bytes, or none after a short wait."""
        ...

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class ThreadPort:
    """Port of one blocking connection."""

    def __init__(self, place: str, connection: BlockingConnection, listener: PortListener) -> None:
        self._place = place
        self._connection = connection
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._queued = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=work, name=f"{name} {place}", daemon=True)
            for name, work in (("read", self._read), ("write", self._write))
        ]
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> None:
        """Enqueue bytes; never blocks."""
        if self._over.is_set() or not data:
            return
        self._queued += len(data)
        if self._queued > MAX_QUEUED:
            self._lose(
                DeviceNotAcceptingError(f"{self._place}: more than {MAX_QUEUED} bytes wait to be taken: see the device")
            )
            return
        if self._deadline is None:
            self._deadline = self._loop.call_later(WRITE_DEADLINE_S, self._too_late)
        self._queue.put(data)

    async def close(self) -> None:
        """Discard the queue and close, within two seconds. A close that blocks continues in its thread.

        An error is ignored.
        """
        self._stop()
        await close_with_deadline(self._place, self._dispose)

    def _dispose(self) -> None:
        self._connection.close()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        try:
            while not self._over.is_set():
                data = self._connection.read()
                if data:
                    self._notify(self._received, data)
        except OSError as error:
            self._notify(
                self._lose, LinkLostError(f"{self._place}: reading failed, {error}: see the cable or the network")
            )

    def _write(self) -> None:
        try:
            while not self._over.is_set() and (data := self._queue.get()) != _END:
                self._connection.write(data)
                self._notify(self._written, len(data))
        except OSError as error:
            self._notify(
                self._lose, LinkLostError(f"{self._place}: writing failed, {error}: see the cable or the network")
            )

    def _notify(self, heard: Callable[[T], None], said: T) -> None:
        """Notify the event loop from a thread, unless the owner has closed the port."""
        try:
            self._loop.call_soon_threadsafe(heard, said)
        except RuntimeError:  # the loop was closed meanwhile: there is no listener
            self._over.set()

    def _received(self, data: bytes) -> None:
        if not self._over.is_set():
            self._listener.received(data)

    def _written(self, count: int) -> None:
        self._queued -= count
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = self._loop.call_later(WRITE_DEADLINE_S, self._too_late) if self._queued else None

    def _too_late(self) -> None:
        self._lose(
            DeviceNotAcceptingError(
                f"{self._place}: {self._queued} bytes were not taken and are dropped: see the device"
            )
        )

    def _stop(self) -> None:
        self._over.set()
        self._queue.put(_END)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _lose(self, fault: DeviceError) -> None:
        if not self._over.is_set():
            self._stop()
            self._listener.lost(fault)
