"""Answers a program's usbfs calls for one plugged-in device, over umockdev's socket, in the event loop.

The call numbers and the URB's layout are Linux's (`usbdevice_fs.h`, 64 bit).
"""

import asyncio
import errno
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pitwarden_simulators.usb.function import Function, Stall

_MESSAGE: Final = struct.Struct("<QqQ")
_URB: Final = struct.Struct("<BBxxiIxxxxQiiiiiIQ")
_SETUP: Final = struct.Struct("<BBHHH")
_CALL, _ANSWER, _READ, _WRITE = 1, 3, 5, 6
_USBDEVFS: Final = ord("U")
_SUBMIT, _DISCARD, _REAP, _REAP_NOW, _CLEAR_HALT, _CAPABILITIES, _SPEED = 10, 11, 12, 13, 21, 26, 31
_DRIVER, _CLAIM, _INNER, _DISCONNECT, _CONNECT = 8, 15, 18, 22, 23
_INNER_CALL: Final = struct.Struct("<iiQ")
_AGREED: Final = frozenset({4, 5, _CLAIM, 16, 20})  # set interface and configuration, claim, release, reset
_CONTROL: Final = 2
_INTO_HOST: Final = 0x80
_STATUS_AT, _LENGTH_AT = 4, 28
_HIGH_SPEED: Final = 3
_CAPABLE: Final = 0x01 | 0x02 | 0x04 | 0x10


@dataclass(frozen=True, slots=True)
class _Urb:
    """A transfer that a program has submitted."""

    owner: "_Client"
    address: int
    kind: int
    endpoint: int
    buffer: int
    size: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Done:
    """A transfer with its outcome: a negative errno or 0, and what came."""

    urb: _Urb
    status: int
    count: int
    data: bytes = b""


class Usbfs:
    """The transfers of one device, from all programs that have it open. `ready` says whether one can be reaped.

    `held_by` names a kernel driver or program that holds interface 0, `driver` the kernel driver that had to leave it.
    """

    def __init__(self, function: Function, ready: Callable[[bool], None]) -> None:
        self._function = function
        self._ready = ready
        self._waiting: list[_Urb] = []
        self._done: list[_Done] = []
        self._gone = False
        self._pumping = False
        self.held_by: str | None = None
        self.driver: str | None = None
        function.changed = self._pump

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One program's open file, until it closes it."""
        client = _Client(reader, writer)
        try:
            while True:
                kind, request, argument = await client.receive()
                result, error = -1, errno.EINVAL
                if kind == _CALL:
                    result, error = await self._call(client, request & 0xFFFFFFFF, argument)
                client.send(_ANSWER, result, error)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._waiting = [urb for urb in self._waiting if urb.owner is not client]
            self._done = [done for done in self._done if done.urb.owner is not client]
            writer.close()

    def leave(self) -> None:
        """The plug is pulled: everything under way ends with ESHUTDOWN."""
        self._gone = True
        self._done += [_Done(urb, -errno.ESHUTDOWN, 0) for urb in self._waiting]
        self._waiting = []
        self._ready(True)  # noqa: FBT003  the callback's one word

    async def _call(self, client: "_Client", request: int, argument: int) -> tuple[int, int]:
        number = request & 0xFF
        if request >> 8 & 0xFF != _USBDEVFS:
            return -1, errno.ENOTTY
        if number in {_REAP, _REAP_NOW}:
            return await self._reap(client, argument)
        if self._gone:
            return -1, errno.ENODEV
        if number == _SUBMIT:
            self._waiting.append(await client.urb(argument))
            self._pump()
            return 0, 0
        if number == _CLEAR_HALT:
            self._function.halted.discard(struct.unpack("<I", await client.memory(argument, 4))[0])
            return 0, 0
        if number == _INNER:
            return self._bound(*_INNER_CALL.unpack(await client.memory(argument, _INNER_CALL.size)))
        return self._told(client, number, argument)

    def _told(self, client: "_Client", number: int, argument: int) -> tuple[int, int]:
        """The calls that move no data."""
        match number:
            case _ if number == _DISCARD:
                return self._discard(client, argument)
            case _ if number == _CAPABILITIES:
                client.store(argument, struct.pack("<I", _CAPABLE))
                return 0, 0
            case _ if number == _SPEED:
                return _HIGH_SPEED, 0
            case _ if number == _DRIVER:
                return self._driver(client, argument)
            case _ if number == _CLAIM and self.held_by:
                return -1, errno.EBUSY
            case _ if number in _AGREED:
                return 0, 0
            case _:
                return -1, errno.ENOTTY

    def _driver(self, client: "_Client", argument: int) -> tuple[int, int]:
        """The name of the driver that holds interface 0, if one does."""
        if self.held_by is None:
            return -1, errno.ENODATA
        client.store(argument + 4, self.held_by.encode() + b"\0")
        return 0, 0

    def _bound(self, _interface: int, call: int, _data: int) -> tuple[int, int]:
        """The kernel's driver leaves interface 0, or has it back."""
        match call & 0xFF:
            case _ if call & 0xFF == _DISCONNECT and self.held_by is not None:
                self.driver, self.held_by = self.held_by, None
                return 0, 0
            case _ if call & 0xFF == _CONNECT and self.driver is not None:
                self.driver, self.held_by = None, self.driver
                return 1, 0
            case _:
                return -1, errno.ENODATA

    async def _reap(self, client: "_Client", argument: int) -> tuple[int, int]:
        done = next((one for one in self._done if one.urb.owner is client), None)
        if done is None:
            if not self._done:  # also after the plug was pulled: a program must not spin on a poll that is ever ready
                self._ready(False)  # noqa: FBT003  as above
            return -1, errno.ENODEV if self._gone else errno.EAGAIN
        self._done.remove(done)
        urb = done.urb
        if done.data:
            client.store(urb.buffer + (_SETUP.size if urb.kind == _CONTROL else 0), done.data)
        client.store(urb.address + _STATUS_AT, struct.pack("<i", done.status))
        client.store(urb.address + _LENGTH_AT, struct.pack("<i", done.count))
        client.store(argument, struct.pack("<Q", urb.address))
        if not self._done and not self._gone:
            self._ready(False)  # noqa: FBT003  as above
        return 0, 0

    def _discard(self, client: "_Client", argument: int) -> tuple[int, int]:
        urb = next((one for one in self._waiting if one.owner is client and one.address == argument), None)
        if urb is None:
            return -1, errno.EINVAL
        self._waiting.remove(urb)
        self._done.append(_Done(urb, -errno.ENOENT, 0))
        self._ready(True)  # noqa: FBT003  as above
        return 0, 0

    def _pump(self) -> None:
        """Ends every transfer that can end now; what the device says meanwhile has its turn in the same go."""
        if self._pumping:
            return
        self._pumping = True
        try:
            while any(self._ended(urb) for urb in tuple(self._waiting)):
                continue
        finally:
            self._pumping = False
        if self._done:
            self._ready(True)  # noqa: FBT003  as above

    def _ended(self, urb: _Urb) -> bool:
        """Whether `urb` could be ended."""
        try:
            done = self._outcome(urb)
        except Stall:
            done = _Done(urb, -errno.EPIPE, 0)
        if done is None or urb not in self._waiting:
            return False
        self._waiting.remove(urb)
        self._done.append(done)
        return True

    def _outcome(self, urb: _Urb) -> _Done | None:
        if urb.kind == _CONTROL:
            kind, request, value, index, length = _SETUP.unpack(urb.data[: _SETUP.size])
            answer = self._function.control(kind, request, value, index)[:length]
            return _Done(urb, 0, len(answer) if kind & _INTO_HOST else length, answer)
        if urb.endpoint & _INTO_HOST:
            given = self._function.give(urb.endpoint, urb.size)
            return None if given is None else _Done(urb, 0, len(given), given)
        return _Done(urb, 0, len(urb.data)) if self._function.take(urb.endpoint, urb.data) else None


class _Client:
    """One program's socket: calls come in, its memory is read and written through it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> tuple[int, int, int]:
        """The next message: kind and two numbers."""
        kind, one, other = _MESSAGE.unpack(await self._reader.readexactly(_MESSAGE.size))
        return kind, one, other

    def send(self, kind: int, one: int, other: int) -> None:
        """One message."""
        self._writer.write(_MESSAGE.pack(kind, one, other))

    async def memory(self, address: int, size: int) -> bytes:
        """`size` bytes of the program's memory."""
        if size == 0:
            return b""
        self.send(_READ, address, size)
        return await self._reader.readexactly(size)

    def store(self, address: int, data: bytes) -> None:
        """Writes into the program's memory."""
        self.send(_WRITE, address, len(data))
        self._writer.write(data)

    async def urb(self, address: int) -> _Urb:
        """The transfer that the program describes at `address`, with what it wants to send."""
        fields = _URB.unpack(await self.memory(address, _URB.size))
        kind, endpoint, buffer, size = fields[0], fields[1], fields[4], fields[5]
        outward = kind == _CONTROL or not endpoint & _INTO_HOST
        data = await self.memory(buffer, size) if outward else b""
        return _Urb(self, address, kind, endpoint, buffer, size, data)
