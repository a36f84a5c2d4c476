"""One connection of a consumer to the broker, on the public interface of aiomqtt only.

The library acknowledges a message before it is processed, and does not report that a publish was refused. A consumer
needs neither: what it missed is replayed from the table's journals, and an input counts once the table has replied.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Final, TypeVar

import aiomqtt

from pitwarden_client.mqtt.errors import BusError, LinkDownError, ProtocolViolationError
from pitwarden_client.mqtt.reason_codes import connect_error, disconnect_error, subscription_error
from pitwarden_client.mqtt.settings import BrokerSettings

# A farewell that the broker does not take within so many seconds is not waited for: the socket is closed by then.
FAREWELL_SECONDS: Final = 0.2
_QOS: Final = 1
_NO_DELAY: Final = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

# All that the library would log reaches callers as a BusError.
_SILENT: Final = logging.getLogger("pitwarden_client.library")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False

T = TypeVar("T")


class ConsumerConnection:
    """One connection, used once: `open`, then `run` in a task of its own, and `close` in any case.

    A new client of the library is made for each connection, since calls that are under way outlive a connection in it.
    """

    def __init__(self, broker: BrokerSettings, client_id: str, on_message: Callable[[str, bytes], None]) -> None:
        """Read the files of `broker`, as they are now.

        Args:
            broker: Where to connect. Its keepalive bounds how long a silent broker goes unnoticed: twice as long.
            client_id: Unique at the broker; a second connection with it would end this one.
            on_message: Called with topic and payload of each message, in the event loop; it must not block.

        Raises:
            AccessRefusedError: The password or a certificate cannot be read.
        """
        old = broker.protocol == "3.1.1"
        self._where = str(broker.address)
        self._subscribe_qos = broker.subscribe_qos
        self._on_message = on_message
        self._bug: Exception | None = None
        self._ended = asyncio.Event()
        # A clean session, and in MQTT 5 no expiry interval, which means 0: the journals are the memory, and a queue at
        # the broker would hold what a replay gives anyway.
        self._client = aiomqtt.Client(
            broker.host,
            broker.port,
            username=broker.username,
            password=broker.password(),
            identifier=client_id,
            protocol=aiomqtt.ProtocolVersion.V311 if old else aiomqtt.ProtocolVersion.V5,
            clean_session=True if old else None,
            timeout=broker.answer_seconds,
            keepalive=broker.keepalive,
            tls_context=broker.tls(),
            socket_options=[_NO_DELAY],
            queue_type=_inbox(self._delivered),
            logger=_SILENT,
        )

    async def open(self) -> None:
        """Connect, within about 5 s for the host and `answer_seconds` for the broker's answer.

        A cancellation is delayed until the attempt has ended: the library connects in a thread, whose socket would
        otherwise never be closed.

        Raises:
            AccessRefusedError: The broker refused the login.
            LinkDownError: Any other failure.
        """
        attempt = asyncio.create_task(self._client.__aenter__(), name="client connect")
        try:
            await asyncio.shield(attempt)
        except aiomqtt.MqttCodeError as error:
            raise connect_error(_code(error), str(error), self._where) from error
        except (OSError, ValueError, aiomqtt.MqttError) as error:
            raise LinkDownError(f"no connection to {self._where}: {str(error) or 'no answer in time'}") from error
        finally:
            await asyncio.wait({attempt})
            if not attempt.cancelled():
                attempt.exception()  # after a cancellation no other code retrieves it

    async def run(self) -> None:
        """Deliver messages until the connection ends.

        Raises:
            BusError: The connection ended, for this reason. Exceptions of `on_message` are raised as they are.
        """
        try:
            async for _ in self._client.messages:
                if self._bug is not None:
                    raise self._bug
        except aiomqtt.MqttError as error:
            raise _lost(error) from error
        finally:
            self._ended.set()

    async def subscribe(self, filters: Sequence[str]) -> None:
        """Subscribe to all `filters` while `run` runs.

        Raises:
            PublishRefusedError: The broker refused one of them.
            LinkDownError: The connection ended, or the broker did not answer.
        """
        asked = (self._answered(self._client.subscribe(each, qos=self._subscribe_qos)) for each in filters)
        answers = await asyncio.gather(*asked)
        for each, codes in zip(filters, answers, strict=True):
            for code in codes:
                refused = subscription_error(code if isinstance(code, int) else code.value, each)
                if refused is not None:
                    raise refused

    async def publish(self, topic: str, payload: bytes) -> None:
        """Publish at QoS 1 and wait for the broker's acknowledgement, while `run` runs.

        Raises:
            LinkDownError: The connection ended, or the broker did not answer.
        """
        await self._answered(self._client.publish(topic, payload, qos=_QOS))

    async def close(self) -> None:
        """Disconnect. Nothing is left of the connection, but after a ProtocolViolationError.

        The library has no means to close a connection whose bytes it could not read. It is left to the library's
        keepalive, which closes it within two of its periods.
        """
        self._client.timeout = FAREWELL_SECONDS
        with suppress(aiomqtt.MqttError):
            await self._client.__aexit__(None, None, None)
        await asyncio.sleep(0)  # the library's keepalive task is cancelled in the loop's next round

    def _delivered(self, message: aiomqtt.Message) -> bool:
        """Deliver one message; False when that failed. After a failure no further message is delivered."""
        if self._bug is None:
            try:
                self._on_message(message.topic.value, bytes(message.payload))
            except Exception as bug:  # noqa: BLE001  raised here, the library would take it for hostile bytes
                self._bug = bug
                return False
        return True

    async def _answered(self, call: Coroutine[object, object, T]) -> T:
        """Return the broker's answer, or fail as soon as the connection ends: the library would wait for its time."""
        asked, ended = asyncio.ensure_future(call), asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({asked, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise LinkDownError("the connection was lost before the broker answered")
            return asked.result()
        except aiomqtt.MqttError as error:
            raise LinkDownError(f"the broker did not answer: {error}") from error
        finally:
            asked.cancel()
            ended.cancel()


def _inbox(delivered: Callable[[aiomqtt.Message], bool]) -> type[asyncio.Queue[aiomqtt.Message]]:
    """Return the class of the library's queue: each message is delivered at once, and only a failed one is queued.

    To read the queue takes a task for each message, about a sixth of what a row costs a consumer. And a queue that is
    full discards without a word, while one without a limit grows as long as the process is busy.
    """

    class Inbox(asyncio.Queue[aiomqtt.Message]):
        def put_nowait(self, item: aiomqtt.Message) -> None:
            if not delivered(item):
                super().put_nowait(item)

    return Inbox


def _lost(error: aiomqtt.MqttError) -> BusError:
    """Return the error for an ended connection.

    Its cause is a reason code, or bytes that the library could not read.
    """
    cause = error.__cause__
    if isinstance(cause, aiomqtt.MqttCodeError):
        return disconnect_error(_code(cause), str(cause))
    if cause is not None:
        return ProtocolViolationError(f"the broker sent what cannot be read: {cause!r}")
    return LinkDownError("the connection was lost")


def _code(error: aiomqtt.MqttCodeError) -> int | None:
    return error.rc if isinstance(error.rc, int) or error.rc is None else error.rc.value
