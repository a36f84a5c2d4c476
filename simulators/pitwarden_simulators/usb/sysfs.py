"""Folder with the form of /sys and /dev for a program under umockdev's preload library, and hot-plug messages.

The layout and the message format are umockdev's and libudev's.
"""

import ctypes
import os
import shutil
import socket
import struct
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final, Self

PRELOAD: Final = "libumockdev-preload.so.0"
_FOLDERS: Final = (
    "sys/bus/usb/devices", "sys/devices", "sys/dev/char", "sys/class", "dev/bus/usb/001", "dev/.node",
    "ioctl/dev/bus/usb/001", "run/udev/data",
)  # fmt: skip
_MAGIC: Final = 0xFEEDCAFE
# Bytes: where the properties begin.
_HEADER: Final = 40
_WORD: Final = 0xFFFFFFFF
_MIX: Final = 0x5BD1E995


def preloadable() -> bool:
    """Return whether umockdev's library and libusb are on this machine."""
    try:
        ctypes.CDLL("libusb-1.0.so.0")
        ctypes.CDLL(PRELOAD)
    except OSError:
        return False
    return True


class Sysfs:
    """Folder of devices; `env` makes a program under test see it instead of the machine's own."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="pitwarden-usb-"))
        for folder in _FOLDERS:
            (self.root / folder).mkdir(parents=True)
        self._sequence = 0
        self._addresses = count(2)

    def address(self) -> int:
        """Return an unused address on bus 1."""
        return next(self._addresses)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def env(self) -> dict[str, str]:
        """Environment variables for the program under test."""
        return {"UMOCKDEV_DIR": str(self.root), "LD_PRELOAD": PRELOAD}

    def announce(self, action: str, path: str, properties: Mapping[str, str]) -> None:
        """Notify every listening program that a device was added (`add`) or removed (`remove`)."""
        self._sequence += 1
        said = {"ACTION": action, "DEVPATH": path, "SUBSYSTEM": "usb", "SEQNUM": str(self._sequence), **properties}
        body = b"".join(f"{key}={value}".encode() + b"\0" for key, value in said.items())
        head = b"libudev\0" + struct.pack(">I", _MAGIC) + struct.pack("<III", _HEADER, _HEADER, len(body))
        head += struct.pack(">IIII", _hash("usb"), _hash("usb_device"), 0, 0)
        for listener in self.root.glob("event[0-9]*"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_RAW) as line, suppress(OSError):
                line.connect(os.fspath(listener))
                line.sendmsg([head, body])


def _hash(text: str) -> int:
    """Return MurmurHash 2 with seed 0: libudev's filter for subsystem and device type."""
    data, value = text.encode(), len(text)
    while len(data) >= struct.calcsize("<I"):
        word = struct.unpack("<I", data[:4])[0] * _MIX & _WORD
        value = (value * _MIX & _WORD) ^ ((word ^ word >> 24) * _MIX & _WORD)
        data = data[4:]
    if data:
        value = (value ^ int.from_bytes(data, "little")) * _MIX & _WORD
    value = (value ^ value >> 13) * _MIX & _WORD
    return value ^ value >> 15
