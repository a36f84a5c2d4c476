"""Simulated MQTT broker for the real links: QoS 1, retained messages, wills; it fails as brokers and networks do.

The link's own code runs; a connection of this file takes the place of `pitwarden.bus.connection.Connection`, whose
behaviour on real sockets is proved by the tests of `tests/bus/`. What a broker guarantees holds here too: the order of
one publisher's messages for each subscriber, at least one delivery while both connections live, and no more than that.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Final

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.mqtt.errors import AccessRefusedError, BusError, LinkDownError, PublishRefusedError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.simulation.faults import ArmedFaults, Half
from pitwarden_tools.simulation.process import PROCESS, SimulatedProcess
from pitwarden_tools.simulation.simulated_loop import do_nothing

Tap = Callable[[str, bytes], None]
OnMessage = Callable[[InboundMessage], None]

# One way over a wired network, in seconds.
LATENCY_S: Final = (0.000_2, 0.002)
_APART_S: Final = 1e-6
"""Between two messages of one stream: their order is that of sending."""


class SimulatedBroker:
    """Broker of one table. `taps` receive each message that it takes, before anyone else."""

    def __init__(self, random: Random, faults: ArmedFaults, taps: Sequence[Tap]) -> None:
        self.retained: dict[str, bytes] = {}
        self.connections: list[SimulatedConnection] = []
        self.down = False
        self.refuses: BusError | None = None
        self.frozen_until = 0.0
        self.slower_s = 0.0
        self._random, self.faults, self._taps = random, faults, taps
        self._observers: list[tuple[str, OnMessage]] = []

    def connection(
        self, _broker: BrokerSettings, _client: str, on_message: OnMessage, will: tuple[str, bytes] | None = None
    ) -> "SimulatedConnection":
        """Return a connection of the running half; a substitute for the class of real connections."""
        return SimulatedConnection(self, PROCESS.get(), on_message, will)

    def observe(self, topic_filter: str, on_message: OnMessage) -> None:
        """Deliver to an observer whose connection never fails."""
        self._observers.append((topic_filter, on_message))

    def latency(self) -> float:
        """Return the seconds that a message takes one way."""
        return self._random.uniform(*LATENCY_S) + self.slower_s

    def restart(self, *, forgets: bool) -> None:
        """End all connections; `forgets`: retained messages are lost too, as without persistence."""
        for connection in list(self.connections):
            connection.broken("the broker was restarted")
        if forgets:
            self.retained.clear()

    def take(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Take a message and pass it on to everyone who is subscribed."""
        for tap in self._taps:
            tap(topic, payload)
        if retain and payload:
            self.retained[topic] = payload
        elif retain:
            self.retained.pop(topic, None)
        for topic_filter, on_message in self._observers:
            if matches(topic_filter, topic):
                loop = asyncio.get_running_loop()
                loop.call_soon(on_message, InboundMessage(topic, payload, retained=False, ack=do_nothing))
        for connection in list(self.connections):
            if connection.wants(topic):
                connection.deliver(topic, payload, retained=False)


class SimulatedConnection:
    """One connection as `pitwarden.bus.link` uses it."""

    def __init__(
        self, broker: SimulatedBroker, process: SimulatedProcess, on_message: OnMessage, will: tuple[str, bytes] | None
    ) -> None:
        self.lost: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        self.session_present = False
        self._broker, self._process, self._on_message, self._will = broker, process, on_message, will
        self._filters: list[str] = []
        self._pending: list[asyncio.Future[None]] = []
        self._open = False
        self._half_open = False
        self._up_at = self._down_at = 0.0
        process.connections.append(self)

    @property
    def half(self) -> Half:
        """Half of the service that this connection belongs to."""
        return self._process.half

    async def open(self) -> None:
        """Connect.

        Raises:
            BusError: The broker is down, refuses, or does not answer in time.
        """
        fault = self._broker.faults.take("open", self.half)
        await asyncio.sleep(self._broker.latency())
        if fault is not None:
            await asyncio.sleep(fault.amount)
            raise AccessRefusedError("refused") if fault.what == "login_refused" else LinkDownError("no answer in time")
        if self._broker.refuses is not None:
            raise self._broker.refuses
        if self._broker.down or self._process.dead:
            raise LinkDownError("no connection to the simulated broker")
        self._open = True
        self._broker.connections.append(self)

    def peer_ends_ms(self) -> int | None:
        """Return None: there is no TLS."""
        return None

    async def subscribe_all(self, filters: Sequence[str]) -> None:
        """Subscribe to all filters; retained messages are delivered first.

        Raises:
            PublishRefusedError: The broker refuses.
            LinkDownError: It does not answer, or the connection is lost.
        """
        fault = self._broker.faults.take("subscribe", self.half)
        await asyncio.sleep(2 * self._broker.latency())
        if fault is not None and fault.what == "subscription_refused":
            raise PublishRefusedError("the broker refuses the subscription")
        if fault is not None or not self._open or self._half_open or self._process.dead:
            raise LinkDownError("no answer to a subscription")
        self._filters += filters
        for topic, payload in list(self._broker.retained.items()):
            if any(matches(each, topic) for each in filters):
                self.deliver(topic, payload, retained=True)

    def wants(self, topic: str) -> bool:
        """Return whether a message on `topic` goes to this connection."""
        return self._open and any(matches(each, topic) for each in self._filters)

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish at QoS 1."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        if not self._open or self.lost.done() or self._process.dead:
            _fail(done, LinkDownError("the connection is lost"))
            return done
        self._pending.append(done)
        self._up_at = max(self._up_at + _APART_S, loop.time() + self._broker.latency())
        loop.call_at(self._up_at, self._arrived, topic, payload, retain, done)
        return done

    async def disconnect(self) -> None:
        """Close the connection, so that the broker discards the will."""
        self._will = None
        self.drop()

    def drop(self) -> None:
        """Close the connection at once: the broker publishes the will."""
        self._ended("closed by this side")

    async def dropped(self) -> None:
        """Return at once: nothing of the connection remains to wait for."""

    def broken(self, why: str) -> None:
        """End the connection from the network's side."""
        if self._open:
            asyncio.get_running_loop().call_later(self._broker.latency(), self._ended, why)
            self._half_open = True

    def stall(self, seconds: float) -> None:
        """Let nothing through any more: the keepalive notices after `seconds`."""
        self._half_open = True
        asyncio.get_running_loop().call_later(seconds, self._ended, "no answer to a ping")

    def deliver(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Send a message of the broker on its way to this side."""
        loop = asyncio.get_running_loop()
        fault = None if retained else self._broker.faults.take("deliver", self.half)
        late = fault.amount if fault is not None and fault.what == "delivered_late" else 0.0
        at = max(self._broker.frozen_until, loop.time() + self._broker.latency() + late)
        self._down_at = max(self._down_at + _APART_S, at)
        if fault is not None and fault.what == "delivery_lost":
            loop.call_at(self._down_at, self.broken, "the network was cut")
            return
        message = InboundMessage(topic, payload, retained, do_nothing)
        loop.call_at(self._down_at, self._received, message)
        if fault is not None and fault.what == "delivered_twice":
            self._down_at += _APART_S
            loop.call_at(self._down_at, self._received, message)
        elif fault is not None and fault.what == "delivered_again_later":
            loop.call_at(self._down_at + fault.amount, self._received, message)

    def _received(self, message: InboundMessage) -> None:
        if self._open and not self._half_open and not self._process.dead:
            self._on_message(message)

    def _arrived(self, topic: str, payload: bytes, retain: bool, done: asyncio.Future[None]) -> None:  # noqa: FBT001  a callback
        """Handle a message at the broker."""
        loop, broker = asyncio.get_running_loop(), self._broker
        if self._half_open or not self._open or broker.down:
            return
        if broker.frozen_until > loop.time():
            loop.call_at(broker.frozen_until, self._arrived, topic, payload, retain, done)
            return
        fault = broker.faults.take("publish", self.half)
        what = "" if fault is None else fault.what
        if what == "publish_lost":
            self.broken("the network was cut")
            return
        if what == "publish_refused":
            loop.call_later(broker.latency(), _fail, done, PublishRefusedError("the broker refuses the message"))
            return
        broker.take(topic, payload, retain=retain)
        if what == "taken_twice":
            broker.take(topic, payload, retain=retain)
        if what == "answer_lost":
            self.broken("the network was cut")
            return
        wait = fault.amount if fault is not None and what == "answer_late" else 0.0
        loop.call_later(wait + broker.latency(), self._acknowledged, done)

    def _acknowledged(self, done: asyncio.Future[None]) -> None:
        if not done.done() and self._open and not self._half_open and not self._process.dead:
            done.set_result(None)
            self._pending.remove(done)

    def _ended(self, why: str) -> None:
        if self in self._broker.connections:
            self._broker.connections.remove(self)
            if self._will is not None and not self._broker.down:
                self._broker.take(*self._will, retain=True)
                self._will = None
        self._open = False
        for done in self._pending:
            _fail(done, LinkDownError(f"not acknowledged: {why}"))
        self._pending.clear()
        if not self.lost.done():
            self.lost.set_result(LinkDownError(why))


def _fail(done: asyncio.Future[None], error: BusError) -> None:
    if not done.done():  # the publisher may have been cancelled
        done.set_exception(error)
        done.exception()  # a caller may ignore it


@lru_cache(maxsize=4_096)
def matches(topic_filter: str, topic: str) -> bool:
    """Return whether an MQTT topic filter matches a topic."""
    wanted, given = topic_filter.split("/"), topic.split("/")
    if wanted[-1] == "#":
        wanted, given = wanted[:-1], given[: len(wanted) - 1]
    return len(wanted) == len(given) and all(a in {"+", b} for a, b in zip(wanted, given, strict=True))
