"""Two connections of the demo to the broker: one subscribes, one sends terminal inputs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pitwarden.bus.connection import Connection
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.watch import Watch


class Consumer:
    """Pair of connections: two, so that a broker with Nagle's algorithm delays no answer."""

    def __init__(self, heard: Connection, out: Connection) -> None:
        self._heard = heard
        self._out = out

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish a message. The future ends at the broker's answer, or with a BusError."""
        return self._out.send(topic, payload, retain=retain)

    async def lost(self) -> None:
        """Wait without end while both connections are up.

        Raises:
            DemoError: A connection was lost.
        """
        await asyncio.wait({self._heard.lost, self._out.lost}, return_when=asyncio.FIRST_COMPLETED)
        raise DemoError("the connection to the broker was lost")


@asynccontextmanager
async def consumer(broker: BrokerSettings, run: str, watch: Watch) -> AsyncIterator[Consumer]:
    """Yield a consumer that passes its messages to `watch`.

    Raises:
        DemoError: The broker cannot be reached.
    """
    heard = Connection(broker, f"demo-{run}-s", watch.message)
    out = Connection(broker, f"demo-{run}-p", lambda message: message.ack())
    try:
        await heard.open()
        await out.open()
        await heard.subscribe_all(watch.filters)
    except BusError as error:
        raise DemoError(f"no broker at {broker.host}:{broker.port}: {error}") from error
    try:
        yield Consumer(heard, out)
    finally:
        for connection in (heard, out):
            await connection.disconnect()
            await connection.dropped()
