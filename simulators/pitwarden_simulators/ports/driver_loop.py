"""Drives a simulated device in the event loop: bytes in, bytes out, and its wishes to be woken."""

import asyncio
from collections.abc import Callable

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.line_faults import LineFault, combined


class DriverLoop:
    """The life of a device while it is plugged in. `send` takes what goes to the host."""

    def __init__(self, device: SimulatedDevice, clock: Clock, send: Callable[[bytes], None]) -> None:
        self.device = device
        self.to_host: LineFault = combined()
        self.to_device: LineFault = combined()
        self._clock = clock
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._running = False

    def start(self) -> None:
        """The device has power and a line."""
        self._running = True
        self.poke()

    def stop(self) -> None:
        """The line is gone."""
        self._running = False
        self._cancel()

    def hear(self, data: bytes) -> None:
        """Bytes came from the host."""
        for chunk in self.to_device(data):
            self._say(self.device.receive(self._clock.mono_ms(), chunk))
        self.poke()

    def poke(self) -> None:
        """Something happened to the device, or its time has come: what it has to say is sent."""
        if not self._running:
            return
        now = self._clock.mono_ms()
        self._say(self.device.tick(now))
        self._cancel()
        wake_at = self.device.wake_at(now)
        if self._running and wake_at is not None:
            self._timer = asyncio.get_running_loop().call_later(max(wake_at - now, 1) / 1_000, self.poke)

    def _say(self, data: bytes) -> None:
        for chunk in self.to_host(data):
            self._send(chunk)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
