"""Serial lines through pyserial, the only file that imports it: opening, raw settings, and the holder of a busy port.

Every line setting is written and read back (B03): nothing of a previous user is left. They are compared again while
the port is open, since root can change them in spite of the exclusive use. A busy port is reported with the process
that holds it (B04).

Threats: a second program, and settings left by an earlier user of the tty.
"""

import errno
import fcntl
import os
import termios
from pathlib import Path
from typing import Final

import serial

from pitwarden_drivers.errors import (
    DeviceError,
    LineChangedError,
    PortBusyError,
    PortUnavailableError,
    PortUnsuitableError,
)
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
    # HUPCL is off: closing must not drop DTR, which reboots some devices (B02).
    2: termios.CLOCAL | termios.CREAD | termios.CS8,
    3: 0,
}


_Settings = list[int | list[bytes | int]]
"""Settings of a tty, as `tcgetattr` returns them."""


def make_raw(fd: int, place: str) -> _Settings:
    """Set 8N1 without flow control, translation or echo; return the settings that the line has now.

    Raises:
        PortUnsuitableError: Some settings were not accepted; the message names them.
    """
    flags = termios.tcgetattr(fd)
    for index, names in _WATCHED.items():
        mask = 0
        for name in names:
            mask |= getattr(termios, name)
        flags[index] = (flags[index] & ~mask) | _WANTED[index]
    # With 0, a read of an idle line is empty like that of a line that hung up.
    flags[6][termios.VMIN] = 1
    flags[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, flags)
    found = termios.tcgetattr(fd)
    different = setting_differences(flags, found)
    if different:
        raise PortUnsuitableError(
            f"{place}: the line did not take {', '.join(different)}: use another adapter, "
            "or the speed and settings that it supports"
        )
    return found


def setting_differences(wanted: _Settings, found: _Settings) -> tuple[str, ...]:
    """Return the names of the settings in which two results of tcgetattr differ."""
    names = []
    for index, watched in _WATCHED.items():
        for name in watched:
            flag = getattr(termios, name)
            if _bits(wanted[index]) & flag != _bits(found[index]) & flag:
                names.append(name)
    names += [name for index, name in ((4, "ISPEED"), (5, "OSPEED")) if wanted[index] != found[index]]
    names += [name for name in ("VMIN", "VTIME") if _count(wanted, name) != _count(found, name)]
    return tuple(names)


def _count(settings: _Settings, name: str) -> int:
    """Return VMIN or VTIME; of a line that is read by lines, the character that has its place."""
    characters = settings[6]
    value = characters[getattr(termios, name)] if isinstance(characters, list) else 0
    return value if isinstance(value, int) else value[0]


def _bits(value: int | list[bytes | int]) -> int:
    return value if isinstance(value, int) else 0


def port_holder(place: str, proc: Path = Path("/proc")) -> str:
    """Return what has `place` open, as far as this user may see, and how to end that, for an error sentence."""
    wanted, ours = os.path.realpath(place), str(os.getpid())
    for process in proc.glob("[0-9]*"):
        if process.name != ours and _holds(process, wanted):
            return f"process {process.name} ({_name(process)}): end that program"
    if _holds(proc / ours, wanted):
        return "this service, for another device: correct the ports in the table file"
    return "another process, which this user may not see: end that program"


def _holds(process: Path, wanted: str) -> bool:
    try:
        return any(os.path.realpath(fd) == wanted for fd in (process / "fd").iterdir())
    except OSError:  # the process ended, or belongs to another user
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return "name unknown"


_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EBUSY})
# Seconds of one blocking read from a network line, after which the thread sees that the port was closed.
_NET_TIMEOUT_S: Final = 0.2


class _Unflushed(serial.Serial):
    """Tty opened without a blind flush (B01): the dialogue discards and counts the waiting bytes."""

    def _reset_input_buffer(self) -> None:
        """Do nothing. Pyserial calls this once when it opens."""


class SerialLine:
    """Open tty: its descriptor, the settings that it was given, and the calls that close it."""

    def __init__(self, port: serial.Serial, settings: _Settings) -> None:
        self._port, self._settings = port, settings

    @property
    def fd(self) -> int:
        """Non-blocking descriptor."""
        return int(self._port.fileno())

    def fault(self) -> LineChangedError | None:
        """Return an error that names the settings which another program changed; None while they are as they were."""
        try:
            different = setting_differences(self._settings, termios.tcgetattr(self.fd))
        except termios.error:  # the line hung up, which the next read reports
            return None
        if not different:
            return None
        return LineChangedError(
            f"{self._port.name}: another program changed {', '.join(different)}: find what uses stty or this port"
        )

    def discard(self) -> None:
        """Discard bytes that the kernel has not sent; a disconnected line has none."""
        try:
            termios.tcflush(self.fd, termios.TCOFLUSH)
        except termios.error:
            return

    def close(self) -> None:
        """Close the tty. The kernel may block for any time."""
        self._port.close()


def open_serial(line: PortAddress) -> SerialLine:
    """Open a tty exclusively and set the complete line; blocks.

    Raises:
        PortUnavailableError: The tty does not exist or cannot be read.
        PortBusyError: Another process holds it.
        PortUnsuitableError: It is not a serial line, or rejects a setting.
    """
    if not hasattr(termios, f"B{line.baud}"):
        raise PortUnsuitableError(f"{line.place}: {line.baud} bit/s is no standard speed: choose one, as 115200")
    try:
        port = _Unflushed(line.place, line.baud, timeout=0, write_timeout=0, exclusive=True)
    except serial.SerialException as error:
        raise _fault(line.place, error) from None
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        settings = make_raw(port.fileno(), line.place)
    except (OSError, termios.error) as error:
        port.close()
        raise PortUnavailableError(f"{line.place}: it went away while it was opened, {error}") from None
    except PortUnsuitableError:
        port.close()
        raise
    return SerialLine(port, settings)


def _fault(place: str, error: serial.SerialException) -> DeviceError:
    """Return the error for a failed open: busy, not present, or not a serial line."""
    said = str(error)
    if error.errno == errno.EBUSY or (error.errno in _HELD and "exclusively lock" in said):
        return PortBusyError(f"{place}: it is held by {port_holder(place)}")
    if error.errno is None:
        return PortUnsuitableError(f"{place}: it is no serial line: correct the path in the table file")
    reason = errno.errorcode.get(error.errno, str(error.errno))
    return PortUnavailableError(
        f"{place}: it cannot be opened, {reason}: see that the device is plugged in and readable"
    )


class NetworkSerial:
    """Serial line behind an RFC 2217 server. Every method blocks for a bounded time."""

    def __init__(self, line: PortAddress) -> None:
        try:
            self._port = serial.serial_for_url(line.place, line.baud, timeout=_NET_TIMEOUT_S)
        except (serial.SerialException, OSError) as error:
            raise PortUnavailableError(f"{line.place}: no RFC 2217 server answers, {error}") from None

    def read(self) -> bytes:
        """Return the bytes received within 200 ms, possibly none.

        Raises:
            OSError: The connection is closed.
        """
        return bytes(self._port.read(max(1, self._port.in_waiting)))

    def write(self, data: bytes) -> None:
        """Send all of `data`.

        Raises:
            OSError: The connection is closed.
        """
        self._port.write(data)

    def close(self) -> None:
        """Close the connection."""
        self._port.close()
