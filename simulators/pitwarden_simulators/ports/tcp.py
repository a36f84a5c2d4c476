"""A simulated device behind a TCP port on loopback: one client at a time, as a terminal server has it."""

import asyncio
from typing import Self

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop


class TcpPort:
    """Listens on 127.0.0.1; `url` is what the table file names."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        self.pump = DriverLoop(device, clock, self._send)
        self._server: asyncio.Server | None = None
        self._client: asyncio.Transport | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """`socket://` and the address; known once plugged in."""
        return f"socket://127.0.0.1:{self._port}"

    async def plug(self) -> None:
        """Begins to listen, on the same port as before."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Client(self), "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def unplug(self) -> None:
        """Hangs up and listens no more."""
        self._leave()
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    async def __aenter__(self) -> Self:
        await self.plug()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.unplug()

    def came(self, client: asyncio.Transport) -> None:
        """A client connected; an earlier one is hung up on."""
        self._leave()
        self._client = client
        self.pump.start()

    def went(self, client: asyncio.Transport | None) -> None:
        """A client is gone."""
        if client is self._client:
            self._client = None
            self.pump.stop()

    def heard(self, data: bytes) -> None:
        """Bytes came from the client."""
        self.pump.hear(data)

    def _leave(self) -> None:
        if self._client is not None:
            self._client.abort()
            self.went(self._client)

    def _send(self, data: bytes) -> None:
        if self._client is not None:
            self._client.write(data)


class _Client(asyncio.Protocol):
    def __init__(self, port: TcpPort) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport
            self._port.came(transport)

    def data_received(self, data: bytes) -> None:
        self._port.heard(data)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._port.went(self._transport)
