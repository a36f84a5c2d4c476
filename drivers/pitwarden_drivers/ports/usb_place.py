"""Where a USB device is: `usb://1209:0001/SERIAL`, with `?port=1-2.4` where it may sit only there.

`hid://` in place of `usb://` for a device of the HID class. The place is the allow-list: vendor, product and serial
number must agree, and the port path if one is named.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal, cast

SCHEMES: Final = ("usb://", "hid://")
_PLACE: Final = re.compile(
    r"(?P<scheme>usb|hid)://(?P<vendor>[0-9a-f]{4}):(?P<product>[0-9a-f]{4})/(?P<serial>[A-Za-z0-9._-]{1,64})"
    r"(\?port=(?P<port>[1-9]\d{0,2}-[1-9]\d{0,2}(\.[1-9]\d{0,2}){0,5}))?"
)


@dataclass(frozen=True, slots=True)
class UsbPlace:
    """Vendor and product number, serial number, and the port path (`bus-port.port`) or None for any."""

    vendor: int
    product: int
    serial: str
    port: str | None = None
    scheme: Literal["usb", "hid"] = "usb"

    def __str__(self) -> str:
        watched = f"?port={self.port}" if self.port else ""
        return f"{self.scheme}://{self.vendor:04x}:{self.product:04x}/{self.serial}{watched}"


def is_usb(place: str) -> bool:
    """Whether `place` is meant as a USB device."""
    return place.startswith(SCHEMES)


def usb_place(place: str) -> UsbPlace:
    """The device that `place` names; ValueError with a sentence when it names none."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ValueError(
            f"{place!r} is no USB device: write usb://VENDOR:PRODUCT/SERIAL with four hexadecimal digits each, as "
            "usb://1209:0001/N42 (hid:// for a HID scanner), and ?port=1-2 behind it where it may sit only there"
        )
    scheme = cast("Literal['usb', 'hid']", match["scheme"])
    return UsbPlace(int(match["vendor"], 16), int(match["product"], 16), match["serial"], match["port"], scheme)
