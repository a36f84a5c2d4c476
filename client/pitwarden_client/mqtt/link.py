"""A consumer's link to the broker: one connection at a time, opened again until cancelled."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.mqtt.connection import ConsumerConnection
from pitwarden_client.mqtt.errors import BusError, LinkDownError
from pitwarden_client.mqtt.rotation import AddressRotation
from pitwarden_client.mqtt.settings import BrokerSettings

# How long the reason is waited for when a connection ends before anything was subscribed to.
REASON_SECONDS: Final = 0.2


class ConsumerLink:
    """Supervised link of a consumer. The callbacks run in the event loop, at once; they must not block.

    `on_message` may be called before `on_up`: retained messages arrive first. `on_down` receives the BusError, once for
    each loss and for each failed attempt. A consumer has no status, so the link has no will.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        filters: Sequence[str],
        *,
        on_message: Callable[[str, bytes], None],
        on_up: Callable[[], None],
        on_down: Callable[[BusError], None],
        retry: RetryPolicy,
    ) -> None:
        self._client_id, self._filters = client_id, tuple(filters)
        self._on_message, self._on_up, self._on_down = on_message, on_up, on_down
        self._addresses = AddressRotation(broker, retry)
        self._connection: ConsumerConnection | None = None
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def up(self) -> bool:
        """True while the connection is open and every filter is subscribed."""
        return self._connection is not None

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 1 and wait for the broker's acknowledgement, which is no proof that a client received it.

        Raises:
            LinkDownError: There is no connection, it ended, or the broker did not answer.
        """
        if self._connection is None:
            raise LinkDownError("the link to the broker is down")
        await self._connection.publish(topic, payload)

    def post(self, topic: str, payload: bytes) -> None:
        """Publish without waiting, and without repeating a loss. For requests that are sent again until answered."""
        if self._connection is not None:
            sending = asyncio.create_task(self._posted(topic, payload), name="client request")
            self._sending.add(sending)
            sending.add_done_callback(self._sending.discard)

    async def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribe to further filters, now and in every later connection.

        Raises:
            PublishRefusedError: The broker refused one of them.
            LinkDownError: There is no connection, it ended, or the broker did not answer.
        """
        new = [each for each in filters if each not in self._filters]
        self._filters = (*self._filters, *new)
        if self._connection is None:
            raise LinkDownError("the link to the broker is down")
        if new:
            await self._connection.subscribe(new)

    async def run(self) -> None:
        """Run until cancelled; only a bug, in a callback, ends it with an exception."""
        while True:
            try:
                await self._session()
            except BusError as fault:
                self._on_down(fault)
                await asyncio.sleep(self._addresses.failed(fault, asyncio.get_running_loop().time()))

    async def _session(self) -> None:
        connection = ConsumerConnection(self._addresses.settings, self._client_id, self._on_message)
        receiving: asyncio.Task[None] | None = None
        try:
            await connection.open()
            # Before subscribing: it is what notices that the connection ends.
            receiving = asyncio.create_task(connection.run(), name="client receive")
            try:
                await connection.subscribe(self._filters)
            except LinkDownError:
                # Why the connection ended is known some rounds of the loop after that it did.
                await asyncio.wait({receiving}, timeout=REASON_SECONDS)
                if receiving.done():
                    receiving.result()
                raise
            self._connection = connection
            self._addresses.succeeded()
            self._on_up()
            await receiving
        finally:
            self._connection = None
            await self._left(receiving)
            await connection.close()

    async def _left(self, receiving: asyncio.Task[None] | None) -> None:
        """End the tasks of a connection. Their errors are raised elsewhere or do not matter."""
        tasks = {*self._sending, *([] if receiving is None else [receiving])}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _posted(self, topic: str, payload: bytes) -> None:
        try:
            await self.publish(topic, payload)
        except BusError:
            return
