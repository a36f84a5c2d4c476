"""What is sent and heard on one connection. The adversary is the MQTT library's optimism.

aiomqtt acknowledges before processing, ignores refused publishes, lets pending calls outlive a connection and sends
them again in the next one, and leaves Nagle's algorithm on. So: a new client for each connection, manual
acknowledgement, one future for each publish, and every future settled when the connection ends.
"""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import aiomqtt
from aiomqtt.exceptions import MqttConnectError
from paho.mqtt.client import MQTT_CLEAN_START_FIRST_ONLY, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.client import Client as Paho
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from pitwarden.bus.engine import SILENT, Engine, fail
from pitwarden.bus.faults import LinkDownError, OverloadedError, PublishRefusedError
from pitwarden.bus.message import Message
from pitwarden.bus.refusals import REFUSED_FROM, connect_fault, disconnect_fault
from pitwarden.bus.settings import BrokerSettings

OPEN_SECONDS: Final = 4.0  # name, connection, TLS and the broker's answer
CONNECT_SECONDS: Final = 3.0  # also what a shutdown waits at most for a connection that is being made
GOODBYE_SECONDS: Final = 1.0
MAX_PENDING: Final = 2_000  # publishes without acknowledgement; a window of the log is far smaller
_QOS: Final = 1


class Connection(Engine):
    """One connection to the broker, used once.

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
            logger=SILENT,
        )
        self._begin(broker.keepalive)
        self.session_present = False
        self._broker, self._deliver = broker, on_message
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
            raise connect_fault(error, where) from error
        except (OSError, ValueError, aiomqtt.MqttError) as error:
            raise LinkDownError(f"no connection to {where}: {str(error) or 'no answer in time'}") from error
        finally:
            thread.shutdown(wait=connecting.done() and not connecting.cancelled())
            if not _succeeded(self._connected):
                self.drop()

    def send(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        """Publishes at QoS 1; the future ends at the broker's answer, or with the BusError that came instead of it."""
        result: asyncio.Future[None] = self._loop.create_future()
        if self._gone or not self._connected.done():
            fail(result, LinkDownError("the connection is lost, or not there yet"))
        elif len(self._pending) >= MAX_PENDING:
            fail(result, OverloadedError(f"{MAX_PENDING} messages wait for the broker's acknowledgement"))
        else:
            number = self._enqueue(topic, payload, _QOS, retain=retain)
            self._pending[number] = (self._loop.time(), result)
            self._write()
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
            if (code if isinstance(code, int) else code.value) >= REFUSED_FROM:
                raise PublishRefusedError(f"the broker refuses the subscription to {each}")

    async def goodbye(self) -> None:
        """Disconnects so that the broker forgets the will; whatever happens, nothing is left of the connection."""
        self._client.disconnect()
        await asyncio.wait({self.lost}, timeout=GOODBYE_SECONDS)
        self.drop()

    def peer_ends_ms(self) -> int | None:
        """When the broker's certificate ends, UTC in ms; None without TLS, or when the connection is gone."""
        sock = self._client.socket()
        try:
            certificate = sock.getpeercert() if isinstance(sock, ssl.SSLSocket) else None
        except (OSError, ValueError):  # it was closed just now
            certificate = None
        return None if not certificate else ssl.cert_time_to_seconds(str(certificate["notAfter"])) * 1_000

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
        self._end(disconnect_fault(reason_code))

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
            fail(result, PublishRefusedError(f"the broker refuses the message: {reason_code}"))
        else:
            result.set_result(None)


def _no_session() -> Properties:
    """The journals are the memory: a queue at the broker would hold stale commands."""
    properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # theirs has no annotations
    properties.SessionExpiryInterval = 0
    return properties


def _succeeded(future: "asyncio.Future[None]") -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
