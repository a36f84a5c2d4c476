"""Simulated device on a simulated USB port: it is plugged in, pulled out, and returns at another address."""

import asyncio
import fcntl
import os
import shutil
import socket
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, Self

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop
from pitwarden_simulators.usb.descriptors import Descriptors
from pitwarden_simulators.usb.function import Function
from pitwarden_simulators.usb.sysfs import Sysfs
from pitwarden_simulators.usb.usbfs import Usbfs

_MAJOR: Final = 189
# Bytes: the smallest pipe there is; a full one cannot be written to, and so polls as not ready.
_PIPE: Final = 4_096
_F_SETPIPE_SZ: Final = 1_031


class UsbPort:
    """Port `number` of bus 1. The device node is a pipe that stays full while no transfer can be reaped."""

    def __init__(
        self, device: SimulatedDevice, clock: Clock, sysfs: Sysfs, descriptors: Descriptors, number: int = 1
    ) -> None:
        self.pump = DriverLoop(device, clock, self._send)
        self.function: Function | None = None
        self.usbfs: Usbfs | None = None
        self._descriptors = descriptors
        self._sysfs = sysfs
        self._number = number
        self._address = 0
        self._socket: socket.socket | None = None
        self._exits = AsyncExitStack()
        self._tasks = asyncio.TaskGroup()
        self._pipe = -1
        self._full = True

    @property
    def place(self) -> str:
        """Value of `port` in the table file."""
        told = self._descriptors
        return f"{'hid' if told.reports else 'usb'}://{told.vendor:04x}:{told.product:04x}/{told.serial}"

    def plug(self) -> None:
        """Plug the device in, at a new address."""
        self._address = self._sysfs.address()
        self.function = Function(self._descriptors, self.pump.receive)
        self.usbfs = Usbfs(self.function, self._ready)
        if self._descriptors.reports:
            self.usbfs.held_by = "usbhid"
        self._describe()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(os.fspath(self._sysfs.root / "ioctl/dev" / self._node))
        self._socket.listen()
        self._socket.setblocking(False)  # noqa: FBT003  socket's own signature
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._accept, self._socket, self.usbfs)
        self.pump.start()
        self._sysfs.announce("add", self._path, self._properties)

    def listen(self, *, on: bool) -> None:
        """Start or stop accepting what the host writes; a host then waits."""
        if self.function is not None:
            self.function.deaf = not on

    def unplug(self) -> None:
        """Pull the plug, with any transfer under way."""
        if self.usbfs is None or self._socket is None:
            return
        self.pump.stop()
        self.usbfs.transfers.leave()
        self.function = self.usbfs = None
        asyncio.get_running_loop().remove_reader(self._socket.fileno())
        self._socket.close()
        self._socket = None
        root = self._sysfs.root
        shutil.rmtree(root / f"sys{self._path}")
        for name in (
            f"sys/bus/usb/devices/1-{self._number}", f"sys/dev/char/{_MAJOR}:{self._minor}", f"dev/{self._node}",
            f"dev/.node/{self._node.replace('/', '_')}", f"ioctl/dev/{self._node}",
        ):  # fmt: skip
            (root / name).unlink()
        self._sysfs.announce("remove", self._path, self._properties)

    async def __aenter__(self) -> Self:
        await self._exits.enter_async_context(self._tasks)
        self.plug()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.unplug()
        await self._exits.aclose()
        os.close(self._pipe)
        self._pipe = -1

    def _accept(self, listening: socket.socket, usbfs: Usbfs) -> None:
        """Serve a program that opened the device."""
        try:
            accepted, _ = listening.accept()
        except BlockingIOError:
            return
        self._tasks.create_task(_serve(accepted, usbfs), name=f"usb program on {self._node}")

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
        """Make the device's folder, its node and the links to it."""
        root, told = self._sysfs.root, self._descriptors
        folder = root / f"sys{self._path}"
        folder.mkdir(parents=True)
        (folder / "descriptors").write_bytes(told.device + told.configuration)
        (folder / "uevent").write_text("".join(f"{key}={value}\n" for key, value in self._properties.items()))
        for name, value in {
            "busnum": "1", "devnum": str(self._address), "speed": "480", "bConfigurationValue": "1",
            "serial": told.serial,
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

    def _send(self, data: bytes) -> None:
        if self.function is not None:
            self.function.enqueue(data)


async def _serve(accepted: socket.socket, usbfs: Usbfs) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=accepted)
    await usbfs.serve(reader, writer)
