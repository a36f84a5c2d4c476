"""Network between service and broker: connections that are reset, held, slowed, refused, or cut in mid-packet."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_CHUNK: Final = 65_536
_CUT_S: Final = 0.01


class FaultyWire:
    """TCP proxy on loopback. No byte is altered or dropped in a live connection: TCP does not do that."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._open: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._flows.set()
        self.port = 0
        self.refuses = False
        self.delay_s = 0.0
        self.cut_after: int | None = None
        """Number of bytes, over all connections, until all are cut; None for never."""

    def reset(self) -> None:
        """Reset every connection at once."""
        for writer in list(self._open):
            writer.transport.abort()

    def hold(self) -> None:
        """Hold all bytes back, without notice to either end."""
        self._flows.clear()

    def release(self) -> None:
        """Close the connections, with all bytes held back."""
        self.reset()
        self._flows.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection, until either end closes it."""
        if self.refuses:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, far_writer}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._carry(reader, far_writer), name="to the broker")
                group.create_task(self._carry(far_reader, writer), name="from the broker")
        finally:
            self._open -= {writer, far_writer}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(_CHUNK):
                await self._flows.wait()
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                writer.write(self._left(data))
                await writer.drain()
        except OSError:
            pass  # pass  # the other end was reset
        finally:
            writer.transport.abort() if self.cut_after == 0 else writer.close()

    def _left(self, data: bytes) -> bytes:
        """Return the bytes of `data` before the cut. After it none pass until all connections have ended."""
        if self.cut_after is None:
            return data
        left, before = data[: self.cut_after], self.cut_after
        self.cut_after = max(0, before - len(data))
        if before and not self.cut_after:
            asyncio.get_running_loop().call_later(_CUT_S, self._cut)
        return left

    def _cut(self) -> None:
        self.reset()
        self.cut_after = None


@asynccontextmanager
async def wire(to_port: int) -> AsyncIterator[FaultyWire]:
    """Yield a wire to the broker at `to_port`; all of its connections have ended at the end."""
    made = FaultyWire(to_port)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = int(server.sockets[0].getsockname()[1])
    try:
        yield made
    finally:
        server.close()
        made.refuses = True
        made.release()
        await server.wait_closed()
