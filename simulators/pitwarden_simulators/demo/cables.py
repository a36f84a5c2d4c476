"""Far end of each device on a pty or on USB, with a cable that can be pulled."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.tdp_device import TdpDevice
from pitwarden_simulators.ports.pty import PtyPort
from pitwarden_simulators.table.actions import DeviceName
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.port import UsbPort
from pitwarden_simulators.usb.sysfs import Sysfs

VENDOR: Final = 0x1209  # pid.codes' vendor number and its product number for tests
PRODUCT: Final = 0x0001
_NOISE: Final = bytes.fromhex("7e13ff7e0d0a7d7d00427e7e83000000070000007e")


class Plug:
    """Device on a port; `place` is the stable name for the table file."""

    def __init__(self, port: PtyPort | UsbPort, place: str) -> None:
        self._port = port
        self.place = place

    @property
    def port(self) -> PtyPort | UsbPort:
        """Simulated port, for tests that disturb the line."""
        return self._port

    def wake(self) -> None:
        """Notify the line that the device sensed an event."""
        self._port.pump.wake()

    def unplug(self) -> None:
        """Pull the cable."""
        self._port.unplug()

    def replug(self) -> None:
        """Plug the cable in again."""
        self._port.plug()

    def noise(self) -> None:
        """Put noise before the device's next bytes."""
        pump = self._port.pump
        honest = pump.to_host

        def once(chunk: bytes) -> list[bytes]:
            pump.to_host = honest
            return [_NOISE, *honest(chunk)]

        pump.to_host = once


@asynccontextmanager
async def plugged(
    devices: Mapping[DeviceName, TdpDevice],
    folder: Path,
    clock: Clock,
    notify: Callable[[], None],
    usb: Mapping[DeviceName, Sysfs] = MappingProxyType({}),
) -> AsyncIterator[dict[DeviceName, Plug]]:
    """Yield every device on a pty of its own, or on the bus that `usb` assigns to it.

    `notify` is called when a device's memory changed.
    """
    async with AsyncExitStack() as stack:
        plugs: dict[DeviceName, Plug] = {}
        for number, (name, device) in enumerate(devices.items(), 1):
            device.memory.changed = notify
            if name in usb:
                told = Descriptors(VENDOR, PRODUCT, SERIALS[name])
                port = await stack.enter_async_context(UsbPort(device, clock, usb[name], told, number))
                plugs[name] = Plug(port, port.place)
            else:
                pty = stack.enter_context(PtyPort(folder / name, device, clock))
                plugs[name] = Plug(pty, str(pty.link))
        yield plugs
