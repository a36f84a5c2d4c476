"""Search and claim of the configured USB device through pyusb; halted endpoints (B18).

The kernel supplies serial numbers: it read them at plug-in. Opening a device to read its number would disturb one
that another program uses.

Threats: two adapters with one serial number, an unknown device in a watched port, a program that holds the interface.
"""

import errno
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import usb.backend.libusb1
import usb.core
import usb.util
from usb.backend import IBackend

from pitwarden_drivers.errors import IdentityMismatchError, PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports.addresses import UsbAddress

_LOADING: Final = threading.Lock()
_SYSFS: Final = Path("/sys/bus/usb/devices")


@dataclass(frozen=True, slots=True)
class UsbBus:
    """Source of USB devices: pyusb's backend (None: libusb), and the kernel's folder of known devices."""

    backend: IBackend | None = None
    sysfs: Path = _SYSFS

    def loaded(self) -> IBackend | None:
        """Return the backend; None without libusb. Two threads that load it at once would free one in use."""
        if self.backend is not None:
            return self.backend
        with _LOADING:
            return usb.backend.libusb1.get_backend()

    def serial_at(self, port: str) -> str:
        """Return the serial number of the device at `port`, empty where it has none or is being unplugged."""
        try:
            return (self.sysfs / port / "serial").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""


def find_device(place: UsbAddress, bus: UsbBus) -> usb.core.Device:
    """Return the one device at `place`; blocks.

    Raises:
        PortUnavailableError: It is not present.
        PortUnsuitableError: Two devices match.
        IdentityMismatchError: Another device is in the watched port.
    """
    backend = bus.loaded()
    if backend is None:
        raise PortUnavailableError(f"{place}: libusb is not installed here: apt-get install libusb-1.0-0")
    try:
        found = list(usb.core.find(find_all=True, backend=backend))
    except usb.core.USBError as error:
        raise PortUnavailableError(
            f"{place}: the USB devices cannot be listed, {error.strerror}: see the system"
        ) from None
    _check_occupant(place, bus, found)
    fitting = [device for device in found if _fits(place, bus, device)]
    if not fitting:
        raise PortUnavailableError(f"{place}: it is not plugged in: see the cable, the serial number and the port")
    if len(fitting) > 1:
        ports = " and ".join(sorted(usb_port_path(device) for device in fitting))
        raise PortUnsuitableError(f"{place}: devices at {ports} have this serial number: add ?port= to the place")
    return fitting[0]


def usb_port_path(device: usb.core.Device) -> str:
    """Return the port path of a device, as the kernel writes it: `1-2.4`."""
    return f"{device.bus}-{'.'.join(str(number) for number in device.port_numbers or ())}"


def _fits(place: UsbAddress, bus: UsbBus, device: usb.core.Device) -> bool:
    if (device.idVendor, device.idProduct) != (place.vendor, place.product):
        return False
    port = usb_port_path(device)
    return place.port in {None, port} and bus.serial_at(port) == place.serial


def _check_occupant(place: UsbAddress, bus: UsbBus, found: Iterable[usb.core.Device]) -> None:
    for device in found:
        if place.port is None or usb_port_path(device) != place.port:
            continue
        if not _fits(place, bus, device):
            seen = f"{device.idVendor:04x}:{device.idProduct:04x}"
            raise IdentityMismatchError(
                f"{place}: another device ({seen}) is plugged in there: look at the table's cables"
            )


DIRECTION: Final = 0x80
KIND: Final = 0x03
# Stalls in a row that are cleared. A device that stalls more often is lost, and is opened again.
_MAX_STALLS: Final = 3
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})


def active_configuration(place: UsbAddress, device: usb.core.Device) -> usb.core.Configuration:
    """Return the active configuration.

    Raises:
        PortUnavailableError: The device does not report it.
    """
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno in _DENIED:
            raise PortUnavailableError(f"{place}: this user may not open it: see the udev rule") from None
        raise PortUnavailableError(f"{place}: it does not tell its interfaces, {error.strerror}: replug it") from None


def held_by_kernel(place: UsbAddress, device: usb.core.Device, number: int) -> bool:
    """Return whether a kernel driver holds interface `number`."""
    try:
        return bool(device.is_kernel_driver_active(number))
    except NotImplementedError:  # this backend has no kernel drivers
        return False
    except usb.core.USBError as error:
        raise PortUnavailableError(f"{place}: it cannot be asked who holds it, {error.strerror}: replug it") from None


def claim_interface(place: UsbAddress, device: usb.core.Device, number: int) -> None:
    """Claim interface `number`.

    Raises:
        PortBusyError: Another program holds it.
    """
    try:
        usb.util.claim_interface(device, number)
    except usb.core.USBError as error:
        if error.errno == errno.EBUSY:
            raise PortBusyError(f"{place}: interface busy, another program holds {number}: end that program") from None
        raise PortUnavailableError(f"{place}: interface {number} cannot be had, {error.strerror}: replug it") from None


class StallRecovery:
    """Recovery of halted endpoints, at most three times in a row. Any other fault ends the line."""

    def __init__(self) -> None:
        self._row = 0

    def over(self, transfer: Callable[[], int], endpoint: usb.core.Endpoint) -> int:
        """Return the number of bytes that `transfer` carried, 0 after a timeout or a recovery.

        Raises:
            USBError: The line has ended.
        """
        try:
            count = transfer()
        except usb.core.USBTimeoutError:
            return 0
        except usb.core.USBError as error:
            self._row += 1
            if error.errno not in {errno.EPIPE, errno.EOVERFLOW} or self._row > _MAX_STALLS:
                raise
            endpoint.clear_halt()
            return 0
        self._row = 0
        return count
