"""A vendor-class USB interface with one bulk endpoint each way, as bytes: what TDP needs (SPEC.md, "USB").

The adversaries: a stalled endpoint, a kernel driver or a program that holds the interface, a plug that is pulled.
"""

import errno
import threading
from array import array
from typing import Final

import usb.core
import usb.util

from pitwarden_drivers.faults import PortBusy, PortUnavailable, PortUnsuitable
from pitwarden_drivers.ports.usb_find import Bus, find_device
from pitwarden_drivers.ports.usb_place import UsbPlace

_VENDOR_CLASS: Final = 0xFF
_READ_MS: Final = 200
_WRITE_MS: Final = 1_000
_PACKETS: Final = 8  # a read takes at most so many packets: a short one ends it earlier
_MAX_STALLS: Final = 3
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})
_DIRECTION: Final = 0x80
_KIND: Final = 0x03


class UsbLine:
    """An open interface. Every method blocks for a bounded time, and raises OSError once the device is gone."""

    def __init__(self, place: UsbPlace, bus: Bus) -> None:
        self._device = find_device(place, bus)
        self._stalls = 0
        self._closed = False
        self._reading, self._writing = threading.Lock(), threading.Lock()
        try:
            self._interface, self._into, self._out = _endpoints(place, self._device)
            _claim(place, self._device, self._interface)
        except BaseException:
            usb.util.dispose_resources(self._device)
            raise
        self._buffer = array("B", bytes(self._into.wMaxPacketSize * _PACKETS))

    def read(self) -> bytes:
        """What came within a fifth of a second, maybe nothing."""
        with self._reading:
            self._usable()
            try:
                count = self._into.read(self._buffer, _READ_MS)
            except usb.core.USBTimeoutError:
                return b""
            except usb.core.USBError as error:
                self._stalled(error, self._into)
                return b""
            self._stalls = 0
            return self._buffer[:count].tobytes()

    def write(self, data: bytes) -> None:
        """Sends all of `data`, in as many transfers as the device takes, and ends it with a short packet.

        A device that takes nothing makes it wait until the line is closed.
        """
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[self._taken(left.tobytes()) :]
            if len(data) % self._out.wMaxPacketSize == 0:
                self._taken(b"")

    def close(self) -> None:
        """Gives the interface back, after the transfers under way; a device that is gone has none."""
        self._closed = True
        with self._reading, self._writing:
            try:
                usb.util.release_interface(self._device, self._interface)
            except usb.core.USBError:
                return
            finally:
                usb.util.dispose_resources(self._device)

    def _taken(self, data: bytes) -> int:
        """How much of `data` one transfer carried."""
        self._usable()
        try:
            count: int = self._out.write(data, _WRITE_MS)
        except usb.core.USBTimeoutError:
            return 0
        except usb.core.USBError as error:
            self._stalled(error, self._out)
            return 0
        self._stalls = 0
        return count

    def _usable(self) -> None:
        """Libusb frees what a transfer under way still uses when its device is closed: none begins after that."""
        if self._closed:
            raise OSError(errno.ENODEV, "closed")

    def _stalled(self, error: usb.core.USBError, endpoint: usb.core.Endpoint) -> None:
        """Clears a halted endpoint, three times in a row at most; any other fault ends the line."""
        self._stalls += 1
        if error.errno not in {errno.EPIPE, errno.EOVERFLOW} or self._stalls > _MAX_STALLS:
            raise error
        endpoint.clear_halt()


def _endpoints(
    place: UsbPlace, device: usb.core.Device
) -> tuple[usb.core.Interface, usb.core.Endpoint, usb.core.Endpoint]:
    """The first vendor-class interface with a bulk endpoint each way."""
    try:
        configuration = device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno in _DENIED:
            raise PortUnavailable(f"{place}: this user may not open it: see the udev rule") from None
        raise PortUnavailable(f"{place}: it does not tell its interfaces, {error.strerror}: replug it") from None
    for interface in configuration:
        bulk = [end for end in interface if end.bmAttributes & _KIND == usb.util.ENDPOINT_TYPE_BULK]
        into = next((end for end in bulk if end.bEndpointAddress & _DIRECTION), None)
        out = next((end for end in bulk if not end.bEndpointAddress & _DIRECTION), None)
        if interface.bInterfaceClass == _VENDOR_CLASS and into is not None and out is not None:
            return interface, into, out
    raise PortUnsuitable(f"{place}: it has no vendor-class interface with a bulk endpoint each way: no TDP over USB")


def _claim(place: UsbPlace, device: usb.core.Device, interface: usb.core.Interface) -> None:
    number = interface.bInterfaceNumber
    try:
        if device.is_kernel_driver_active(number):
            raise PortBusy(f"{place}: a kernel driver holds interface {number}: unbind it by the udev rule")
    except NotImplementedError:  # this backend has no kernel drivers
        pass
    except usb.core.USBError as error:
        raise PortUnavailable(f"{place}: it cannot be asked who holds it, {error.strerror}: replug it") from None
    try:
        usb.util.claim_interface(device, number)
    except usb.core.USBError as error:
        if error.errno == errno.EBUSY:
            raise PortBusy(f"{place}: another program holds interface {number}: end that program") from None
        raise PortUnavailable(f"{place}: interface {number} cannot be had, {error.strerror}: replug it") from None
