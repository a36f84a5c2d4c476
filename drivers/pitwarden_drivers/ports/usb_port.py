"""Bytes to and from a device on USB: its vendor-class interface with one bulk endpoint each way (TDP's SPEC.md, "USB").

The device is found and claimed in `usb_device`. Its reports as a keyboard or scanner are read in `hid_port`.

Threats: a halted endpoint, a kernel driver or a program that holds the interface, an unplugged device.
"""

import errno
import threading
from array import array
from typing import Final

import usb.core
import usb.util

from pitwarden_drivers.errors import PortBusyError, PortUnsuitableError
from pitwarden_drivers.ports.addresses import UsbAddress
from pitwarden_drivers.ports.usb_device import (
    DIRECTION,
    KIND,
    StallRecovery,
    UsbBus,
    active_configuration,
    claim_interface,
    find_device,
    held_by_kernel,
)

_VENDOR_CLASS: Final = 0xFF
# Time in ms of one blocking read, after which the thread sees that the port was closed.
_READ_MS: Final = 200
# Time in ms of one blocking write. A device that reads takes a packet in a few ms.
_WRITE_MS: Final = 1_000
# Packets in one read at most; a short one ends it earlier.
_PACKETS: Final = 8


class UsbLine:
    """Open interface. Every method blocks for a bounded time and raises OSError once the device is disconnected."""

    def __init__(self, place: UsbAddress, bus: UsbBus) -> None:
        self._device = find_device(place, bus)
        self._stalls = StallRecovery()
        self._closed = False
        self._reading, self._writing = threading.Lock(), threading.Lock()
        try:
            self._interface, self._into, self._out = _endpoints(place, self._device)
            _take(place, self._device, self._interface.bInterfaceNumber)
        except BaseException:
            usb.util.dispose_resources(self._device)
            raise
        self._buffer = array("B", bytes(self._into.wMaxPacketSize * _PACKETS))

    def read(self) -> bytes:
        """Return the bytes received within 200 ms, possibly none."""
        with self._reading:
            self._usable()
            count = self._stalls.over(lambda: int(self._into.read(self._buffer, _READ_MS)), self._into)
            return self._buffer[:count].tobytes()

    def write(self, data: bytes) -> None:
        """Send all of `data`, in as many transfers as the device accepts, ended by a short packet.

        It waits for a device that accepts nothing until the line is closed.
        """
        with self._writing:
            left = memoryview(data)
            while left:
                left = left[self._taken(left.tobytes()) :]
            if len(data) % self._out.wMaxPacketSize == 0:
                self._taken(b"")

    def close(self) -> None:
        """Release the interface after the transfers under way; a disconnected device has none."""
        self._closed = True
        with self._reading, self._writing:
            try:
                usb.util.release_interface(self._device, self._interface)
            except usb.core.USBError:
                return
            finally:
                usb.util.dispose_resources(self._device)

    def _taken(self, data: bytes) -> int:
        """Return how many bytes one transfer carried."""
        self._usable()
        return self._stalls.over(lambda: int(self._out.write(data, _WRITE_MS)), self._out)

    def _usable(self) -> None:
        """Check that the line is open. Libusb frees the buffers of transfers at close, so none may begin after it."""
        if self._closed:
            raise OSError(errno.ENODEV, "closed")


def _endpoints(
    place: UsbAddress, device: usb.core.Device
) -> tuple[usb.core.Interface, usb.core.Endpoint, usb.core.Endpoint]:
    """Return the first vendor-class interface with a bulk endpoint each way."""
    for interface in active_configuration(place, device):
        bulk = [end for end in interface if end.bmAttributes & KIND == usb.util.ENDPOINT_TYPE_BULK]
        into = next((end for end in bulk if end.bEndpointAddress & DIRECTION), None)
        out = next((end for end in bulk if not end.bEndpointAddress & DIRECTION), None)
        if interface.bInterfaceClass == _VENDOR_CLASS and into is not None and out is not None:
            return interface, into, out
    raise PortUnsuitableError(
        f"{place}: it has no vendor-class interface with a bulk endpoint each way: no TDP over USB"
    )


def _take(place: UsbAddress, device: usb.core.Device, number: int) -> None:
    if held_by_kernel(place, device, number):
        raise PortBusyError(f"{place}: a kernel driver holds interface {number}: unbind it by the udev rule")
    claim_interface(place, device, number)
