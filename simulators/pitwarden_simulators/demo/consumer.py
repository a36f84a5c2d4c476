"""Two connections of the demo to the broker: one subscribes, one sends terminal inputs. They connect again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Never

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.demo.errors import DemoError
from pitwarden_simulators.demo.missed import MissedMessages
from pitwarden_simulators.demo.watch import Watch

# Seconds for which a broker may be away. The permit ends after 30: a longer outage is no rehearsal of a short one.
_AWAY_S: Final = 60.0
# Seconds between two attempts to connect, and between two requests for what was missed.
_AGAIN_S: Final = 0.5


class Consumer:
    """Pair of connections: two, so that a broker with Nagle's algorithm delays no answer."""

    def __init__(self, broker: BrokerSettings, run: str, watch: Watch) -> None:
        self._broker, self._run, self._watch = broker, run, watch
        self._missed = MissedMessages(watch, f"demo-{run}", self.publish)
        self._heard, self._out = self._connections()

    async def open(self) -> None:
        """Connect.

        Raises:
            BusError: The broker cannot be reached.
        """
        self._heard, self._out = self._connections()
        await self._heard.open()
        await self._out.open()
        await self._heard.subscribe_all(self._watch.filters)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish a message. The future ends at the broker's answer, or with a BusError."""
        return self._out.send(topic, payload, retain=retain)

    async def run(self) -> Never:
        """Connect again whenever a connection was lost, and catch up on what was missed, until cancelled.

        Raises:
            DemoError: The broker is away for too long, or the service does not replay what was missed.
        """
        while True:
            again = _AGAIN_S if self._missed.missing else None
            lost = {self._heard.lost, self._out.lost}
            done, _ = await asyncio.wait(lost, timeout=again, return_when=asyncio.FIRST_COMPLETED)
            if done:
                self._missed.begin()
                await self.close()
                await self._reopened()
            if self._missed.refusal:
                raise DemoError(self._missed.refusal)
            if self._missed.missing:
                self._missed.request()

    async def close(self) -> None:
        """Close both connections."""
        for connection in (self._heard, self._out):
            await connection.disconnect()
            await connection.dropped()

    async def _reopened(self) -> None:
        try:
            async with asyncio.timeout(_AWAY_S):
                while True:
                    try:
                        return await self.open()
                    except BusError:
                        await self.close()
                        await asyncio.sleep(_AGAIN_S)
        except TimeoutError:
            raise DemoError(f"the broker was away for more than {_AWAY_S:.0f} s") from None

    def _connections(self) -> tuple[Connection, Connection]:
        return (
            Connection(self._broker, f"demo-{self._run}-s", self._message),
            Connection(self._broker, f"demo-{self._run}-p", lambda message: message.ack()),
        )

    def _message(self, message: InboundMessage) -> None:
        self._missed.message(message)


@asynccontextmanager
async def consumer(broker: BrokerSettings, run: str, watch: Watch) -> AsyncIterator[Consumer]:
    """Yield a consumer that passes its messages to `watch`.

    Raises:
        DemoError: The broker cannot be reached.
    """
    made = Consumer(broker, run, watch)
    try:
        await made.open()
    except BusError as error:
        raise DemoError(f"no broker at {broker.host}:{broker.port}: {error}") from error
    try:
        yield made
    finally:
        await made.close()
