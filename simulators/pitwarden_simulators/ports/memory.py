"""Null modem in memory: a port whose far end is a simulated device; its line can be disturbed and cut."""

from pitwarden.system.clock import Clock
from pitwarden_drivers.errors import DeviceError, LinkLostError, PortUnavailableError
from pitwarden_drivers.ports.port import PortAddress, PortListener
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop


class NullModem:
    """Opener that replaces real ports for a supervisor; `pump.to_host` and `to_device` disturb the line."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        self.pump = DriverLoop(device, clock, self._send)
        self.plugged = True
        self.openings = 0
        self._listener: PortListener | None = None

    async def open(self, line: PortAddress, listener: PortListener) -> "_HostEnd":
        """Return the host's end.

        Raises:
            PortUnavailableError: The device is unplugged.
        """
        if not self.plugged:
            raise PortUnavailableError(f"{line.place}: it is unplugged: plug it in")
        self.openings += 1
        self._listener = listener
        self.pump.start()
        return _HostEnd(self)

    def plug(self) -> None:
        """Plug the device in."""
        self.plugged = True

    def unplug(self, fault: DeviceError | None = None) -> None:
        """Unplug the device; the host is notified once."""
        self.plugged = False
        listener = self._listener
        self.leave()
        if listener is not None:
            listener.lost(fault or LinkLostError("the null modem was unplugged: plug it in"))

    def leave(self) -> None:
        """Close the host's end."""
        self._listener = None
        self.pump.stop()

    def receive(self, data: bytes) -> None:
        """Pass bytes from the host to the device."""
        if self._listener is not None:
            self.pump.receive(data)

    def _send(self, data: bytes) -> None:
        if self._listener is not None:
            self._listener.received(data)


class _HostEnd:
    def __init__(self, modem: NullModem) -> None:
        self._modem = modem
        self._open = True

    def write(self, data: bytes) -> None:
        """Send bytes to the device."""
        if self._open:
            self._modem.receive(data)

    async def close(self) -> None:
        """End this opening."""
        if self._open:
            self._open = False
            self._modem.leave()
