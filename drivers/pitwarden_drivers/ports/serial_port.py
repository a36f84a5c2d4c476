"""Serial lines through pyserial, the only file that knows it. The adversaries: a second program, a tty's past."""

import errno
import fcntl
import termios
from typing import Final

import serial

from pitwarden_drivers.faults import DeviceFault, PortBusy, PortUnavailable, PortUnsuitable
from pitwarden_drivers.ports.api import Line
from pitwarden_drivers.ports.holder import holder_of
from pitwarden_drivers.ports.settings import make_raw

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


def open_serial(line: Line) -> SerialLine:
    """Opens a tty once, for ourselves alone, and sets the whole line; blocks.

    PortUnavailable, PortBusy or PortUnsuitable when it cannot.
    """
    if not hasattr(termios, f"B{line.baud}"):
        raise PortUnsuitable(f"{line.place}: {line.baud} bit/s is no standard speed: choose one, as 115200")
    try:
        port = _Unflushed(line.place, line.baud, timeout=0, write_timeout=0, exclusive=True)
    except serial.SerialException as error:
        raise _fault(line.place, error) from None
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        make_raw(port.fileno(), line.place)
    except (OSError, termios.error) as error:
        port.close()
        raise PortUnavailable(f"{line.place}: it went away while it was opened, {error}") from None
    except PortUnsuitable:
        port.close()
        raise
    return SerialLine(port)


def _fault(place: str, error: serial.SerialException) -> DeviceFault:
    """The policy for a failed open: what somebody holds, what is not there yet, what is no serial line."""
    said = str(error)
    if error.errno == errno.EBUSY or (error.errno in _HELD and "exclusively lock" in said):
        return PortBusy(f"{place}: it is held by {holder_of(place)}: end that program")
    if error.errno is None:
        return PortUnsuitable(f"{place}: it is no serial line: correct the path in the table file")
    reason = errno.errorcode.get(error.errno, str(error.errno))
    return PortUnavailable(f"{place}: it cannot be opened, {reason}: see that the device is plugged in and readable")


class NetworkSerial:
    """A serial line behind an RFC 2217 server. Every method blocks for a bounded time."""

    def __init__(self, line: Line) -> None:
        try:
            self._port = serial.serial_for_url(line.place, line.baud, timeout=_NET_TIMEOUT_S)
        except (serial.SerialException, OSError) as error:
            raise PortUnavailable(f"{line.place}: no RFC 2217 server answers, {error}") from None

    def read(self) -> bytes:
        """What came within a fifth of a second, maybe nothing; OSError when the connection is gone."""
        return bytes(self._port.read(max(1, self._port.in_waiting)))

    def write(self, data: bytes) -> None:
        """Sends all of `data`; OSError when the connection is gone."""
        self._port.write(data)

    def close(self) -> None:
        """Closes the connection."""
        self._port.close()
