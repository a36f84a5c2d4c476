"""HID interface as a stream of records (framing/hid_stream.py): the identity, then each complete input report.

Threats: the kernel's own HID driver, which claims every such device, and an unplugged device.
"""

import errno
import threading
from array import array
from typing import Final

import usb.core
import usb.util

from pitwarden_drivers.errors import PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.framing.hid_descriptor import MAX_DESCRIPTOR, DescriptorError, parse_descriptor
from pitwarden_drivers.framing.hid_stream import HidIdentity, HidReport
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
    usb_port_path,
)

_HID_CLASS: Final = 0x03
# Time in ms of one blocking read, after which the thread sees that the port was closed.
_READ_MS: Final = 200
# Time in ms for the report descriptor. A device that has one sends it in a few ms.
_CONTROL_MS: Final = 1_000
_GET_DESCRIPTOR: Final = (0x81, 0x06)
_REPORT_DESCRIPTOR: Final = 0x2200


class HidLine:
    """Open HID interface. Every method blocks for a bounded time and raises OSError once the device is disconnected."""

    def __init__(self, place: UsbAddress, bus: UsbBus) -> None:
        self._device = find_device(place, bus)
        self._stalls = StallRecovery()
        self._closed = False
        self._reading = threading.Lock()
        self._detached = False
        self._number = 0
        try:
            interface, self._into = _endpoint(place, self._device)
            self._number = interface.bInterfaceNumber
            self._take(place)
            descriptor = self._described(place)
        except BaseException:
            self._give_back()
            raise
        release = f"{self._device.bcdDevice >> 8:x}.{self._device.bcdDevice & 0xFF:02x}"
        opened = HidIdentity(bus.serial_at(usb_port_path(self._device)), release, descriptor)
        self._opened: bytes | None = opened.to_bytes()

    def read(self) -> bytes:
        """Return the identity record first, then the record of a report received within 200 ms, or no bytes."""
        if self._opened is not None:
            said, self._opened = self._opened, None
            return said
        with self._reading:
            if self._closed:
                raise OSError(errno.ENODEV, "closed")
            count = self._stalls.over(lambda: int(self._into.read(self._buffer, _READ_MS)), self._into)
            return HidReport(self._buffer[:count].tobytes()).to_bytes() if count else b""

    def write(self, data: bytes) -> None:
        """Refuse: a HID device takes no output."""
        raise OSError(errno.EOPNOTSUPP, f"{len(data)} bytes for a device that is only heard: correct its driver")

    def close(self) -> None:
        """Release the interface after the transfer under way, to the kernel's driver if that had it."""
        self._closed = True
        with self._reading:
            self._give_back()

    def _take(self, place: UsbAddress) -> None:
        if held_by_kernel(place, self._device, self._number):
            try:
                self._device.detach_kernel_driver(self._number)
            except usb.core.USBError as error:
                raise PortBusyError(
                    f"{place}: the kernel's HID driver keeps it, {error.strerror}: see the udev rule"
                ) from None
            self._detached = True
        claim_interface(place, self._device, self._number)

    def _described(self, place: UsbAddress) -> bytes:
        """Return the report descriptor. Reads use its longest report; a longer read would join two reports."""
        try:
            said = self._device.ctrl_transfer(
                *_GET_DESCRIPTOR, _REPORT_DESCRIPTOR, self._number, MAX_DESCRIPTOR, _CONTROL_MS
            )
            descriptor = bytes(said)
            self._buffer = array("B", bytes(parse_descriptor(descriptor).longest))
        except usb.core.USBError as error:
            raise PortUnavailableError(
                f"{place}: it does not describe its reports, {error.strerror}: replug it"
            ) from None
        except DescriptorError as bad:
            raise PortUnsuitableError(f"{place}: its report descriptor is none, {bad}: use another scanner") from None
        return descriptor

    def _give_back(self) -> None:
        try:
            usb.util.release_interface(self._device, self._number)
            if self._detached:
                self._device.attach_kernel_driver(self._number)
        except usb.core.USBError:
            return  # it is disconnected: no driver can claim it
        finally:
            usb.util.dispose_resources(self._device)


def _endpoint(place: UsbAddress, device: usb.core.Device) -> tuple[usb.core.Interface, usb.core.Endpoint]:
    """Return the first HID interface with an interrupt endpoint to the host.

    Boot interfaces (keyboard, mouse) are skipped.
    """
    for interface in active_configuration(place, device):
        into = next(
            (
                end
                for end in interface
                if end.bEndpointAddress & DIRECTION and end.bmAttributes & KIND == usb.util.ENDPOINT_TYPE_INTR
            ),
            None,
        )
        if interface.bInterfaceClass == _HID_CLASS and interface.bInterfaceSubClass == 0 and into is not None:
            return interface, into
    raise PortUnsuitableError(f"{place}: it is no HID scanner, or set to type like a keyboard: set it to HID POS mode")
