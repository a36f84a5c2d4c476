"""paho-mqtt's socket in our event loop: reads, immediate writes, keepalive, and a definite end.

aiomqtt acknowledges before processing, ignores refused publishes, lets pending calls outlive a connection and waits for
a broker that may be frozen. Neither library has public means against that, so private names of both are used. This is
the only file that does so: `AIOMQTT_PRIVATE_NAMES` and `PAHO_PRIVATE_NAMES` list each with the reason, and
`tests/bus/test_private_names.py` fails when the source of one of them changes, or when another file uses one.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import lru_cache
from typing import Final, Protocol

import aiomqtt
from paho.mqtt import _packet
from paho.mqtt.client import Client as Paho
from paho.mqtt.client import ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.mqtt.errors import LinkDownError, PublishRefusedError
from pitwarden_client.mqtt.reason_codes import disconnect_error

AIOMQTT_PRIVATE_NAMES: Final[Mapping[str, str]] = {
    "_client": "paho's client: manual acknowledgement and publishing without a task for each message",
    "_client_connect": "connects in a thread of our own, which a shutdown need not wait for",
    "_connected": "ends with the connection, so that nobody waits for an answer that cannot come",
    "_loop": "the loop that all callbacks run in",
    "_misc_task": "the library's keepalive task is replaced by ours, which also watches owed acknowledgements",
    "_on_connect": "keeps whether the broker had our session",
    "_on_disconnect": "tells the reason of the end, and settles every publish that waits",
    "_on_message": "hands a message over at once, and acknowledges it only after it was processed",
    "_on_publish": "tells a publish that the broker refused from one that it took",
    "_on_socket_open": "gives up a connection that comes after nobody waits for it any more",
    "_on_socket_register_write": "writes at once instead of in the loop's next round",
    "_on_socket_unregister_write": "leaves no writer in the loop once everything was written",
    "_pending_subscribes": "waits for a subscription and for the connection's end together",
}
PAHO_PRIVATE_NAMES: Final[Mapping[str, str]] = {
    "_sock_close": "the library's own way out waits for a broker that may be frozen",
    "_packet": "the module whose `Properties` is replaced by `KnownProperties`: a tenth of a judge's time",
}
NO_MAXIMUM: Final = 65_535  # Receive Maximum where the broker announces none (MQTT 5, section 3.2.2.3.3)
NO_LIMIT: Final = 268_435_460  # the longest packet of MQTT, where the broker announces no Maximum Packet Size
# All that the library would log reaches callers as a BusError.
SILENT: Final = logging.getLogger("pitwarden.bus.library")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False


class KnownProperties(Properties):
    """Properties of one MQTT 5 packet. The tables behind them are shared by all packets of its type.

    The library builds its table of all properties again for each packet that it reads. At one row a second per table,
    that was a tenth of a judge's time.
    """

    def __init__(self, packet_type: int) -> None:
        vars(self).update(_tables(packet_type))

    def clear(self) -> None:
        """Delete the values that were set. The library calls this for each name before it reads any packet."""
        set_by_now = vars(self)
        tables = _tables(self.packetType)
        set_by_now.clear()
        set_by_now.update(tables)


def use_known_properties() -> None:
    """Replace the library's properties by `KnownProperties` for every packet that this process reads."""
    _packet.Properties = KnownProperties  # type: ignore[attr-defined]  # the one place where the library takes them from


@lru_cache
def _tables(packet_type: int) -> dict[str, object]:
    return vars(Properties(packet_type))  # type: ignore[no-untyped-call]  # theirs has no annotations


use_known_properties()


class _Socket(Protocol):
    def fileno(self) -> int: ...

    def close(self) -> None: ...


class PahoLoop(aiomqtt.Client):
    """Life of one connection in the event loop.

    `lost` ends with the BusError, or the bug, that ended the connection.
    """

    def _begin(
        self,
        patience: float,
        connect_seconds: float,
        deliver: Callable[[InboundMessage], None],
        acknowledged: Callable[[], None],
    ) -> None:
        """Set up the connection's state. Called once, after the library's own set-up.

        Args:
            patience: How long the broker may owe an acknowledgement, in seconds.
            connect_seconds: How long the connection's thread may wait for the broker's host.
            deliver: Called in the event loop for each message, at once; it must not block.
            acknowledged: Called after each acknowledgement of the broker, within a callback of the library.
        """
        self.session_present = False
        self.usable = False
        """True from the broker's acceptance to the end of the connection."""
        self._deliver, self._acknowledged = deliver, acknowledged
        self.receive_maximum, self.packet_limit = NO_MAXIMUM, NO_LIMIT
        self.lost: asyncio.Future[Exception] = self._loop.create_future()
        self._pending: dict[int, tuple[float, asyncio.Future[None]]] = {}
        self._publishing = self._within = self._to_write = self._attending = False
        self._shut_down = asyncio.Event()
        self._patience = patience
        self._client.disable_logger()  # it would build what SILENT throws away, for each packet
        self._client.manual_ack_set(on=True)
        self._client.connect_timeout = connect_seconds

    @property
    def paho(self) -> Paho:
        """Library's own client, for its public methods."""
        return self._client

    @property
    def connected(self) -> "asyncio.Future[None]":
        """Future that ends when the broker accepts us, or with the reason why it does not."""
        return self._connected

    def connecting(self, thread: Executor) -> "asyncio.Future[None]":
        """Begin to connect in `thread`. The future ends when the request is on its way to the broker."""
        return self._loop.run_in_executor(thread, self._client_connect)

    def answer_to_subscribe(self, mid: int) -> "asyncio.Future[tuple[int, ...] | list[ReasonCode]]":
        """Return a future for the broker's answer to the subscription with this number."""
        answer: asyncio.Future[tuple[int, ...] | list[ReasonCode]] = self._loop.create_future()
        self._pending_subscribes[mid] = answer
        return answer

    def drop(self) -> None:
        """Close the connection without a DISCONNECT, so that the broker publishes the will."""
        self._end(LinkDownError("the connection was closed"))

    async def dropped(self) -> None:
        """Return when no task of an ended connection is left."""
        await self._shut_down.wait()
        if self._misc_task is not None:
            await asyncio.wait({self._misc_task})

    @property
    def _ended(self) -> bool:
        return self.lost.done()

    def _end(self, fault: Exception) -> None:
        if self._ended:
            return
        self.usable = False
        self.lost.set_result(fault)
        # Detached first: a callback of a settled future may publish again, and must find an ended connection.
        pending, self._pending = list(self._pending.values()), {}
        for _, result in pending:
            if not result.done():
                fail_future(result, LinkDownError(f"not acknowledged: {fault}"))
        if not self._connected.done():
            fail_future(self._connected, aiomqtt.MqttError(str(fault)))
        self._loop.call_soon(self._shut)

    def _shut(self) -> None:
        """Close the socket.

        Only the loop calls this: within a callback of the library, its lock would never be free.
        """
        self._client._sock_close()  # noqa: SLF001  the library's own way out waits for a broker that may be frozen
        if self._misc_task is not None:
            self._misc_task.cancel()
        self._shut_down.set()

    def _without_delay(self) -> None:
        sock = self._client.socket()
        if isinstance(sock, socket.socket):  # pragma: no branch  not a websocket; the library types it Optional
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else a round trip may take 88 ms

    def _enqueue(self, topic: str, payload: bytes, qos: int, properties: Properties | None, *, retain: bool) -> int:
        """Build the message that `_write` sends next, and return its number."""
        self._publishing = True
        try:
            return self._client.publish(topic, payload, qos, retain, properties).mid
        finally:
            self._publishing = False

    def _write(self) -> None:
        """Write as much as the socket accepts, at once and not in later iterations of the loop."""
        sock = self._client.socket()
        if sock is None:
            return
        if self._within:  # a write that fails there would wait for the library's own lock without end
            self._loop.call_soon(self._attend_writing, sock)
        else:
            self._guarded(self._client.loop_write)
            self._attend_writing(sock)

    def _on_connect(
        self,
        client: Paho,
        userdata: object,
        flags: ConnectFlags,
        reason_code: ReasonCode,
        properties: Properties | None = None,
    ) -> None:
        self.session_present = flags.session_present
        self.receive_maximum = getattr(properties, "ReceiveMaximum", NO_MAXIMUM)
        self.packet_limit = getattr(properties, "MaximumPacketSize", NO_LIMIT)
        super()._on_connect(client, userdata, flags, reason_code, properties)
        self.usable = not (self._ended or reason_code.is_failure)

    def _on_disconnect(
        self,
        client: Paho,  # noqa: ARG002  the library's signature
        userdata: object,  # noqa: ARG002  the library's signature
        flags: DisconnectFlags,  # noqa: ARG002  the library's signature
        reason_code: ReasonCode,
        properties: Properties | None = None,  # noqa: ARG002  the library's signature
    ) -> None:
        self._end(disconnect_error(int(reason_code.value), str(reason_code)))

    def _on_message(self, client: Paho, userdata: object, message: MQTTMessage) -> None:  # noqa: ARG002  theirs
        def ack() -> None:
            if not self._ended:
                client.ack(message.mid, message.qos)

        heard = InboundMessage(
            message.topic, bytes(message.payload), bool(message.retain), ack
        )  # raises on hostile bytes
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
        self._acknowledged()
        if result is None or result.done():
            return
        if reason_code.is_failure:
            fail_future(result, PublishRefusedError(f"the broker refuses the message: {reason_code}"))
        else:
            result.set_result(None)

    def _on_socket_open(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        """Handle a new socket. Called in the connecting thread, which may return after everyone stopped waiting."""
        if self._ended:
            sock.close()
            raise OSError("the attempt was given up")
        self._loop.call_soon_threadsafe(self._attend, sock)

    def _attend(self, sock: _Socket) -> None:
        if not self._ended:
            self._loop.add_reader(sock.fileno(), self._read)
            self._misc_task = self._loop.create_task(self._keep_alive(), name="mqtt-keepalive")

    def _on_socket_register_write(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        self._to_write = True
        if not self._publishing:
            self._loop.call_soon_threadsafe(self._attend_writing, sock)

    def _on_socket_unregister_write(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        self._to_write = False
        if self._attending:
            self._attending = False
            self._loop.remove_writer(sock.fileno())

    def _attend_writing(self, sock: _Socket) -> None:
        """Register the writer, unless everything was written meanwhile: no callback would then remove it."""
        if self._to_write and not self._ended:
            self._attending = True
            self._loop.add_writer(sock.fileno(), self._guarded, self._client.loop_write)

    def _read(self) -> None:
        if self._ended:
            return
        self._guarded(self._client.loop_read)
        sock = self._client.socket()
        # TLS decrypts complete records: the rest of one is in OpenSSL's buffer, for which the selector reports nothing.
        while isinstance(sock, ssl.SSLSocket) and sock.fileno() >= 0 and sock.pending():
            self._guarded(self._client.loop_read)

    def _guarded(self, step: Callable[[], object]) -> None:
        self._within = True
        try:
            step()
        except Exception as error:  # noqa: BLE001  the library raises whatever the broker's bytes provoke in it
            self._end(LinkDownError(f"the connection was lost: {error!r}"))
        finally:
            self._within = False

    async def _keep_alive(self) -> None:
        """Ping, and end a connection whose broker owes an acknowledgement longer than a keepalive."""
        patience = self._patience
        while not self._client.loop_misc():
            oldest = next(iter(self._pending.values()), None)
            if oldest is not None and self._loop.time() - oldest[0] > patience:
                self._end(LinkDownError(f"the broker owes an acknowledgement for {patience:.0f} s"))
                return
            await asyncio.sleep(min(1.0, patience / 4))
        self._end(LinkDownError("the connection was lost"))


def fail_future(result: "asyncio.Future[None]", fault: Exception) -> None:
    """End `result` with `fault`. asyncio then does not report the error if no caller awaits it."""
    result.set_exception(fault)
    result.exception()
