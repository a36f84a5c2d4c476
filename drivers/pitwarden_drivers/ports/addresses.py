"""Addresses allowed in a table file.

`usb://1209:0001/SERIAL` names a USB device, with `?port=1-2.4` where it must be in that port; `hid://` replaces
`usb://`
for a device of the HID class. The address is the allow-list: vendor, product and serial number must agree, and the
port path if one is named.

A name that moves from device to device, such as `/dev/ttyUSB0`, is rejected with advice (B05).
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
class UsbAddress:
    """USB device: vendor and product number, serial number, and the port path (`bus-port.port`) or None for any."""

    vendor: int
    product: int
    serial: str
    port: str | None = None
    scheme: Literal["usb", "hid"] = "usb"

    def __str__(self) -> str:
        watched = f"?port={self.port}" if self.port else ""
        return f"{self.scheme}://{self.vendor:04x}:{self.product:04x}/{self.serial}{watched}"


def is_usb_address(place: str) -> bool:
    """Return whether `place` has the form of a USB address."""
    return place.startswith(SCHEMES)


def parse_usb_address(place: str) -> UsbAddress:
    """Return the device that `place` names.

    Raises:
        ValueError: It names none; the message is a sentence for the operator.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ValueError(
            f"{place!r} is no USB device: write usb://VENDOR:PRODUCT/SERIAL with four hexadecimal digits each, as "
            "usb://1209:0001/N42 (hid:// for a HID scanner), and ?port=1-2 behind it where it may sit only there"
        )
    scheme = cast("Literal['usb', 'hid']", match["scheme"])
    return UsbAddress(int(match["vendor"], 16), int(match["product"], 16), match["serial"], match["port"], scheme)


SIMULATED: Final = "/run/pitwarden-simulators/"
"""Folder in which the package pitwarden-simulators places its devices, one folder for each table."""

STABLE: Final = ("/dev/serial/by-id/", "/dev/serial/by-path/", "/dev/pitwarden/")
URLS: Final = ("socket", "rfc2217")
_URL: Final = re.compile(r"(?P<scheme>[a-z0-9]+)://(?P<host>[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")
# Highest port of TCP.
_MAX_PORT: Final = 65_535


def is_url(place: str) -> bool:
    """Return whether `place` has the form of a URL."""
    return "://" in place


def host_and_port(place: str) -> tuple[str, str, int]:
    """Return scheme, host and port of a URL.

    Raises:
        ValueError: The scheme is unknown or a part is missing; the message is a sentence for the operator.
    """
    match = _URL.fullmatch(place)
    if match is None or match["scheme"] not in URLS or not 0 < int(match["port"]) <= _MAX_PORT:
        raise ValueError(f"{place!r} is no address of a device: write socket://HOST:PORT or rfc2217://HOST:PORT")
    return match["scheme"], match["host"].strip("[]"), int(match["port"])


def check_address(path: str, *, simulated: bool) -> None:
    """Check that `path` is a stable name or a URL, or any absolute path of a simulation.

    Raises:
        ValueError: It is neither; the message is a sentence for the operator.
    """
    if is_usb_address(path):
        parse_usb_address(path)
        return
    if is_url(path):
        host_and_port(path)
        return
    if not path.startswith("/") or "/../" in f"{path}/" or "\0" in path:
        raise ValueError(f"{path!r} is no place of a device: write an absolute path without `..`")
    if simulated or any(path.startswith(stable) and path != stable for stable in STABLE):
        return
    if path.startswith(SIMULATED):
        raise ValueError(
            f"{path!r} is a simulated device: name the real one, or mark the table with `simulated = true` in [table]"
        )
    raise ValueError(
        f"{path!r} may be another device after the next start: write its name under /dev/serial/by-id/ "
        "(see `ls -l /dev/serial/by-id`), under /dev/serial/by-path/ where two adapters have the same id, "
        "or a link of your own udev rule under /dev/pitwarden/"
    )
