"""Descriptors of a simulated device: one vendor-class interface with a bulk endpoint each way (USB 2.0, 9.6).

Or one HID interface with an interrupt endpoint (HID 1.11, 6.2.1), where it has a report descriptor.
"""

import struct
from dataclasses import dataclass
from typing import Final

OUT: Final = 0x01
IN: Final = 0x81
# Bytes: wMaxPacketSize of both endpoints.
PACKET: Final = 512
_DEVICE: Final = struct.Struct("<BBHBBBBHHHBBBB")
_CONFIGURATION: Final = struct.Struct("<BBHBBBBB")
_INTERFACE: Final = struct.Struct("<9B")
_ENDPOINT: Final = struct.Struct("<BBBBHB")
_ENGLISH: Final = 0x0409
_VENDOR_CLASS: Final = 0xFF
_BULK, _INTERRUPT = 2, 3
HID_CLASS: Final = 3
HID_PACKET: Final = 64
_HID: Final = struct.Struct("<BBHBBBH")


@dataclass(frozen=True, slots=True)
class Descriptors:
    """Identity of a device: numbers, serial number, its interface's class.

    `reports`: its HID report descriptor, if it has one, whose input reports have `report_bytes` each.
    """

    vendor: int
    product: int
    serial: str
    interface_class: int = _VENDOR_CLASS
    reports: bytes = b""
    report_bytes: int = 0

    @property
    def device(self) -> bytes:
        """Device descriptor; its serial number is string 3."""
        return _DEVICE.pack(_DEVICE.size, 1, 0x0200, 0, 0, 0, 64, self.vendor, self.product, 0x0100, 1, 2, 3, 1)

    @property
    def configuration(self) -> bytes:
        """The one configuration with its interface and endpoints."""
        if self.reports:
            return self._hid_configuration
        ends = b"".join(_ENDPOINT.pack(_ENDPOINT.size, 5, end, _BULK, PACKET, 0) for end in (OUT, IN))
        interface = _INTERFACE.pack(_INTERFACE.size, 4, 0, 0, 2, self.interface_class, 0, 0, 0)
        length = _CONFIGURATION.size + len(interface) + len(ends)
        return _CONFIGURATION.pack(_CONFIGURATION.size, 2, length, 1, 1, 0, 0x80, 50) + interface + ends

    @property
    def hid(self) -> bytes:
        """HID descriptor."""
        return _HID.pack(_HID.size, 0x21, 0x0111, 0, 1, 0x22, len(self.reports))

    @property
    def _hid_configuration(self) -> bytes:
        interface = _INTERFACE.pack(_INTERFACE.size, 4, 0, 0, 1, HID_CLASS, 0, 0, 0)
        end = _ENDPOINT.pack(_ENDPOINT.size, 5, IN, _INTERRUPT, HID_PACKET, 4)
        length = _CONFIGURATION.size + len(interface) + len(self.hid) + len(end)
        return _CONFIGURATION.pack(_CONFIGURATION.size, 2, length, 1, 1, 0, 0x80, 50) + interface + self.hid + end

    def string(self, index: int) -> bytes | None:
        """Return string descriptor `index`; None when there is none."""
        texts = {1: "pitwarden", 2: "simulated table device", 3: self.serial}
        if index == 0:
            return struct.pack("<BBH", 4, 3, _ENGLISH)
        if index not in texts:
            return None
        text = texts[index].encode("utf-16-le")
        return bytes((2 + len(text), 3)) + text
