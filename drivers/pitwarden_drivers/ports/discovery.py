"""Discovery of serial lines and USB devices from the kernel's and udev's data. No device is opened.

Opening restarts some devices (B02), and takes bytes from a dialogue that is under way.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

_HUB: Final = "09"
_VENDOR_CLASS, _HID_CLASS = "ff", "03"
_PORT_SUFFIX: Final = re.compile(r"-port\d+$")
_NAMEABLE: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class UsbDeviceInfo:
    """USB device: its numbers in hexadecimal, its serial number (empty for none), and its port path."""

    vendor: str
    product: str
    serial: str
    port: str
    name: str

    @property
    def nameable(self) -> bool:
        """True if the address of a table file can contain its serial number."""
        return _NAMEABLE.fullmatch(self.serial) is not None


@dataclass(frozen=True, slots=True)
class SerialLineInfo:
    """Serial line: its tty, its stable names, and its USB adapter if it has one."""

    tty: str
    by_id: str | None
    by_path: str | None
    usb: UsbDeviceInfo | None

    @property
    def socket_path(self) -> str | None:
        """Udev's ID_PATH: the socket that holds the adapter."""
        return None if self.by_path is None else _PORT_SUFFIX.sub("", self.by_path.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class UsbInterfaceInfo:
    """USB device that a driver can use without a serial line."""

    scheme: Literal["usb", "hid"]
    usb: UsbDeviceInfo


def serial_lines(root: Path = Path("/")) -> tuple[SerialLineInfo, ...]:
    """Return every serial line that has a stable name or is on USB, sorted by tty."""
    by_id, by_path = _links(root, "by-id"), _links(root, "by-path")
    ttys = {tty for tty in _names(root / "sys/class/tty") if _adapter(root, tty) is not None}
    return tuple(
        SerialLineInfo(tty, by_id.get(tty), by_path.get(tty), _adapter(root, tty))
        for tty in sorted(ttys | by_id.keys() | by_path.keys())
    )


def interfaces(root: Path = Path("/")) -> tuple[UsbInterfaceInfo, ...]:
    """Return USB devices that may be TDP devices or scanners.

    They have a vendor-class interface, or a HID one that is no keyboard.
    """
    found: list[UsbInterfaceInfo] = []
    folder = root / "sys/bus/usb/devices"
    for name in _names(folder):
        device = folder / name
        if ":" in name or not (device / "idVendor").exists() or _text(device / "bDeviceClass") == _HUB:
            continue
        classes = {
            (_text(one / "bInterfaceClass"), _text(one / "bInterfaceSubClass")) for one in device.glob(f"{name}:*")
        }
        if any(kind == _VENDOR_CLASS for kind, _ in classes):
            found.append(UsbInterfaceInfo("usb", _usb(device)))
        elif (_HID_CLASS, "00") in classes:
            found.append(UsbInterfaceInfo("hid", _usb(device)))
    return tuple(found)


def _links(root: Path, kind: str) -> dict[str, str]:
    """Return the tty of each udev link, and the link."""
    folder = root / "dev/serial" / kind
    return {
        (folder / name).readlink().name: f"/dev/serial/{kind}/{name}"
        for name in _names(folder)
        if (folder / name).is_symlink()
    }


def _adapter(root: Path, tty: str) -> UsbDeviceInfo | None:
    """Return the USB device of a tty."""
    try:
        at = (root / "sys/class/tty" / tty).resolve(strict=True)
    except OSError:
        return None
    for folder in _upwards(at, root.resolve()):
        if (folder / "idVendor").exists():
            return _usb(folder)
    return None


def _upwards(at: Path, root: Path) -> Iterator[Path]:
    while at not in {root, at.parent}:
        yield at
        at = at.parent


def _usb(folder: Path) -> UsbDeviceInfo:
    words = (_text(folder / "manufacturer"), _text(folder / "product"))
    return UsbDeviceInfo(
        _text(folder / "idVendor"),
        _text(folder / "idProduct"),
        _text(folder / "serial"),
        folder.name,
        " ".join(word for word in words if word),
    )


def _names(folder: Path) -> list[str]:
    try:
        return sorted(one.name for one in folder.iterdir())
    except OSError:
        return []


def _text(file: Path) -> str:
    """Return the text of a kernel file. Characters that the device chose are made printable."""
    try:
        said = file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return "".join(char if char.isprintable() else "?" for char in said)[:200]
