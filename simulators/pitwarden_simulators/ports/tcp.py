"""Simulated device behind a TCP port on loopback: one client at a time, as on a terminal server."""

import asyncio
from typing import Self

from pitwarden.system.clock import Clock
from pitwarden_simulators.devices.api import SimulatedDevice
from pitwarden_simulators.ports.driver_loop import DriverLoop


class TcpPort:
    """Server on 127.0.0.1; `url` is the address for the table file."""

    def __init__(self, device: SimulatedDevice, clock: Clock) -> None:
        self.pump = DriverLoop(device, clock, self._send)
        self._server: asyncio.Server | None = None
        self._client: asyncio.Transport | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """URL of the server: `socket://` and the address; known once plugged in."""
        return f"socket://127.0.0.1:{self._port}"

    async def plug(self) -> None:
        """Begin to listen, on the same port as before."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Client(self), "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def unplug(self) -> None:
        """Close the connection and stop listening."""
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
        """Handle a new client; the connection of an earlier one is closed."""
        self._leave()
        self._client = client
        self.pump.start()

    def went(self, client: asyncio.Transport | None) -> None:
        """Handle the end of a client's connection."""
        if client is self._client:
            self._client = None
            self.pump.stop()

    def heard(self, data: bytes) -> None:
        """Process bytes from the client."""
        self.pump.receive(data)

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
