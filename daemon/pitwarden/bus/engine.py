"""The MQTT library's socket in our event loop: read, written at once, kept alive, and ended for good.

This, `client.py`, `refusals.py` and `properties.py` know the library, and nothing else does. `PRIVATE_NAMES` are the
library's own names that they take; a test finds them in the pinned version and drives each against a broker.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Final, Protocol

import aiomqtt
from paho.mqtt.client import Client as Paho

from pitwarden.bus.faults import LinkDownError
from pitwarden.bus.properties import read_lightly

PRIVATE_NAMES: Final = (
    "_client", "_client_connect", "_connected", "_loop", "_misc_task", "_on_connect", "_on_disconnect", "_on_message",
    "_on_publish", "_on_socket_open", "_on_socket_register_write", "_on_socket_unregister_write", "_pending_subscribes",
)  # fmt: skip
PAHO_PRIVATE_NAMES: Final = ("_sock_close",)
SILENT: Final = logging.getLogger("pitwarden.bus.library")  # all that it would say reaches callers as a BusError
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
read_lightly()


class _Socket(Protocol):
    def fileno(self) -> int: ...

    def close(self) -> None: ...


class Engine(aiomqtt.Client):
    """A connection's life in the loop. `lost` ends with the BusError, or the bug, that ended the connection."""

    def _begin(self, patience: float) -> None:
        """Called once, when the library is set up; a broker owes an acknowledgement for `patience` s at most."""
        self.lost: asyncio.Future[Exception] = self._loop.create_future()
        self._pending: dict[int, tuple[float, asyncio.Future[None]]] = {}
        self._publishing = self._within = self._to_write = self._attending = False
        self._shut_down = asyncio.Event()
        self._patience = patience
        self._client.disable_logger()  # it would build what SILENT throws away, for each packet

    def drop(self) -> None:
        """Ends the connection without a word, so that the broker publishes the will."""
        self._end(LinkDownError("the connection was closed"))

    async def dropped(self) -> None:
        """Returns when nothing of a connection that ended runs any more."""
        await self._shut_down.wait()
        if self._misc_task is not None:
            await asyncio.wait({self._misc_task})

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
                fail(result, LinkDownError(f"not acknowledged: {fault}"))
        if not self._connected.done():
            fail(self._connected, aiomqtt.MqttError(str(fault)))
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

    def _enqueue(self, topic: str, payload: bytes, qos: int, *, retain: bool) -> int:
        """Makes the message that `_write` writes next; its number."""
        self._publishing = True
        try:
            return self._client.publish(topic, payload, qos, retain).mid
        finally:
            self._publishing = False

    def _write(self) -> None:
        """Writes as far as the socket takes it, at once and not in the loop's next rounds."""
        sock = self._client.socket()
        if sock is None:
            return
        if self._within:  # a write that fails there waits for the library's own lock for ever
            self._loop.call_soon(self._attend_writing, sock)
        else:
            self._guarded(self._client.loop_write)
            self._attend_writing(sock)

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
        self._to_write = True
        if not self._publishing:
            self._loop.call_soon_threadsafe(self._attend_writing, sock)

    def _on_socket_unregister_write(self, client: Paho, userdata: object, sock: _Socket) -> None:  # noqa: ARG002  theirs
        self._to_write = False
        if self._attending:
            self._attending = False
            self._loop.remove_writer(sock.fileno())

    def _attend_writing(self, sock: _Socket) -> None:
        """Unless it was written meanwhile: then nobody would end the attention."""
        if self._to_write and not self._gone:
            self._attending = True
            self._loop.add_writer(sock.fileno(), self._guarded, self._client.loop_write)

    def _read(self) -> None:
        if self._gone:
            return
        self._guarded(self._client.loop_read)
        sock = self._client.socket()
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
        """Pings, and ends a connection whose broker owes an acknowledgement for the length of a keepalive."""
        patience = self._patience
        while not self._client.loop_misc():
            oldest = next(iter(self._pending.values()), None)
            if oldest is not None and self._loop.time() - oldest[0] > patience:
                self._end(LinkDownError(f"the broker owes an acknowledgement for {patience:.0f} s"))
                return
            await asyncio.sleep(min(1.0, patience / 4))
        self._end(LinkDownError("the connection was lost"))


def fail(result: "asyncio.Future[None]", fault: Exception) -> None:
    """Ends `result` with `fault`, which whoever waits gets; nobody has to wait for it."""
    result.set_exception(fault)
    result.exception()
