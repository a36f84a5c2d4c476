"""Finds the configured USB device among all that are plugged in, through pyusb; whoever else sits there is named.

The adversaries: two adapters with one serial number, a stranger on a watched port, a user without rights.
"""

import errno
from collections.abc import Iterable
from typing import Final

import usb.core
import usb.util
from usb.backend import IBackend

from pitwarden_drivers.faults import IdentityMismatch, PortUnavailable, PortUnsuitable
from pitwarden_drivers.ports.usb_place import UsbPlace

_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})


def find_device(place: UsbPlace, backend: IBackend | None) -> usb.core.Device:
    """The one device at `place`; blocks.

    PortUnavailable when it is not there or not readable, PortUnsuitable when there are two, IdentityMismatch when
    another device sits at the watched port.
    """
    try:
        found = list(usb.core.find(find_all=True, backend=backend))
    except usb.core.NoBackendError:
        raise PortUnavailable(f"{place}: libusb is not installed here: apt-get install libusb-1.0-0") from None
    except usb.core.USBError as error:
        raise PortUnavailable(f"{place}: the USB devices cannot be listed, {error.strerror}: see the system") from None
    _no_stranger(place, found)
    fitting = [device for device in found if _fits(place, device)]
    if not fitting:
        raise PortUnavailable(f"{place}: it is not plugged in: see the cable, the serial number and the port")
    if len(fitting) > 1:
        ports = " and ".join(sorted(port_of(device) for device in fitting))
        raise PortUnsuitable(f"{place}: devices at {ports} have this serial number: add ?port= to the place")
    return fitting[0]


def port_of(device: usb.core.Device) -> str:
    """The port path of a device, as the kernel writes it: `1-2.4`."""
    return f"{device.bus}-{'.'.join(str(number) for number in device.port_numbers or ())}"


def _fits(place: UsbPlace, device: usb.core.Device) -> bool:
    if (device.idVendor, device.idProduct) != (place.vendor, place.product):
        return False
    return _serial(place, device) == place.serial and place.port in {None, port_of(device)}


def _serial(place: UsbPlace, device: usb.core.Device) -> str:
    """The serial number that the device says, empty where it says none."""
    try:
        languages = usb.util.get_langids(device)
        if not languages or not device.iSerialNumber:
            return ""
        said: str = usb.util.get_string(device, device.iSerialNumber, languages[0])
    except usb.core.USBError as error:
        if error.errno in _DENIED:
            raise PortUnavailable(
                f"{place}: this user may not open the device at {port_of(device)}: see the udev rule"
            ) from None
        return ""  # it is being unplugged, or does not answer: not the one we look for
    except UnicodeDecodeError:  # hostile bytes: no serial number that we could know
        return ""
    finally:
        usb.util.dispose_resources(device)
    return said


def _no_stranger(place: UsbPlace, found: Iterable[usb.core.Device]) -> None:
    for device in found:
        if place.port is None or port_of(device) != place.port:
            continue
        if not _fits(place, device):
            seen = f"{device.idVendor:04x}:{device.idProduct:04x}"
            raise IdentityMismatch(f"{place}: another device ({seen}) is plugged in there: look at the table's cables")
