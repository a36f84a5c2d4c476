"""Runner of a simulated device in the event loop: bytes in, bytes out, and its timer."""

import asyncio
from collections.abc import Callable

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.line_faults import LineFault, combined


class DriverLoop:
    """Life of a device while it is plugged in. `send` receives the bytes for the host."""

    def __init__(self, device: SimulatedDevice, clock: Clock, send: Callable[[bytes], None]) -> None:
        self.device = device
        self.to_host: LineFault = combined()
        self.to_device: LineFault = combined()
        self._clock = clock
        self._send = send
        self._timer: asyncio.TimerHandle | None = None
        self._running = False

    def start(self) -> None:
        """Start the device: it has power and a line."""
        self._running = True
        self.wake()

    def stop(self) -> None:
        """Stop the device: the line is lost."""
        self._running = False
        self._cancel()

    def receive(self, data: bytes) -> None:
        """Process bytes from the host."""
        for chunk in self.to_device(data):
            self._say(self.device.receive(self._clock.mono_ms(), chunk))
        self.wake()

    def wake(self) -> None:
        """Send what the device has to send, after an event or at its time."""
        if not self._running:
            return
        now = self._clock.mono_ms()
        self._say(self.device.tick(now))
        self._cancel()
        wake_at = self.device.wake_at(now)
        if self._running and wake_at is not None:
            self._timer = asyncio.get_running_loop().call_later(max(wake_at - now, 1) / 1_000, self.wake)

    def _say(self, data: bytes) -> None:
        for chunk in self.to_host(data):
            self._send(chunk)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
