"""A null modem in memory: a port whose far end is a simulated device; its line can be harmed and cut."""

from pitwarden.system.clock import Clock
from pitwarden_drivers.errors import DeviceError, LinkLostError, PortUnavailableError
from pitwarden_drivers.ports.port import PortAddress, PortListener
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop


class NullModem:
    """`open` is what a supervisor is given in place of real ports; `pump.to_host` and `to_device` harm the line."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        self.pump = DriverLoop(device, clock, self._send)
        self.plugged = True
        self.openings = 0
        self._listener: PortListener | None = None

    async def open(self, line: PortAddress, listener: PortListener) -> "_HostEnd":
        """The host's end; PortUnavailableError while unplugged."""
        if not self.plugged:
            raise PortUnavailableError(f"{line.place}: it is unplugged: plug it in")
        self.openings += 1
        self._listener = listener
        self.pump.start()
        return _HostEnd(self)

    def plug(self) -> None:
        """The next opening finds the device."""
        self.plugged = True

    def unplug(self, fault: DeviceError | None = None) -> None:
        """The line is gone: the host hears of it once."""
        self.plugged = False
        listener = self._listener
        self.leave()
        if listener is not None:
            listener.lost(fault or LinkLostError("the null modem was unplugged: plug it in"))

    def leave(self) -> None:
        """The host closed its end."""
        self._listener = None
        self.pump.stop()

    def hear(self, data: bytes) -> None:
        """Bytes come from the host."""
        if self._listener is not None:
            self.pump.hear(data)

    def _send(self, data: bytes) -> None:
        if self._listener is not None:
            self._listener.received(data)


class _HostEnd:
    def __init__(self, modem: NullModem) -> None:
        self._modem = modem
        self._open = True

    def write(self, data: bytes) -> None:
        """Takes bytes to the device."""
        if self._open:
            self._modem.hear(data)

    async def close(self) -> None:
        """Ends this opening."""
        if self._open:
            self._open = False
            self._modem.leave()
