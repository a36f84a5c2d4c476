"""Serial lines: open, raw settings, who holds them.

Line settings of a tty, every flag set and read back (B03): nothing of a previous user is left.

Who else has a port open (B04): the first thing that a person asks when a port is busy.

Serial lines through pyserial, the only file that knows it. The adversaries: a second program, a tty's past.
"""

import errno
import fcntl
import os
import termios
from pathlib import Path
from typing import Final

import serial

from pitwarden_drivers.errors import DeviceError, PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports.port import PortAddress

_WATCHED: Final = {
    0: ("BRKINT", "ICRNL", "IGNBRK", "IGNCR", "IGNPAR", "INLCR", "INPCK", "ISTRIP", "IXANY", "IXOFF", "IXON", "PARMRK"),
    1: ("OPOST", "ONLCR", "OCRNL", "ONOCR", "ONLRET"),
    2: ("CLOCAL", "CREAD", "CRTSCTS", "CSTOPB", "HUPCL", "PARENB", "PARODD", "CSIZE"),
    3: ("ECHO", "ECHOE", "ECHOK", "ECHONL", "ICANON", "IEXTEN", "ISIG", "NOFLSH", "TOSTOP"),
}
_WANTED: Final = {
    0: termios.IGNBRK | termios.IGNPAR,
    1: 0,
    2: termios.CLOCAL | termios.CREAD | termios.CS8,  # HUPCL off: closing does not drop DTR and reboot the device (B02)
    3: 0,
}


def make_raw(fd: int, place: str) -> None:
    """Sets 8N1, no flow control, no translation, no echo; PortUnsuitableError names the flags that did not take."""
    flags = termios.tcgetattr(fd)
    for index, names in _WATCHED.items():
        mask = 0
        for name in names:
            mask |= getattr(termios, name)
        flags[index] = (flags[index] & ~mask) | _WANTED[index]
    flags[6][termios.VMIN] = 1  # with 0, a read of an idle line is empty, as it is of a line that hung up
    flags[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, flags)
    different = setting_differences(flags, termios.tcgetattr(fd))
    if different:
        raise PortUnsuitableError(
            f"{place}: the line did not take {', '.join(different)}: use another adapter, "
            "or the speed and settings that it supports"
        )


def setting_differences(wanted: list[int | list[bytes | int]], found: list[int | list[bytes | int]]) -> tuple[str, ...]:
    """The names of the settings in which two results of tcgetattr differ."""
    names = []
    for index, watched in _WATCHED.items():
        for name in watched:
            flag = getattr(termios, name)
            if _bits(wanted[index]) & flag != _bits(found[index]) & flag:
                names.append(name)
    names += [name for index, name in ((4, "ISPEED"), (5, "OSPEED")) if wanted[index] != found[index]]
    return tuple(names)


def _bits(value: int | list[bytes | int]) -> int:
    return value if isinstance(value, int) else 0


def port_holder(place: str, proc: Path = Path("/proc")) -> str:
    """The other process that has `place` open, as far as this user may see, for an error sentence."""
    wanted = os.path.realpath(place)
    for process in proc.glob("[0-9]*"):
        if process.name != str(os.getpid()) and _holds(process, wanted):
            return f"process {process.name} ({_name(process)})"
    return "another process, which this user may not see"


def _holds(process: Path, wanted: str) -> bool:
    try:
        return any(os.path.realpath(fd) == wanted for fd in (process / "fd").iterdir())
    except OSError:  # it ended meanwhile, or belongs to somebody else
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "name unknown"


_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EBUSY})
_NET_TIMEOUT_S: Final = 0.2


class _Unflushed(serial.Serial):
    """A tty that is opened without a blind flush (B01): what waits is held back by the dialogue, and counted."""

    def _reset_input_buffer(self) -> None:
        """Pyserial calls this once, as it opens."""


class SerialLine:
    """An open tty: its descriptor, and what closing it takes."""

    def __init__(self, port: serial.Serial) -> None:
        self._port = port

    @property
    def fd(self) -> int:
        """The non-blocking descriptor."""
        return int(self._port.fileno())

    def discard(self) -> None:
        """Drops what the kernel has not sent; a line that is gone has nothing to drop."""
        try:
            termios.tcflush(self.fd, termios.TCOFLUSH)
        except termios.error:
            return

    def close(self) -> None:
        """Closes the tty; may take as long as the kernel likes."""
        self._port.close()


def open_serial(line: PortAddress) -> SerialLine:
    """Opens a tty once, for ourselves alone, and sets the whole line; blocks.

    PortUnavailableError, PortBusyError or PortUnsuitableError when it cannot.
    """
    if not hasattr(termios, f"B{line.baud}"):
        raise PortUnsuitableError(f"{line.place}: {line.baud} bit/s is no standard speed: choose one, as 115200")
    try:
        port = _Unflushed(line.place, line.baud, timeout=0, write_timeout=0, exclusive=True)
    except serial.SerialException as error:
        raise _fault(line.place, error) from None
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        make_raw(port.fileno(), line.place)
    except (OSError, termios.error) as error:
        port.close()
        raise PortUnavailableError(f"{line.place}: it went away while it was opened, {error}") from None
    except PortUnsuitableError:
        port.close()
        raise
    return SerialLine(port)


def _fault(place: str, error: serial.SerialException) -> DeviceError:
    """The policy for a failed open: what somebody holds, what is not there yet, what is no serial line."""
    said = str(error)
    if error.errno == errno.EBUSY or (error.errno in _HELD and "exclusively lock" in said):
        return PortBusyError(f"{place}: it is held by {port_holder(place)}: end that program")
    if error.errno is None:
        return PortUnsuitableError(f"{place}: it is no serial line: correct the path in the table file")
    reason = errno.errorcode.get(error.errno, str(error.errno))
    return PortUnavailableError(
        f"{place}: it cannot be opened, {reason}: see that the device is plugged in and readable"
    )


class NetworkSerial:
    """A serial line behind an RFC 2217 server. Every method blocks for a bounded time."""

    def __init__(self, line: PortAddress) -> None:
        try:
            self._port = serial.serial_for_url(line.place, line.baud, timeout=_NET_TIMEOUT_S)
        except (serial.SerialException, OSError) as error:
            raise PortUnavailableError(f"{line.place}: no RFC 2217 server answers, {error}") from None

    def read(self) -> bytes:
        """What came within a fifth of a second, maybe nothing; OSError when the connection is gone."""
        return bytes(self._port.read(max(1, self._port.in_waiting)))

    def write(self, data: bytes) -> None:
        """Sends all of `data`; OSError when the connection is gone."""
        self._port.write(data)

    def close(self) -> None:
        """Closes the connection."""
        self._port.close()
