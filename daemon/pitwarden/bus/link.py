"""The supervised link of one half to the broker: reconnect and status.

It has two connections, one that publishes and one that subscribes, because a broker that leaves Nagle's algorithm on
delays answers on a shared connection by 44 ms. Both are opened again until the link is cancelled or closed.

Threat: a client that ends our sessions by connecting under our id.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.presence import Presence, PresencePublisher
from pitwarden_client.backoff import RetryPolicy
from pitwarden_client.mqtt.errors import BusError, LinkDownError
from pitwarden_client.mqtt.rotation import AddressRotation
from pitwarden_client.mqtt.settings import BrokerSettings

# Random bytes in a client id. Whoever knows an id can end its session, so nobody can guess one.
ID_BYTES: Final = 12
# Seconds that a stop waits for the acknowledgment of the offline status, out of STOP_S (4.5 s) for all of it.
FAREWELL_SECONDS: Final = 2.0
_NOT_OURS: Final = "another judge may own the table now"


def may_always_publish() -> bool:
    """Return True: the default of `may_publish`, where no other judge can own the table."""
    return True


class Link:
    """Supervised link to the broker. The callbacks run in the event loop, at once; they must not block.

    `presence` is None for a consumer, which publishes no status. `on_message` may be called before `on_up`, because
    retained messages arrive first. `on_up` receives whether the broker still had our session. `on_down` receives the
    BusError, once for each loss and for each failed attempt. While `may_publish` returns False nothing leaves, and the
    link ends without the offline status, since the retained status may be another judge's.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        presence: Presence | None,
        filters: Sequence[str],
        *,
        on_message: Callable[[InboundMessage], None],
        on_up: Callable[[bool], None],
        on_down: Callable[[BusError], None],
        retry: RetryPolicy,
        may_publish: Callable[[], bool] = may_always_publish,
    ) -> None:
        self.broker = broker
        """Addresses and credentials, as the table file has them."""
        self._client_id, self._filters = f"{client_id}-{secrets.token_hex(ID_BYTES)}", tuple(filters)
        self._status = None if presence is None else PresencePublisher(presence, self.publish)
        self._status_topic = "" if presence is None else presence.topic
        self._on_message, self._on_up, self._on_down, self._retry = on_message, on_up, on_down, retry
        self._may_publish = may_publish
        self._addresses = AddressRotation(broker, retry)
        self._linked = ""
        self._out: Connection | None = None
        self._inbound: Connection | None = None
        self._closing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._again: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed = asyncio.Event()
        self._woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.progress = 0
        """Number of attempts and checks, for a watchdog."""

    @property
    def up(self) -> bool:
        """True while both connections are open and the status is online."""
        return self._out is not None

    @property
    def address(self) -> str:
        """Address at which the link is up, as HOST:PORT; empty while it is down."""
        return self._linked

    def peer_ends_ms(self) -> int | None:
        """Return when the broker's certificate expires, UTC in ms; None without TLS, or while the link is down."""
        return None if self._out is None else self._out.peer_ends_ms()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish at QoS 1.

        The future ends at the broker's acknowledgement, which is no proof of storage, or with a BusError.
        """
        if self._out is None or not self._may_publish():
            down: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            reason = "the link to the broker is down" if self._out is None else _NOT_OURS
            down.set_exception(LinkDownError(reason))
            down.exception()  # a caller may ignore it
            return down
        return self._out.send(topic, payload, retain=retain)

    async def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribe to further filters, now and in every later session.

        Raises:
            PublishRefusedError: The broker refuses one of them.
            LinkDownError: The link is down; the next session subscribes.
        """
        new = [each for each in filters if each not in self._filters]
        self._filters = (*self._filters, *new)
        if self._inbound is None:
            raise LinkDownError("the link to the broker is down")
        if new:
            await self._inbound.subscribe_all(new)

    def publish_online(self) -> asyncio.Future[None]:
        """Publish the status of the half as it is now."""
        if self._status is not None:
            return self._status.publish()
        nothing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        nothing.set_result(None)
        return nothing

    def wake(self) -> None:
        """Wake `run`, so that its progress counter rises."""
        if not self._woken.done():
            self._woken.set_result(None)

    def reconnect(self, broker: BrokerSettings) -> None:
        """Connect again, to `broker` and with its files as they are now. The old connection ends without a will."""
        self.broker = broker
        self._addresses = AddressRotation(broker, self._retry)
        if not self._again.done():
            self._again.set_result(None)

    async def run(self) -> None:
        """Keep the link up until cancelled or closed. Only a bug, in a callback, ends it with an exception."""
        try:
            while not self._closing.done():
                addresses = self._addresses  # those of this attempt: a reload replaces them meanwhile
                try:
                    await self._session(addresses)
                except BusError as fault:
                    await self._pause(fault, addresses.failed(fault, asyncio.get_running_loop().time()))
        finally:
            self._closed.set()

    async def close_gracefully(self) -> None:
        """Publish the offline status, wait at most 2 s for its acknowledgement, disconnect, and end `run`."""
        if not self._closing.done():
            self._closing.set_result(None)
        await self._closed.wait()

    async def _session(self, addresses: AddressRotation) -> None:
        mine, broker = self._status, addresses.settings
        self._again = asyncio.get_running_loop().create_future()
        out = Connection(broker, f"{self._client_id}-p", self._received, None if mine is None else mine.will)
        inbound = Connection(broker, f"{self._client_id}-s", self._received)
        try:
            await out.open()
            await inbound.open()
            await inbound.subscribe_all([*self._filters, *([] if mine is None else [mine.topic])])
            self._linked = str(broker.address)
            if not self._may_publish():
                raise LinkDownError(_NOT_OURS)
            if mine is not None:
                # Online is published only after the subscription: a client that sees it may send at once, and is
                # received.
                await mine.publish(out.send)
            self._out, self._inbound = out, inbound
            addresses.succeeded()
            self._on_up(inbound.session_present)
            await self._until_lost_or_closing(out, inbound)
        finally:
            self._out = self._inbound = None
            self._linked = ""
            if mine is not None:
                mine.down()
            out.drop()
            inbound.drop()
            await out.dropped()
            await inbound.dropped()

    async def _until_lost_or_closing(self, out: Connection, inbound: Connection) -> None:
        ends: set[asyncio.Future[Any]] = {out.lost, inbound.lost, self._closing, self._again}
        await self._first_of(ends, None)
        for connection in (out, inbound):
            if connection.lost.done():
                raise connection.lost.result()
        if self._closing.done() and self._status is not None and self._may_publish():
            await asyncio.wait({out.send(*self._status.will, retain=True)}, timeout=FAREWELL_SECONDS)
        await asyncio.gather(inbound.disconnect(), out.disconnect())
        if not self._closing.done():
            raise LinkDownError("connecting again, as asked by a reload")

    async def _pause(self, fault: BusError, seconds: float) -> None:
        self._on_down(fault)
        await self._first_of({self._closing, self._again}, seconds)

    async def _first_of(self, ends: set[asyncio.Future[Any]], seconds: float | None) -> None:
        """Wait for one of `ends`, at most `seconds`. Each wake counts as progress."""
        loop = asyncio.get_running_loop()
        until = None if seconds is None else loop.time() + seconds
        while not any(end.done() for end in ends):
            self.progress += 1
            self._woken = loop.create_future()
            left = None if until is None else until - loop.time()
            if left is not None and left <= 0:
                return
            await asyncio.wait({*ends, self._woken}, timeout=left, return_when=asyncio.FIRST_COMPLETED)

    def _received(self, message: InboundMessage) -> None:
        if self._status is None or message.topic != self._status_topic:
            self._on_message(message)
            return
        message.ack()
        if self._out is not None:
            self._status.on_echo(message.payload, retained=message.retained)
