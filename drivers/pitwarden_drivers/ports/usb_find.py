"""Finds the configured USB device among all that are plugged in, through pyusb; whoever else sits there is named.

The adversaries: two adapters with one serial number, a stranger on a watched port. No device is opened to be asked for
its serial number: the kernel asked when it was plugged in, and another's device is in use.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import usb.backend.libusb1
import usb.core
from usb.backend import IBackend

from pitwarden_drivers.faults import IdentityMismatch, PortUnavailable, PortUnsuitable
from pitwarden_drivers.ports.usb_place import UsbPlace

_LOADING: Final = threading.Lock()
_SYSFS: Final = Path("/sys/bus/usb/devices")


@dataclass(frozen=True, slots=True)
class Bus:
    """Where USB devices are looked for: pyusb's backend (None: libusb), and the kernel's folder of what it knows."""

    backend: IBackend | None = None
    sysfs: Path = _SYSFS

    def loaded(self) -> IBackend | None:
        """The backend, None where libusb is not installed. Two threads that load it at once would free one in use."""
        if self.backend is not None:
            return self.backend
        with _LOADING:
            return usb.backend.libusb1.get_backend()

    def serial_at(self, port: str) -> str:
        """The serial number of the device at `port`, empty where it says none or is being unplugged."""
        try:
            return (self.sysfs / port / "serial").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""


def find_device(place: UsbPlace, bus: Bus) -> usb.core.Device:
    """The one device at `place`; blocks.

    PortUnavailable when it is not there, PortUnsuitable when there are two, IdentityMismatch when
    another device sits at the watched port.
    """
    backend = bus.loaded()
    if backend is None:
        raise PortUnavailable(f"{place}: libusb is not installed here: apt-get install libusb-1.0-0")
    try:
        found = list(usb.core.find(find_all=True, backend=backend))
    except usb.core.USBError as error:
        raise PortUnavailable(f"{place}: the USB devices cannot be listed, {error.strerror}: see the system") from None
    _no_stranger(place, bus, found)
    fitting = [device for device in found if _fits(place, bus, device)]
    if not fitting:
        raise PortUnavailable(f"{place}: it is not plugged in: see the cable, the serial number and the port")
    if len(fitting) > 1:
        ports = " and ".join(sorted(port_of(device) for device in fitting))
        raise PortUnsuitable(f"{place}: devices at {ports} have this serial number: add ?port= to the place")
    return fitting[0]


def port_of(device: usb.core.Device) -> str:
    """The port path of a device, as the kernel writes it: `1-2.4`."""
    return f"{device.bus}-{'.'.join(str(number) for number in device.port_numbers or ())}"


def _fits(place: UsbPlace, bus: Bus, device: usb.core.Device) -> bool:
    if (device.idVendor, device.idProduct) != (place.vendor, place.product):
        return False
    port = port_of(device)
    return place.port in {None, port} and bus.serial_at(port) == place.serial


def _no_stranger(place: UsbPlace, bus: Bus, found: Iterable[usb.core.Device]) -> None:
    for device in found:
        if place.port is None or port_of(device) != place.port:
            continue
        if not _fits(place, bus, device):
            seen = f"{device.idVendor:04x}:{device.idProduct:04x}"
            raise IdentityMismatch(f"{place}: another device ({seen}) is plugged in there: look at the table's cables")
