"""Who may read the metrics, and what a reader that is slow, strange or unknown gets: nothing that costs the service."""

import asyncio
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from pitwarden.config.models import MetricsSection
from pitwarden.metrics import server as serving
from pitwarden.metrics.server import LocalEndpoint, MetricsServer, TlsEndpoint, metrics_endpoint
from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.site_broker import Site
from testkit.clocks.waiting import PATIENCE_S

TOLD = b"pitwarden_info 1\n"


class Telling(MetricsServer):
    """Tells when it has opened its place, or has said why it cannot."""

    news: asyncio.Event

    def _report(self, fault: str) -> None:
        super()._report(fault)
        self.news.set()

    async def told(self) -> None:
        await self.news.wait()
        self.news.clear()


@asynccontextmanager
async def served(place: LocalEndpoint | TlsEndpoint) -> AsyncIterator[Telling]:
    made = Telling(place, lambda: TOLD)
    made.news = asyncio.Event()
    running = asyncio.create_task(made.run(), name="metrics")
    await made.told()
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait({running})


async def ask(path: Path, request: bytes = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n") -> bytes:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(request)
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_a_local_reader_is_answered_and_no_other_user_can_open_the_socket(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    async with served(LocalEndpoint(path)):
        head, body = (await ask(path)).split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200 OK")
        assert b"text/plain; version=0.0.4" in head
        assert body == TOLD
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
    assert not path.exists()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\n\r\n", b"405"),
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"\xff\x00\r\n\r\n", b"405"),
        (b"HEAD /metrics?x=1 HTTP/1.0\r\n\r\n", b"200"),
    ],
)
async def test_what_else_is_asked_gets_its_status_and_no_metrics(
    request_: bytes, status: bytes, tmp_path: Path
) -> None:
    async with served(LocalEndpoint(tmp_path / "metrics")):
        answer = await ask(tmp_path / "metrics", request_)
    assert answer.split(b" ")[1] == status
    assert TOLD not in answer


async def test_a_client_that_sends_nothing_or_too_much_is_dropped_and_delays_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "metrics"
    monkeypatch.setattr(serving, "ANSWER_S", PATIENCE_S)
    async with served(LocalEndpoint(path)):
        _, first = await asyncio.open_unix_connection(path)
        assert TOLD in await ask(path)
        assert await ask(path, b"x" * 2 * serving.MOST_HEAD) == b""
        monkeypatch.setattr(serving, "ANSWER_S", 0.2)
        silent, second = await asyncio.open_unix_connection(path)
        assert await silent.read() == b""
        first.close()
        second.close()


async def test_only_so_many_are_answered_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_ANSWERS", 1)
    path = tmp_path / "metrics"
    async with served(LocalEndpoint(path)):
        _, writer = await asyncio.open_unix_connection(path)
        writer.write(b"GET ")
        assert await ask(path) == b""
        writer.close()


async def test_a_socket_left_behind_is_replaced_and_one_in_use_is_not(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    serving.bind_local_socket(path).close()
    async with served(LocalEndpoint(path)) as first:
        assert first.fault == ""
        async with served(LocalEndpoint(path)) as second:
            assert f"another process serves at {path}" in second.fault
        assert TOLD in await ask(path)


def test_halves_that_run_apart_have_a_socket_each() -> None:
    metrics = MetricsSection(socket=Path("/run/pitwarden/ta01/metrics"))
    assert metrics_endpoint(metrics) == LocalEndpoint(Path("/run/pitwarden/ta01/metrics"))
    assert metrics_endpoint(metrics, "judge") == LocalEndpoint(Path("/run/pitwarden/ta01/metrics.judge"))


async def test_what_could_not_be_opened_is_opened_when_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "metrics"
    async with served(LocalEndpoint(path)) as server:
        assert "No such file or directory" in server.fault
        path.parent.mkdir()
        server.reopen()
        await server.told()
        assert TOLD in await ask(path)


async def test_a_port_is_read_with_a_certificate_of_the_readers_authority_only(tmp_path: Path) -> None:
    site, other = Site(tmp_path, trustme.CA()), Site(tmp_path / "other", trustme.CA())
    other.folder.mkdir()
    cert, key = site.certificate("controller")
    free = FreePort()
    place = TlsEndpoint("127.0.0.1", free.number, cert, key, site.ca)
    async with served(place) as server:
        assert TOLD in await over_tls(place.port, site.ca, site.certificate("prometheus"))
        for reader in (None, other.certificate("prometheus")):
            assert await over_tls(place.port, site.ca, reader) == b""
        cert.write_text("no certificate")
        server.reopen()
        await server.told()
        assert "metrics are not served" in server.fault


async def over_tls(port: int, authority: Path, reader: tuple[Path, Path] | None) -> bytes:
    context = ssl.create_default_context(cafile=authority)
    if reader is not None:
        context.load_cert_chain(*reader)
    answers, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context)
    try:
        writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
        return await answers.read()
    except (ssl.SSLError, ConnectionError):
        return b""
    finally:
        writer.transport.abort()
