"""A simulated device on a simulated USB port: it is plugged in, pulled out, and comes back at another address."""

import asyncio
import fcntl
import os
import shutil
from pathlib import Path
from typing import Final, Self

from pitwarden.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.pump import Pump
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.function import Function
from pitwarden_simulators.usb.sysfs import Sysfs
from pitwarden_simulators.usb.usbfs import Usbfs

_MAJOR: Final = 189
_PIPE: Final = 4_096  # bytes: the smallest pipe there is; full, it cannot be written to, and so polls as not ready
_F_SETPIPE_SZ: Final = 1_031


class UsbPort:
    """Port `number` of bus 1. The device node is a pipe that is kept full while no transfer can be reaped."""

    def __init__(
        self, device: SimulatedDevice, clock: Clock, sysfs: Sysfs, descriptors: Descriptors, number: int = 1
    ) -> None:
        self.pump = Pump(device, clock, self._send)
        self.function: Function | None = None
        self.usbfs: Usbfs | None = None
        self._descriptors = descriptors
        self._sysfs = sysfs
        self._number = number
        self._address = number
        self._server: asyncio.Server | None = None
        self._pipe = -1
        self._full = True

    @property
    def place(self) -> str:
        """What stands as `port` in the table file."""
        told = self._descriptors
        return f"usb://{told.vendor:04x}:{told.product:04x}/{told.serial}"

    async def plug(self) -> None:
        """Plugs the device in, at an address that it never had before."""
        self._address += 1
        self.function = Function(self._descriptors, self._hear)
        self.usbfs = Usbfs(self.function, self._ready)
        self._describe()
        socket = self._sysfs.root / "ioctl/dev" / self._node
        self._server = await asyncio.start_unix_server(self.usbfs.serve, os.fspath(socket))
        self.pump.start()
        self._sysfs.announce("add", self._path, self._properties)

    async def __aenter__(self) -> Self:
        await self.plug()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unplug()
        os.close(self._pipe)
        self._pipe = -1

    async def unplug(self) -> None:
        """Pulls the plug, whatever is under way."""
        if self.usbfs is None or self._server is None:
            return
        self.pump.stop()
        self.usbfs.leave()
        self.function = self.usbfs = None
        root = self._sysfs.root
        shutil.rmtree(root / f"sys{self._path}")
        for link in (f"sys/bus/usb/devices/1-{self._number}", f"sys/dev/char/{_MAJOR}:{self._minor}"):
            (root / link).unlink()
        (root / "dev" / self._node).unlink()
        (root / "dev/.node" / self._node.replace("/", "_")).unlink()
        (root / "ioctl/dev" / self._node).unlink()
        self._server.close()
        self._server = None
        self._sysfs.announce("remove", self._path, self._properties)

    @property
    def _path(self) -> str:
        return f"/devices/pci0000:00/usb1/1-{self._number}"

    @property
    def _node(self) -> str:
        return f"bus/usb/001/{self._address:03d}"

    @property
    def _minor(self) -> int:
        return self._address - 1

    @property
    def _properties(self) -> dict[str, str]:
        return {
            "DEVTYPE": "usb_device", "DRIVER": "usb", "BUSNUM": "001", "DEVNUM": f"{self._address:03d}",
            "DEVNAME": f"/dev/{self._node}", "MAJOR": str(_MAJOR), "MINOR": str(self._minor),
        }  # fmt: skip

    def _describe(self) -> None:
        """Makes the device's folder, its node and the links to it."""
        root, told = self._sysfs.root, self._descriptors
        folder = root / f"sys{self._path}"
        folder.mkdir(parents=True)
        (folder / "descriptors").write_bytes(told.device + told.configuration)
        (folder / "uevent").write_text("".join(f"{key}={value}\n" for key, value in self._properties.items()))
        for name, value in {
            "busnum": "1", "devnum": str(self._address), "speed": "480", "bConfigurationValue": "1",
            "idVendor": f"{told.vendor:04x}", "idProduct": f"{told.product:04x}", "dev": f"{_MAJOR}:{self._minor}",
        }.items():  # fmt: skip
            (folder / name).write_text(f"{value}\n")
        (folder / "subsystem").symlink_to("../" * self._path.count("/") + "bus/usb")
        (root / f"sys/bus/usb/devices/1-{self._number}").symlink_to(f"../../..{self._path}")
        (root / f"sys/dev/char/{_MAJOR}:{self._minor}").symlink_to(f"../..{self._path}")
        self._make_node(root / "dev" / self._node)
        (root / "dev/.node" / self._node.replace("/", "_")).symlink_to(f"{_MAJOR}:{self._minor}")

    def _make_node(self, node: Path) -> None:
        if self._pipe >= 0:
            os.close(self._pipe)
        os.mkfifo(node, 0o666)
        self._pipe = os.open(node, os.O_RDWR | os.O_NONBLOCK)
        fcntl.fcntl(self._pipe, _F_SETPIPE_SZ, _PIPE)
        os.write(self._pipe, b"x")
        self._full = True

    def _ready(self, ready: bool) -> None:  # noqa: FBT001  Usbfs's callback
        if self._pipe < 0 or ready is not self._full:
            return
        if ready:
            os.read(self._pipe, 1)
        else:
            os.write(self._pipe, b"x")
        self._full = not ready

    def _hear(self, data: bytes) -> None:
        self.pump.hear(data)

    def _send(self, data: bytes) -> None:
        if self.function is not None:
            self.function.say(data)
