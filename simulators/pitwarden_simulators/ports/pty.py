"""Simulated device on a real pseudo-terminal with a stable name; it can be unplugged and plugged in again."""

import asyncio
import fcntl
import os
import termios
import tty
from pathlib import Path
from typing import Final, Self

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop

_READ: Final = 4_096
_GROUP_MODE: Final = 0o660
_RELAX_S: Final = 0.5
# Bytes. A real device's transmit buffer is smaller: what does not fit is lost, as there.
_UNSENT: Final = 65_536


class PtyPort:
    """Device on a pty; `link` is the stable name.

    The slave stays open: without a reader the bytes wait in the kernel (B01). `group`: whether the process's group may
    open it, as udev gives a real line to the group of the service.
    """

    def __init__(self, link: Path, device: SimulatedDevice, clock: Clock, *, group: bool = False) -> None:
        self.link = link
        self._group = group
        self.pump = DriverLoop(device, clock, self._send)
        self.reading = True
        self._fds: tuple[int, int] | None = None
        self._unsent = bytearray()
        self._relaxing: asyncio.TimerHandle | None = None

    @property
    def plugged(self) -> bool:
        """True if the device is on the line."""
        return self._fds is not None

    def plug(self) -> None:
        """Plug the device in, possibly under another kernel name, always under its stable one."""
        if self._fds is not None:
            return
        master, slave = os.openpty()
        self._fds = master, slave
        os.set_blocking(master, False)
        tty.setraw(slave)  # a new tty edits and echoes until a program opens it
        if self._group:
            os.chown(slave, -1, os.getegid())
            os.fchmod(slave, _GROUP_MODE)
        fresh = self.link.with_name(f".{self.link.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(self.link)
        self.listen(on=self.reading)
        self.pump.start()
        self._relax(slave)

    def unplug(self) -> None:
        """Pull the cable: bytes that the host had not read are lost."""
        if self._fds is None:
            return
        self.pump.stop()
        if self._relaxing is not None:
            self._relaxing.cancel()
        self.listen(on=False)
        loop = asyncio.get_running_loop()
        loop.remove_writer(self._fds[0])
        for fd in self._fds:
            os.close(fd)
        self._fds = None
        self._unsent.clear()
        self.link.unlink(missing_ok=True)
        self.reading = True

    def listen(self, *, on: bool) -> None:
        """Start or stop reading what the host sends (B09)."""
        self.reading = on
        if self._fds is None:
            return
        loop = asyncio.get_running_loop()
        if on:
            loop.add_reader(self._fds[0], self._readable, self._fds[0])
        else:
            loop.remove_reader(self._fds[0])

    def __enter__(self) -> Self:
        self.plug()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def _relax(self, slave: int) -> None:
        """End the exclusive use that a killed host left, as a last close would if we did not hold the slave."""
        try:
            fcntl.flock(slave, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            pass  # pass  # a host has it open
        else:
            fcntl.flock(slave, fcntl.LOCK_UN)
            fcntl.ioctl(slave, termios.TIOCNXCL)
        self._relaxing = asyncio.get_running_loop().call_later(_RELAX_S, self._relax, slave)

    def _readable(self, master: int) -> None:
        try:
            data = os.read(master, _READ)
        except BlockingIOError:
            return
        self.pump.receive(data)

    def _send(self, data: bytes) -> None:
        if self._fds is not None and len(self._unsent) + len(data) <= _UNSENT:
            self._unsent += data
            self._writable(self._fds[0])

    def _writable(self, master: int) -> None:
        loop = asyncio.get_running_loop()
        try:
            sent = os.write(master, self._unsent) if self._unsent else 0
        except BlockingIOError:
            sent = 0
        del self._unsent[:sent]
        if self._unsent:
            loop.add_writer(master, self._writable, master)
        else:
            loop.remove_writer(master)
