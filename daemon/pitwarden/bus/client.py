"""The only file, with `properties`, that knows the MQTT library. The adversary is the library's optimism.

aiomqtt acknowledges before processing, ignores refused publishes, lets pending calls outlive a connection and sends
them again in the next one, and leaves Nagle's algorithm on. So: a new client for each connection, manual
acknowledgement, one future for each publish, and every future settled when the connection ends. `PRIVATE_NAMES` are
the library's own names that this takes; a test finds them in the pinned version and drives each against a broker.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.client import Client as Paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from pitwarden.bus.faults import (
    AccessRefusedError,
    BusError,
    LinkDownError,
    OverloadedError,
    PublishRefusedError,
    TakenOverError,
)
from pitwarden.bus.message import Message
from pitwarden.bus.properties import read_lightly
from pitwarden.bus.settings import BrokerSettings

PRIVATE_NAMES: Final = (
    "_client", "_client_connect", "_connected", "_loop", "_misc_task", "_on_connect", "_on_disconnect", "_on_message",
    "_on_publish", "_on_socket_open", "_on_socket_register_write", "_pending_subscribes",
)  # fmt: skip
PAHO_PRIVATE_NAMES: Final = ("_sock_close",)
OPEN_SECONDS: Final = 4.0  # name, connection, TLS and the broker's answer
CONNECT_SECONDS: Final = 3.0  # also what a shutdown waits at most for a connection that is being made
GOODBYE_SECONDS: Final = 1.0
MAX_PENDING: Final = 2_000  # publishes without acknowledgement; a window of the log is far smaller
_TAKEN_OVER: Final = 0x8E
_NO_MQTT_5: Final = 0x84
_SILENT: Final = logging.getLogger("pitwarden.bus.library")  # all that it would say reaches callers as a BusError
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False
read_lightly()
_NO_ENTRY: Final = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})  # protocol, client id, login, rights, ban, method
_REFUSED_FROM: Final = 0x80
_QOS: Final = 1


class _Socket(Protocol):
    def fileno(self) -> int: ...

    def close(self) -> None: ...


class Connection(aiomqtt.Client):
    """One connection to the broker, used once. `lost` ends with the BusError, or the bug, that ended the connection.

    `on_message` is called in the event loop for each message, at once; it must not block.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        on_message: Callable[[Message], None],
        will: tuple[str, bytes] | None = None,
    ) -> None:
        old = broker.protocol == "3.1.1"
        super().__init__(
            broker.host,
            broker.port,
            username=broker.username,
            password=broker.password(),
            identifier=client_id,
            protocol=aiomqtt.ProtocolVersion.V311 if old else aiomqtt.ProtocolVersion.V5,
            will=None if will is None else aiomqtt.Will(*will, qos=_QOS, retain=True),
            timeout=CONNECT_SECONDS,
            keepalive=broker.keepalive,
            clean_session=True if old else None,
            clean_start=MQTT_CLEAN_START_FIRST_ONLY if old else True,  # the library's word for: not said
            max_inflight_messages=MAX_PENDING,
            properties=None if old else _no_session(),
            tls_context=broker.tls(),
            logger=_SILENT,
        )
        self.lost: asyncio.Future[Exception] = self._loop.create_future()
        self.session_present = False
        self._shut_down = asyncio.Event()
        self._broker, self._deliver = broker, on_message
        self._pending: dict[int, tuple[float, asyncio.Future[None]]] = {}
        self._client.manual_ack_set(on=True)
        self._client.connect_timeout = CONNECT_SECONDS

    async def open(self) -> None:
        """Connects; LinkDownError or AccessRefusedError when that fails, and nothing is left of the attempt."""
        where = f"{self._broker.host}:{self._broker.port}"
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mqtt-connect")
        connecting = self._loop.run_in_executor(thread, self._client_connect)
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await connecting
                self._without_delay()
                await self._connected
        except MqttConnectError as error:
            raise _connect_fault(error, where) from error
        except (OSError, ValueError, aiomqtt.MqttError) as error:
            raise LinkDownError(f"no connection to {where}: {str(error) or 'no answer in time'}") from error
        finally:
            thread.shutdown(wait=connecting.done() and not connecting.cancelled())
            if not _succeeded(self._connected):
                self.drop()

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publishes at QoS 1; the future ends at the broker's answer, or with the BusError that came instead of it."""
        result: asyncio.Future[None] = self._loop.create_future()
        result.add_done_callback(_looked_at)
        if self._gone or not self._connected.done():
            result.set_exception(LinkDownError("the connection is lost, or not there yet"))
        elif len(self._pending) >= MAX_PENDING:
            result.set_exception(OverloadedError(f"{MAX_PENDING} messages wait for the broker's acknowledgement"))
        else:
            number = self._client.publish(topic, payload, _QOS, retain).mid
            self._pending[number] = (self._loop.time(), result)
        return result

    async def listen(self, filters: Sequence[str]) -> None:
        """Subscribes to all `filters` at QoS 1; PublishRefusedError for one that is refused, LinkDownError."""
        if self._broker.protocol == "3.1.1":
            failed, mid = self._client.subscribe([(each, _QOS) for each in filters])
        else:
            asked = [(each, SubscribeOptions(qos=_QOS, retainAsPublished=False)) for each in filters]
            failed, mid = self._client.subscribe(asked)
        if failed or mid is None:
            raise LinkDownError("the connection was lost before subscribing")
        answer = self._pending_subscribes[mid] = self._loop.create_future()
        await asyncio.wait({answer, self.lost}, timeout=CONNECT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise LinkDownError("no answer to a subscription")
        for each, code in zip(filters, answer.result(), strict=True):
            if (code if isinstance(code, int) else code.value) >= _REFUSED_FROM:
                raise PublishRefusedError(f"the broker refuses the subscription to {each}")

    async def goodbye(self) -> None:
        """Disconnects so that the broker forgets the will; whatever happens, nothing is left of the connection."""
        self._client.disconnect()
        await asyncio.wait({self.lost}, timeout=GOODBYE_SECONDS)
        self.drop()

    def drop(self) -> None:
        """Ends the connection without a word, so that the broker publishes the will."""
        self._end(LinkDownError("the connection was closed"))

    async def dropped(self) -> None:
        """Returns when nothing of a connection that ended runs any more."""
        await self._shut_down.wait()
        if self._misc_task is not None:
            await asyncio.wait({self._misc_task})

    def peer_ends_ms(self) -> int | None:
        """When the broker's certificate ends, UTC in ms; None without TLS, or when the connection is gone."""
        sock = self._client.socket()
        try:
            certificate = sock.getpeercert() if isinstance(sock, ssl.SSLSocket) else None
        except (OSError, ValueError):  # it was closed just now
            certificate = None
        return None if not certificate else ssl.cert_time_to_seconds(str(certificate["notAfter"])) * 1_000

    @property
    def _gone(self) -> bool:
        return self.lost.done()

    def _end(self, fault: Exception) -> None:
        if self._gone:
            return
        self.lost.set_result(fault)
        pending, self._pending = list(self._pending.values()), {}
        for _, result in pending:
            if not result.done():
                result.set_exception(LinkDownError(f"not acknowledged: {fault}"))
        if not self._connected.done():
            self._connected.set_exception(aiomqtt.MqttError(str(fault)))
            self._connected.exception()  # nobody may be waiting for it any more
        self._loop.call_soon(self._shut)

    def _shut(self) -> None:
        """Called by the loop alone: within a callback of the library, its lock would never be free."""
        self._client._sock_close()  # noqa: SLF001  the library's own way out waits for a broker that may be frozen
        if self._misc_task is not None:
            self._misc_task.cancel()
        self._shut_down.set()

    def _without_delay(self) -> None:
        sock = self._client.socket()
        if isinstance(sock, socket.socket):  # pragma: no branch  it is no websocket, and the library says Optional
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a round trip may take 88 ms

    def _on_connect(
        self,
        client: Paho,
        userdata: object,
        flags: ConnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        self.session_present = flags.session_present
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def _on_disconnect(
        self,
        client: Paho,  # noqa: ARG002  the library's signature
        userdata: object,  # noqa: ARG002  the library's signature
        flags: DisconnectFlags,  # noqa: ARG002  the library's signature
        reason_code: ReasonCode,
        properties: Properties | None = None,  # noqa: ARG002  the library's signature
    ) -> None:
        code = int(reason_code.value)
        if code == _TAKEN_OVER:
            self._end(TakenOverError("another client connected under our client id"))
        elif code in _NO_ENTRY:
            self._end(AccessRefusedError(f"the broker ended the connection: {reason_code}"))
        else:
            self._end(LinkDownError(f"the connection was lost: {reason_code}"))

    def _on_message(self, client: Paho, userdata: object, message: MQTTMessage) -> None:  # noqa: ARG002  theirs
        def ack() -> None:
            if not self._gone:
                client.ack(message.mid, message.qos)

        heard = Message(message.topic, bytes(message.payload), bool(message.retain), ack)  # raises on hostile bytes
        try:
            self._deliver(heard)
        except Exception as bug:  # noqa: BLE001  the library would swallow it; whoever waits for `lost` raises it
            self._end(bug)

    def _on_publish(
        self,
        client: Paho,  # noqa: ARG002  the library's signature
        userdata: object,  # noqa: ARG002  the library's signature
        mid: int,
        reason_code: ReasonCode,
        properties: Properties,  # noqa: ARG002  the library's signature
    ) -> None:
        _, result = self._pending.pop(mid, (0.0, None))
        if result is None or result.done():
            return
        if reason_code.is_failure:
            result.set_exception(PublishRefusedError(f"the broker refuses the message: {reason_code}"))
        else:
            result.set_result(None)

    def _on_socket_open(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        """Called in the thread that connects, which may come back after everybody left."""
        if self._gone:
            sock.close()
            raise OSError("the attempt was given up")
        self._loop.call_soon_threadsafe(self._attend, sock)

    def _attend(self, sock: _Socket) -> None:
        if not self._gone:
            self._loop.add_reader(sock.fileno(), self._read)
            self._misc_task = self._loop.create_task(self._keep_alive(), name="mqtt-keepalive")

    def _on_socket_register_write(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        self._loop.call_soon_threadsafe(self._attend_writing, sock)

    def _attend_writing(self, sock: _Socket) -> None:
        if not self._gone:
            self._loop.add_writer(sock.fileno(), self._guarded, self._client.loop_write)

    def _read(self) -> None:
        if self._gone:
            return
        self._guarded(self._client.loop_read)
        sock = self._client.socket()
        while isinstance(sock, ssl.SSLSocket) and sock.fileno() >= 0 and sock.pending():
            self._guarded(self._client.loop_read)

    def _guarded(self, step: Callable[[], object]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001  the library raises whatever the broker's bytes provoke in it
            self._end(LinkDownError(f"the connection was lost: {error!r}"))

    async def _keep_alive(self) -> None:
        """Pings, and ends a connection whose broker owes an acknowledgement for the length of a keepalive."""
        patience = self._broker.keepalive
        while not self._client.loop_misc():
            oldest = next(iter(self._pending.values()), None)
            if oldest is not None and self._loop.time() - oldest[0] > patience:
                self._end(LinkDownError(f"the broker owes an acknowledgement for {patience} s"))
                return
            await asyncio.sleep(min(1.0, patience / 4))
        self._end(LinkDownError("the connection was lost"))


def _no_session() -> Properties:
    """The journals are the memory: a queue at the broker would hold stale commands."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # theirs has no annotations
    properties.SessionExpiryInterval = 0
    return properties


def _connect_fault(error: MqttConnectError, where: str) -> BusError:
    code = error.rc.value if isinstance(error.rc, ReasonCode) else error.rc
    if code == _NO_MQTT_5:
        return AccessRefusedError(f'{where} has no MQTT 5: write protocol = "3.1.1" under [broker] in the table file')
    if code in _NO_ENTRY:
        return AccessRefusedError(f"{where} does not let us in: {error}. Check the login and its rights there")
    return LinkDownError(f"{where} refused the connection: {error}")


def _succeeded(future: "asyncio.Future[None]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def _looked_at(result: "asyncio.Future[None]") -> None:
    if not result.cancelled():
        result.exception()
