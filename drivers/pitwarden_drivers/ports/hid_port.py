"""A HID interface as a stream of records (framing/hid_stream.py): who is there, then each input report whole.

The adversaries: the kernel's own HID driver, which takes every such device, and a plug that is pulled.
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
_READ_MS: Final = 200
_CONTROL_MS: Final = 1_000
_GET_DESCRIPTOR: Final = (0x81, 0x06)
_REPORT_DESCRIPTOR: Final = 0x2200


class HidLine:
    """An open HID interface. Every method blocks for a bounded time, and raises OSError once the device is gone."""

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
        """Who is there, and from then on the record of a report that came within a fifth of a second, maybe none."""
        if self._opened is not None:
            said, self._opened = self._opened, None
            return said
        with self._reading:
            if self._closed:
                raise OSError(errno.ENODEV, "closed")
            count = self._stalls.over(lambda: int(self._into.read(self._buffer, _READ_MS)), self._into)
            return HidReport(self._buffer[:count].tobytes()).to_bytes() if count else b""

    def write(self, data: bytes) -> None:
        """Refuses: nothing is said to such a device."""
        raise OSError(errno.EOPNOTSUPP, f"{len(data)} bytes for a device that is only heard: correct its driver")

    def close(self) -> None:
        """Gives the interface back, to the kernel's driver if it had it, after the transfer under way."""
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
        """The report descriptor; reads take the longest report that it describes, or two would become one."""
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
            return  # it is gone: nobody has anything to have back
        finally:
            usb.util.dispose_resources(self._device)


def _endpoint(place: UsbAddress, device: usb.core.Device) -> tuple[usb.core.Interface, usb.core.Endpoint]:
    """The first HID interface with an interrupt endpoint to the host, not a keyboard or mouse (a boot interface)."""
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
