"""Program that has a device open, as umockdev's socket shows it: its calls, its memory, its transfers."""

import asyncio
import struct
from dataclasses import dataclass
from typing import Final

CONTROL: Final = 2
INTO_HOST: Final = 0x80
_MESSAGE: Final = struct.Struct("<QqQ")
_URB: Final = struct.Struct("<BBxxiIxxxxQiiiiiIQ")
_READ, _WRITE = 5, 6


@dataclass(frozen=True, slots=True)
class Urb:
    """Transfer that a program has submitted."""

    owner: "Program"
    address: int
    kind: int
    endpoint: int
    buffer: int
    size: int
    data: bytes


class Program:
    """One program's socket: calls come in, its memory is read and written through it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> tuple[int, int, int]:
        """Return the next message: kind and two numbers."""
        kind, one, other = _MESSAGE.unpack(await self._reader.readexactly(_MESSAGE.size))
        return kind, one, other

    def send(self, kind: int, one: int, other: int) -> None:
        """Send one message."""
        self._writer.write(_MESSAGE.pack(kind, one, other))

    async def memory(self, address: int, size: int) -> bytes:
        """Return `size` bytes of the program's memory."""
        if size == 0:
            return b""
        self.send(_READ, address, size)
        return await self._reader.readexactly(size)

    def store(self, address: int, data: bytes) -> None:
        """Write into the program's memory."""
        self.send(_WRITE, address, len(data))
        self._writer.write(data)

    async def urb(self, address: int) -> Urb:
        """Return the transfer that the program describes at `address`, with its data for the device."""
        fields = _URB.unpack(await self.memory(address, _URB.size))
        kind, endpoint, buffer, size = fields[0], fields[1], fields[4], fields[5]
        outward = kind == CONTROL or not endpoint & INTO_HOST
        data = await self.memory(buffer, size) if outward else b""
        return Urb(self, address, kind, endpoint, buffer, size, data)
