"""Server of a program's usbfs calls for one plugged-in device, over umockdev's socket, in the event loop.

The call numbers and the URB's layout are Linux's (`usbdevice_fs.h`, 64 bit).
"""

import asyncio
import errno
import struct
from collections.abc import Callable
from typing import Final

from pitwarden_simulators.usb.function import Function
from pitwarden_simulators.usb.program import CONTROL, Program
from pitwarden_simulators.usb.transfers import SETUP, Transfers

_CALL, _ANSWER = 1, 3
_USBDEVFS: Final = ord("U")
_SUBMIT, _DISCARD, _REAP, _REAP_NOW, _CLEAR_HALT, _CAPABILITIES, _SPEED = 10, 11, 12, 13, 21, 26, 31
_DRIVER, _CLAIM, _INNER, _DISCONNECT, _CONNECT = 8, 15, 18, 22, 23
_INNER_CALL: Final = struct.Struct("<iiQ")
_AGREED: Final = frozenset({4, 5, _CLAIM, 16, 20})  # set interface and configuration, claim, release, reset
_STATUS_AT, _LENGTH_AT = 4, 28
_HIGH_SPEED: Final = 3
_CAPABLE: Final = 0x01 | 0x02 | 0x04 | 0x10


class Usbfs:
    """Open device of one function, for all programs. `ready` is called with whether a transfer can be reaped.

    `held_by` names a kernel driver or program that holds interface 0, `driver` the kernel driver that had to leave it.
    """

    def __init__(self, function: Function, ready: Callable[[bool], None]) -> None:
        self._function = function
        self.transfers = Transfers(function, ready)
        self.held_by: str | None = None
        self.driver: str | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one program's open file, until it closes it."""
        program = Program(reader, writer)
        try:
            while True:
                kind, request, argument = await program.receive()
                result, error = -1, errno.EINVAL
                if kind == _CALL:
                    result, error = await self._call(program, request & 0xFFFFFFFF, argument)
                program.send(_ANSWER, result, error)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self.transfers.forget(program)
            writer.close()

    async def _call(self, program: Program, request: int, argument: int) -> tuple[int, int]:
        number = request & 0xFF
        if request >> 8 & 0xFF != _USBDEVFS:
            return -1, errno.ENOTTY
        if number in {_REAP, _REAP_NOW}:
            return self._reap(program, argument)
        if self.transfers.gone:
            return -1, errno.ENODEV
        if number == _SUBMIT:
            self.transfers.submit(await program.urb(argument))
            return 0, 0
        if number == _CLEAR_HALT:
            self._function.halted.discard(struct.unpack("<I", await program.memory(argument, 4))[0])
            return 0, 0
        if number == _INNER:
            return self._bound(*_INNER_CALL.unpack(await program.memory(argument, _INNER_CALL.size)))
        return self._told(program, number, argument)

    def _told(self, program: Program, number: int, argument: int) -> tuple[int, int]:
        """Answer the calls that move no data."""
        match number:
            case _ if number == _DISCARD:
                return (0, 0) if self.transfers.discard(program, argument) else (-1, errno.EINVAL)
            case _ if number == _CAPABILITIES:
                program.store(argument, struct.pack("<I", _CAPABLE))
                return 0, 0
            case _ if number == _SPEED:
                return _HIGH_SPEED, 0
            case _ if number == _DRIVER:
                return self._driver(program, argument)
            case _ if number == _CLAIM and self.held_by:
                return -1, errno.EBUSY
            case _ if number in _AGREED:
                return 0, 0
            case _:
                return -1, errno.ENOTTY

    def _driver(self, program: Program, argument: int) -> tuple[int, int]:
        """Return the name of the driver that holds interface 0, if one does."""
        if self.held_by is None:
            return -1, errno.ENODATA
        program.store(argument + 4, self.held_by.encode() + b"\0")
        return 0, 0

    def _bound(self, _interface: int, call: int, _data: int) -> tuple[int, int]:
        """Detach the kernel's driver from interface 0, or attach it again."""
        match call & 0xFF:
            case _ if call & 0xFF == _DISCONNECT and self.held_by is not None:
                self.driver, self.held_by = self.held_by, None
                return 0, 0
            case _ if call & 0xFF == _CONNECT and self.driver is not None:
                self.driver, self.held_by = None, self.driver
                return 1, 0
            case _:
                return -1, errno.ENODATA

    def _reap(self, program: Program, argument: int) -> tuple[int, int]:
        done = self.transfers.reap(program)
        if done is None:
            return -1, errno.ENODEV if self.transfers.gone else errno.EAGAIN
        urb = done.urb
        if done.data:
            program.store(urb.buffer + (SETUP.size if urb.kind == CONTROL else 0), done.data)
        program.store(urb.address + _STATUS_AT, struct.pack("<i", done.status))
        program.store(urb.address + _LENGTH_AT, struct.pack("<i", done.count))
        program.store(argument, struct.pack("<Q", urb.address))
        return 0, 0
