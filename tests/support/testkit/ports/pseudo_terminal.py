"""Pseudo-terminal: the port's end has a name, and the test holds the device's end."""

import os


class PseudoTerminal:
    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        self.name = os.ttyname(self.slave)
        os.set_blocking(self.master, False)

    def close(self) -> None:
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1

    def read(self) -> bytes:
        try:
            return os.read(self.master, 65_536)
        except BlockingIOError:
            return b""

    def rest(self) -> bytes:
        """Return everything that the device reads, late."""
        return b"".join(iter(self.read, b""))
