"""The descriptors of a simulated device: one vendor-class interface with a bulk endpoint each way (USB 2.0, 9.6)."""

import struct
from dataclasses import dataclass
from typing import Final

OUT: Final = 0x01
IN: Final = 0x81
PACKET: Final = 512  # bytes: wMaxPacketSize of both endpoints
_DEVICE: Final = struct.Struct("<BBHBBBBHHHBBBB")
_CONFIGURATION: Final = struct.Struct("<BBHBBBBB")
_INTERFACE: Final = struct.Struct("<9B")
_ENDPOINT: Final = struct.Struct("<BBBBHB")
_ENGLISH: Final = 0x0409
_VENDOR_CLASS: Final = 0xFF
_BULK: Final = 2


@dataclass(frozen=True, slots=True)
class Descriptors:
    """What a device says of itself: numbers, serial number, and its interface's class."""

    vendor: int
    product: int
    serial: str
    interface_class: int = _VENDOR_CLASS

    @property
    def device(self) -> bytes:
        """The device descriptor; its serial number is string 3."""
        return _DEVICE.pack(_DEVICE.size, 1, 0x0200, 0, 0, 0, 64, self.vendor, self.product, 0x0100, 1, 2, 3, 1)

    @property
    def configuration(self) -> bytes:
        """The one configuration with its interface and endpoints."""
        ends = b"".join(_ENDPOINT.pack(_ENDPOINT.size, 5, end, _BULK, PACKET, 0) for end in (OUT, IN))
        interface = _INTERFACE.pack(_INTERFACE.size, 4, 0, 0, 2, self.interface_class, 0, 0, 0)
        length = _CONFIGURATION.size + len(interface) + len(ends)
        return _CONFIGURATION.pack(_CONFIGURATION.size, 2, length, 1, 1, 0, 0x80, 50) + interface + ends

    def string(self, index: int) -> bytes | None:
        """String descriptor `index`; None when there is none."""
        texts = {1: "pitwarden", 2: "simulated table device", 3: self.serial}
        if index == 0:
            return struct.pack("<BBH", 4, 3, _ENGLISH)
        if index not in texts:
            return None
        text = texts[index].encode("utf-16-le")
        return bytes((2 + len(text), 3)) + text
