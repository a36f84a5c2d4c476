"""Metrics endpoint: a local socket that the service's group may open, or a port for readers with a certificate.

The client library's own server has no local socket and waits without a limit for a handshake, so this file answers the
one request itself.

Threat: a client that connects and sends nothing, or sends without end; or that is not allowed to read at all.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from pitwarden.config.models import MetricsSection
from pitwarden.metrics.meter import CONTENT_TYPE, Meter

# Seconds for one request. A client that sends its request slowly is dropped.
ANSWER_S: Final = 3.0
# Seconds until the server tries again to listen at an address that another program holds.
RETRY_S: Final = 30.0
# Requests that are answered at the same time. One Prometheus sends one; further connections are closed.
MOST_ANSWERS: Final = 8
# Bytes of a request's head. A longer one is not a request of Prometheus, and is refused.
MOST_HEAD: Final = 8_192
_SOCKET_MODE: Final = 0o660

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class LocalEndpoint:
    """Socket in the file system. Its folder and mode decide who may read."""

    path: Path


@dataclass(frozen=True, slots=True)
class TlsEndpoint:
    """Port at which both sides present a certificate; readers' certificates are issued by `client_ca`."""

    host: str
    port: int
    cert: Path
    key: Path
    client_ca: Path

    def context(self) -> ssl.SSLContext:
        """Return a context from the files as they are now.

        Raises:
            OSError: A file cannot be read or is not valid (ssl.SSLError is a subclass).
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_cert_chain(self.cert, self.key)
        context.load_verify_locations(self.client_ca)
        return context


class MetricsServer:
    """Server of the result of `text`, at `place`.

    `fault` is why it does not serve; the service continues without it.
    """

    def __init__(self, place: LocalEndpoint | TlsEndpoint, text: Callable[[], bytes]) -> None:
        self._place, self._text = place, text
        self._answers: set[asyncio.Task[None]] = set()
        self._again = asyncio.Event()
        self.fault = ""

    def reopen(self) -> None:
        """Open the endpoint again, with its files as they are now."""
        self._again.set()

    async def run(self) -> None:
        """Serve until cancelled. An endpoint that cannot be opened is tried again."""
        while True:
            self._again.clear()
            try:
                server = await self._opened()
            except OSError as error:
                self._report(f"metrics are not served: {error}")
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_S):
                        await self._again.wait()
                continue
            self._report("")
            try:
                await self._again.wait()
            finally:
                await self._close(server)

    async def _opened(self) -> asyncio.Server:
        place = self._place
        if isinstance(place, LocalEndpoint):
            return await asyncio.start_unix_server(self._answered, sock=bind_local_socket(place.path), limit=MOST_HEAD)
        return await asyncio.start_server(
            self._answered, place.host, place.port, limit=MOST_HEAD, ssl=place.context(), ssl_handshake_timeout=ANSWER_S
        )

    async def _close(self, server: asyncio.Server) -> None:
        server.close()
        if isinstance(self._place, LocalEndpoint):
            self._place.path.unlink(missing_ok=True)
        for task in self._answers:
            task.cancel()
        if self._answers:
            await asyncio.wait(self._answers)

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._answers) >= MOST_ANSWERS:
            writer.transport.abort()
            return
        self._answers.add(task)
        try:
            async with asyncio.timeout(ANSWER_S):
                writer.write(_response(await reader.readuntil(b"\r\n\r\n"), self._text))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return  # the client sent no request, or left
        finally:
            writer.transport.abort()
            self._answers.discard(task)

    def _report(self, fault: str) -> None:
        if fault != self.fault:
            (_log.warning if fault else _log.info)("metrics", reason=fault or "served")
        self.fault = fault


def bind_local_socket(path: Path) -> socket.socket:
    """Return a listening socket at `path`, whose mode was never wider.

    Raises:
        OSError: The socket cannot be bound, or another process serves there.
    """
    if path.is_socket():
        if _answers(path):
            raise OSError(f"another process serves at {path}")
        path.unlink()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    # The mode must be right from the start: between `bind` and `chmod` any account could connect.
    before = os.umask(0o177)
    try:
        made.bind(str(path))
    except OSError as error:
        made.close()
        raise OSError(f"{path}: {error.strerror or error}") from error
    finally:
        os.umask(before)
    path.chmod(_SOCKET_MODE)
    return made


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(0)
        return asking.connect_ex(str(path)) == 0


def _response(head: bytes, text: Callable[[], bytes]) -> bytes:
    words = head.split(b"\r\n", 1)[0].split(b" ")
    if len(words) != 3 or words[0] not in {b"GET", b"HEAD"}:  # noqa: PLR2004  method, path, version
        return _message("405 Method Not Allowed", b"only GET /metrics is answered here\n", "text/plain")
    if words[1].split(b"?", 1)[0] != b"/metrics":
        return _message("404 Not Found", b"only GET /metrics is answered here\n", "text/plain")
    told = _message("200 OK", text(), CONTENT_TYPE)
    return told if words[0] == b"GET" else told.split(b"\r\n\r\n", 1)[0] + b"\r\n\r\n"


def _message(status: str, body: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def metrics_endpoint(metrics: MetricsSection, only: str | None = None) -> LocalEndpoint | TlsEndpoint | None:
    """Return the endpoint of `[metrics]`.

    Halves in separate processes have a socket each, with the half's name appended.
    """
    if metrics.socket is not None:
        return LocalEndpoint(
            metrics.socket if only is None else metrics.socket.with_name(f"{metrics.socket.name}.{only}")
        )
    host, port, cert, key, readers = metrics.host, metrics.port, metrics.cert, metrics.key, metrics.client_ca
    if host is None or port is None or cert is None or key is None or readers is None:
        return None
    return TlsEndpoint(host, port, cert, key, readers)


class MetricsExporter:
    """Metrics endpoint of one process, if the table file has `[metrics]`. `only` is the one half that it runs."""

    def __init__(self, metrics: MetricsSection | None, only: str | None, meter: Meter) -> None:
        place = None if metrics is None else metrics_endpoint(metrics, only)
        self._server = None if place is None else MetricsServer(place, meter.text)

    def reopen(self) -> None:
        """Read the certificates again."""
        if self._server is not None:
            self._server.reopen()

    def status_lines(self) -> list[str]:
        """Return the line that reports an endpoint that is not served."""
        return [] if self._server is None or not self._server.fault else ["METRICS NOT SERVED: see the log"]

    async def run(self) -> None:
        """Serve until cancelled, or return at once without an endpoint."""
        if self._server is not None:
            await self._server.run()
