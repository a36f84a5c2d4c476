"""The kit's end of a line: in memory on a simulated clock, or a real port."""

import asyncio
from typing import Protocol

from pitwarden.system.clock import Clock
from pitwarden_drivers.errors import DeviceError
from pitwarden_drivers.ports.opener import PortOpener
from pitwarden_drivers.ports.port import Port, PortAddress
from pitwarden_simulators.devices.api import SimulatedDevice

_STEP_MS = 1_000


class BenchWire(Protocol):
    """Bytes both ways, and the time that passes meanwhile, in ms."""

    @property
    def now(self) -> int:
        """Monotonic ms."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes to the device."""
        ...

    async def receive(self, ms: int) -> bytes:
        """Return the first bytes that arrive within `ms`, or none.

        Raises:
            DeviceError: The line is lost.
        """
        ...


class MemoryWire:
    """Simulated device on a pipe. Time passes only in `receive`."""

    def __init__(self, device: SimulatedDevice, now: int = 100_000) -> None:
        self.now = now
        self._device = device
        self._arrived = bytearray()

    def send(self, data: bytes) -> None:
        """Send bytes to the device."""
        self._arrived += self._device.receive(self.now, data)

    async def receive(self, ms: int) -> bytes:
        """Return the bytes that the device sends before `ms` have passed."""
        end = self.now + ms
        while True:
            self._arrived += self._device.tick(self.now)
            if self._arrived or self.now >= end:
                said = bytes(self._arrived)
                self._arrived.clear()
                return said
            wake = self._device.wake_at(self.now)
            self.now = min(end, self.now + _STEP_MS if wake is None else max(wake, self.now + 1))


class PortWire:
    """Real port; `open` first, `close` last."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._port: Port | None = None
        self._heard: asyncio.Queue[bytes | DeviceError] = asyncio.Queue()

    @property
    def now(self) -> int:
        """Monotonic ms."""
        return self._clock.mono_ms()

    async def open(self, line: PortAddress) -> None:
        """Open the port.

        Raises:
            DeviceError: The port cannot be opened.
        """
        self._port = await PortOpener().open(line, self)

    async def close(self) -> None:
        """Close the port."""
        if self._port is not None:
            await self._port.close()

    def received(self, data: bytes) -> None:
        """Buffer bytes from the port."""
        self._heard.put_nowait(data)

    def lost(self, fault: DeviceError) -> None:
        """Record the loss of the line."""
        self._heard.put_nowait(fault)

    def send(self, data: bytes) -> None:
        """Send bytes to the device."""
        if self._port is not None:
            self._port.write(data)

    async def receive(self, ms: int) -> bytes:
        """Return the bytes that arrive within `ms`."""
        try:
            async with asyncio.timeout(ms / 1_000):
                said = await self._heard.get()
        except TimeoutError:
            return b""
        if isinstance(said, DeviceError):
            raise said
        return said
