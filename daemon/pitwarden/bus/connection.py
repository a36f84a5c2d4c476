"""One MQTT connection, used once. Threat: the optimism of the MQTT libraries.

aiomqtt acknowledges before processing, ignores refused publishes, lets pending calls outlive a connection and sends
them again in the next one, and leaves Nagle's algorithm on. So: a new client for each connection, manual
acknowledgement, one future for each publish, and every future settled when the connection ends.
"""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.paho_loop import SILENT, KnownProperties, PahoLoop, fail_future
from pitwarden_client.events.codec import MAX_BYTES
from pitwarden_client.events.topics import CLOUDEVENTS_JSON, carries_cloudevents
from pitwarden_client.mqtt.errors import LinkDownError, MessageTooLargeError, OverloadedError
from pitwarden_client.mqtt.reason_codes import connect_error, subscription_error
from pitwarden_client.mqtt.settings import BrokerSettings

CONNECT_SECONDS: Final = 3.0  # also what a shutdown waits at most for a connection that is being made
# Seconds that a disconnect waits for the broker to close. Then the socket is closed from this side.
GOODBYE_SECONDS: Final = 1.0
MAX_PENDING: Final = 2_000  # publishes without acknowledgement; a window of the log is far smaller
_QOS: Final = 1
PACKET_ROOM: Final = 64  # header, lengths, packet identifier and properties of a PUBLISH: at most so many bytes
LONGEST_PACKET: Final = MAX_BYTES + 1_024  # our longest message, its topic and its header


class Connection(PahoLoop):
    """One connection to the broker, used once.

    `on_message` is called in the event loop for each message, at once; it must not block.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        on_message: Callable[[InboundMessage], None],
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
            clean_start=MQTT_CLEAN_START_FIRST_ONLY if old else True,  # the library's default, required for 3.1.1
            max_inflight_messages=MAX_PENDING,
            properties=None if old else _no_session(),
            tls_context=broker.tls(),
            logger=SILENT,
        )
        # Beyond what the broker lets be under way at once: it ends a connection that exceeds its Receive Maximum.
        self._waiting: deque[tuple[str, bytes, bool, asyncio.Future[None]]] = deque()
        self._begin(broker.keepalive, CONNECT_SECONDS, on_message, self._room)
        self.lost.add_done_callback(self._fail_waiting)
        self._broker = broker

    async def open(self) -> None:
        """Connect to the broker: name, connection, TLS and its answer. After a failure nothing of the attempt remains.

        Raises:
            LinkDownError: The broker cannot be reached or did not answer in time.
            AccessRefusedError: The broker refuses the login.
        """
        where = str(self._broker.address)
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mqtt-connect")
        connecting = self.connecting(thread)
        try:
            async with asyncio.timeout(self._broker.answer_seconds):
                await connecting
                self._without_delay()
                await self.connected
        except MqttConnectError as error:
            code = error.rc.value if isinstance(error.rc, ReasonCode) else error.rc
            raise connect_error(code, str(error), where) from error
        except (OSError, ValueError, aiomqtt.MqttError) as error:
            raise LinkDownError(f"no connection to {where}: {str(error) or 'no answer in time'}") from error
        finally:
            # A thread that still resolves a name cannot be interrupted; a stop must not wait for it.
            thread.shutdown(wait=connecting.done() and not connecting.cancelled())
            if not _succeeded(self.connected):
                self.drop()

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publish at QoS 1. The future ends at the broker's answer, or with a BusError."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[None] = loop.create_future()
        if not self.usable:
            fail_future(result, LinkDownError("the connection is lost, or not there yet"))
        elif (size := len(topic.encode()) + len(payload) + PACKET_ROOM) > self.packet_limit:
            fail_future(result, MessageTooLargeError(
                f"{topic}: a message of {size} bytes, and this broker takes {self.packet_limit} at most"
            ))  # fmt: skip
        elif len(self._pending) + len(self._waiting) >= MAX_PENDING:
            fail_future(result, OverloadedError(f"{MAX_PENDING} messages wait for the broker's acknowledgement"))
        else:
            self._waiting.append((topic, payload, retain, result))
            self._send_waiting()
        return result

    def _room(self) -> None:
        if self._waiting:  # within this callback the library still counts the acknowledged message as under way
            asyncio.get_running_loop().call_soon(self._send_waiting)

    def _fail_waiting(self, lost: asyncio.Future[Exception]) -> None:
        waiting, self._waiting = self._waiting, deque()
        for _, _, _, result in waiting:
            if not result.done():
                fail_future(result, LinkDownError(f"not sent: {lost.result()}"))

    def _send_waiting(self) -> None:
        """Send as many messages as the broker takes without having acknowledged others (MQTT 5, section 4.9)."""
        while self._waiting and len(self._pending) < self.receive_maximum and self.usable:
            topic, payload, retain, result = self._waiting.popleft()
            properties = _CLOUDEVENT if self._broker.protocol == "5" and carries_cloudevents(topic) else None
            number = self._enqueue(topic, payload, _QOS, properties, retain=retain)
            self._pending[number] = (asyncio.get_running_loop().time(), result)
        self._write()

    async def subscribe_all(self, filters: Sequence[str]) -> None:
        """Subscribe to all `filters`.

        Raises:
            PublishRefusedError: The broker refuses one of them.
            LinkDownError: The connection was lost, or the broker did not answer in time.
        """
        qos = self._broker.subscribe_qos
        if self._broker.protocol == "3.1.1":
            plain: list[tuple[str, int]] = [(each, qos) for each in filters]
            failed, mid = self.paho.subscribe(plain)
        else:
            asked = [(each, SubscribeOptions(qos=qos, retainAsPublished=False)) for each in filters]
            failed, mid = self.paho.subscribe(asked)
        if failed or mid is None:
            raise LinkDownError("the connection was lost before subscribing")
        answer = self.answer_to_subscribe(mid)
        ends: set[asyncio.Future[Any]] = {answer, self.lost}
        await asyncio.wait(ends, timeout=self._broker.answer_seconds, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise LinkDownError("no answer to a subscription")
        codes: Sequence[int | ReasonCode] = answer.result()
        for each, code in zip(filters, codes, strict=True):
            refused = subscription_error(code if isinstance(code, int) else code.value, each)
            if refused is not None:
                raise refused

    async def disconnect(self) -> None:
        """Disconnect, so that the broker discards the will. Nothing of the connection remains, whatever happens."""
        self.paho.disconnect()
        await asyncio.wait({self.lost}, timeout=GOODBYE_SECONDS)
        self.drop()

    def peer_ends_ms(self) -> int | None:
        """Return when the broker's certificate expires, UTC in ms; None without TLS or without a connection."""
        sock = self.paho.socket()
        try:
            certificate = sock.getpeercert() if isinstance(sock, ssl.SSLSocket) else None
        except (OSError, ValueError):  # it was closed just now
            certificate = None
        return None if not certificate else ssl.cert_time_to_seconds(str(certificate["notAfter"])) * 1_000


def _no_session() -> Properties:
    """Return properties for a session that ends with the connection.

    A queue at the broker would hold stale commands.
    """
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # theirs has no annotations
    properties.SessionExpiryInterval = 0
    # The broker then discards what is longer, and a hostile client cannot fill our memory with one message.
    properties.MaximumPacketSize = LONGEST_PACKET
    return properties


def _cloudevent() -> Properties:
    """Return the properties of a CloudEvent: the content type by which its readers know one."""
    properties = KnownProperties(PacketTypes.PUBLISH)
    properties.ContentType = CLOUDEVENTS_JSON
    return properties


_CLOUDEVENT: Final = _cloudevent()
"""One object for all messages: the library reads it only, when it builds the packet."""


def _succeeded(future: "asyncio.Future[None]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
