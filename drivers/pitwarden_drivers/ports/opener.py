"""Opening of ports: an address of the table file becomes a tty, USB, HID, TCP or RFC 2217 port within five seconds."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Final

from pitwarden_drivers.errors import PortBusyError, PortUnavailableError, PortUnsuitableError
from pitwarden_drivers.ports.addresses import host_and_port, is_url, is_usb_address, parse_usb_address
from pitwarden_drivers.ports.fd_port import FdPort
from pitwarden_drivers.ports.hid_port import HidLine
from pitwarden_drivers.ports.port import OPEN_S, Port, PortAddress, PortListener, run_with_deadline
from pitwarden_drivers.ports.serial_port import NetworkSerial, SerialLine, open_serial
from pitwarden_drivers.ports.thread_port import BlockingConnection, ThreadPort
from pitwarden_drivers.ports.usb_device import UsbBus
from pitwarden_drivers.ports.usb_port import UsbLine

_PTYS: Final = "/dev/pts/"


class PortOpener:
    """Opener of ports. It opens none whose last opening or closing has not ended in the kernel (B08).

    `usb`: backend of the USB devices, None for this machine's own. `simulated`: whether a program may stand in the
    place of a serial device, as at a table that its file marks as simulated.
    """

    def __init__(self, usb: UsbBus | None = None, *, simulated: bool = True) -> None:
        self._busy: set[str] = set()
        self._simulated = simulated
        self._usb_bus = usb or UsbBus()

    async def open(self, line: PortAddress, listener: PortListener) -> Port:
        """Return an open port.

        Raises:
            PortUnavailableError: Nothing answers at the address.
            PortBusyError: Another program holds the port.
            PortUnsuitableError: The device rejects the settings or is of the wrong kind.
        """
        if line.place in self._busy:
            raise PortBusyError(
                f"{line.place}: its last closing has not ended yet: if it never does, replug the adapter"
            )
        try:
            if is_usb_address(line.place):
                return await self._usb(line.place, listener)
            if not is_url(line.place):
                return await self._tty(line, listener)
            scheme, host, port = host_and_port(line.place)
            if scheme == "socket":
                return await _tcp(line.place, (host, port), listener)
            connection = await run_with_deadline(
                f"open {line.place}", lambda: NetworkSerial(line), OPEN_S, NetworkSerial.close
            )
            return ThreadPort(line.place, connection, listener)
        except TimeoutError:
            raise PortUnavailableError(f"{line.place}: it did not open within {OPEN_S:g} s: see the device") from None

    async def _tty(self, line: PortAddress, listener: PortListener) -> Port:
        def opening() -> SerialLine:
            with self._using(line.place):
                self._require_device(line.place)
                return open_serial(line)

        opened = await run_with_deadline(f"open {line.place}", opening, OPEN_S, SerialLine.close)

        def dispose() -> None:
            with self._using(line.place):
                opened.discard()
                opened.close()

        return FdPort(line.place, opened.fd, listener, dispose, opened.fault)

    async def _usb(self, place: str, listener: PortListener) -> Port:
        def opening() -> BlockingConnection:
            with self._using(place):
                told = parse_usb_address(place)
                return (HidLine if told.scheme == "hid" else UsbLine)(told, self._usb_bus)

        opened = await run_with_deadline(f"open {place}", opening, OPEN_S, BlockingConnection.close)
        return ThreadPort(place, _Used(opened, partial(self._using, place)), listener)

    def _require_device(self, place: str) -> None:
        """Check that no program stands behind `place`. Threat: rows of a simulation in the record of a real table.

        Raises:
            PortUnsuitableError: It leads to a pseudo-terminal, and the table is not marked as simulated.
        """
        real = os.path.realpath(place)
        if not self._simulated and real.startswith(_PTYS):
            raise PortUnsuitableError(
                f"{place}: leads to {real}, behind which a program runs and no device: connect the device, or mark the "
                "table with `simulated = true` in [table]"
            )

    @contextmanager
    def _using(self, place: str) -> Iterator[None]:
        self._busy.add(place)
        try:
            yield
        finally:
            self._busy.discard(place)


class _Used:
    """Connection whose address stays busy until its close has ended."""

    def __init__(self, connection: BlockingConnection, using: Callable[[], AbstractContextManager[None]]) -> None:
        self._connection = connection
        self._using = using
        self.read = connection.read
        self.write = connection.write

    def close(self) -> None:
        """Close the connection."""
        with self._using():
            self._connection.close()


_KEEPALIVE: Final = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 5),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
    # Without TCP_NODELAY every reply waits for the peer's delayed acknowledgement.
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
)


_Resolved = tuple[int, int, int, tuple[object, ...]]
"""Family, kind and protocol of a socket, and the address to connect it to."""


def _resolve(address: tuple[str, int]) -> list[_Resolved]:
    """Resolve a host name in our own thread: the loop's executor would delay the exit while a name server is silent."""
    found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
    return [(family, kind, protocol, resolved) for family, kind, protocol, _name, resolved in found]


def _drop(_found: object) -> None:
    """Discard a late answer."""


async def _tcp(place: str, address: tuple[str, int], listener: PortListener) -> Port:
    try:
        async with asyncio.timeout(OPEN_S):
            found = await run_with_deadline(f"resolve {place}", partial(_resolve, address), OPEN_S, _drop)
            connection = await _connect_in_turn(found)
    except TimeoutError:  # an OSError too, but the caller reports it for every kind of line
        raise
    except OSError as error:
        raise PortUnavailableError(
            f"{place}: nobody answers there, {error.strerror}: see the device's network"
        ) from None
    return FdPort(place, connection.fileno(), listener, connection.close)


async def _connect_in_turn(found: Sequence[_Resolved]) -> socket.socket:
    """Return a connection to the first address that answers. Each has its share of the time: one may be silent.

    Raises:
        OSError: None answers; the error is that of the last.
    """
    *others, last = found
    for resolved in others:
        with suppress(OSError):  # also the time-out
            async with asyncio.timeout(OPEN_S / len(found)):
                return await _connect(resolved)
    return await _connect(last)


async def _connect(resolved: _Resolved) -> socket.socket:
    family, kind, protocol, address = resolved
    connection = socket.socket(family, kind, protocol)
    try:
        connection.setblocking(False)  # noqa: FBT003  socket's own signature
        for level, option, value in _KEEPALIVE:
            connection.setsockopt(level, option, value)
        await asyncio.get_running_loop().sock_connect(connection, address)
    except BaseException:
        connection.close()
        raise
    return connection
