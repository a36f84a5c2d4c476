"""Cables of the simulated devices: unplugged, noisy, deaf; the ends of a process that died are dead."""

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.line_faults import LineFault, combined
from pitwarden_simulators.ports.memory import NullModem


class SimulatedCable:
    """Cable of one device, for people and faults."""

    def __init__(self, device: TdpDevice, clock: Clock) -> None:
        self.modem = NullModem(device, clock)
        self._device = device

    def wake(self) -> None:
        """Let the device send what it sensed."""
        self.modem.pump.wake()

    def unplug(self) -> None:
        """Pull the cable."""
        self.modem.unplug()

    def replug(self) -> None:
        """Plug the cable in again."""
        self.modem.plug()

    def reboot(self) -> None:
        """Start the device's firmware again."""
        self._device.reboot()
        self.modem.pump.wake()

    def spoil(self, to_host: LineFault, to_device: LineFault | None = None) -> None:
        """Let chunks pass through faults, until `repair`."""
        self.modem.pump.to_host = to_host
        if to_device is not None:
            self.modem.pump.to_device = to_device

    def repair(self) -> None:
        """Let chunks pass as they are."""
        self.modem.pump.to_host = self.modem.pump.to_device = combined()


def silence(_chunk: bytes) -> list[bytes]:
    """Let nothing arrive."""
    return []


def half_a_frame(cable: SimulatedCable, size: int) -> LineFault:
    """Return a fault that lets `size` bytes of the next chunk arrive, and pulls the cable."""

    def apply(chunk: bytes) -> list[bytes]:
        cable.modem.plugged = False
        return [bytes((byte,)) for byte in chunk[:size]]  # one by one, as on a slow line

    return apply
