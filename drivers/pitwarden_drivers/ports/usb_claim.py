"""An interface of a USB device for ourselves alone, and halted endpoints (B18). The adversaries: whoever holds it."""

import errno
from collections.abc import Callable
from typing import Final

import usb.core
import usb.util

from pitwarden_drivers.faults import PortBusy, PortUnavailable
from pitwarden_drivers.ports.usb_place import UsbPlace

DIRECTION: Final = 0x80
KIND: Final = 0x03
_MAX_STALLS: Final = 3
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})


def configuration(place: UsbPlace, device: usb.core.Device) -> usb.core.Configuration:
    """The active configuration; PortUnavailable when the device does not tell it."""
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno in _DENIED:
            raise PortUnavailable(f"{place}: this user may not open it: see the udev rule") from None
        raise PortUnavailable(f"{place}: it does not tell its interfaces, {error.strerror}: replug it") from None


def held_by_kernel(place: UsbPlace, device: usb.core.Device, number: int) -> bool:
    """Whether a kernel driver holds interface `number`."""
    try:
        return bool(device.is_kernel_driver_active(number))
    except NotImplementedError:  # this backend has no kernel drivers
        return False
    except usb.core.USBError as error:
        raise PortUnavailable(f"{place}: it cannot be asked who holds it, {error.strerror}: replug it") from None


def claim(place: UsbPlace, device: usb.core.Device, number: int) -> None:
    """Takes interface `number`; PortBusy when another program has it."""
    try:
        usb.util.claim_interface(device, number)
    except usb.core.USBError as error:
        if error.errno == errno.EBUSY:
            raise PortBusy(f"{place}: interface busy, another program holds {number}: end that program") from None
        raise PortUnavailable(f"{place}: interface {number} cannot be had, {error.strerror}: replug it") from None


class Stalls:
    """Clears halted endpoints, three times in a row at most; any other fault ends the line."""

    def __init__(self) -> None:
        self._row = 0

    def over(self, transfer: Callable[[], int], endpoint: usb.core.Endpoint) -> int:
        """How much `transfer` carried, 0 when it timed out or had to be cleared; USBError ends the line."""
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
