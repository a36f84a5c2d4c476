"""Broker of a demo: an embedded one on a free loopback port, or one that the user names, on loopback alone."""

import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pitwarden_simulators.demo.errors import DemoError, DemoRefused
from pitwarden_simulators.ports.free import FreePort

LOOPBACK: Final = "127.0.0.1"
_PORT: Final = 1883
_CONFIG: Final = """\
id = 0
[router]
id = 0
max_connections = 100
max_outgoing_packet_count = 200
max_segment_size = 104857600
max_segment_count = 10
[v5.1]
name = "demo"
listen = "{host}:{port}"
next_connection_delay_ms = 1
[v5.1.connections]
connection_timeout_ms = 60000
max_payload_size = 262144
max_inflight_count = 500
dynamic_filters = true
"""


def loopback(url: str) -> tuple[str, int]:
    """Return host and port of `mqtt://HOST[:PORT]`.

    Raises:
        DemoRefused: The host is not this machine's loopback.
    """
    parts = urlsplit(url)
    if parts.scheme != "mqtt" or not parts.hostname:
        raise DemoRefused(f"{url!r} is no broker of a demo: write mqtt://127.0.0.1:1883")
    host = LOOPBACK if parts.hostname == "localhost" else parts.hostname
    try:
        inside = ipaddress.ip_address(host).is_loopback
    except ValueError:
        inside = False
    if not inside:
        raise DemoRefused(f"{parts.hostname} is not on loopback: simulated cards stay on this machine")
    try:
        return host, parts.port or _PORT
    except ValueError:
        raise DemoRefused(f"{url!r} has no usable port: write one from 1 to 65535") from None


@asynccontextmanager
async def broker(url: str | None, folder: Path) -> AsyncIterator[tuple[str, int]]:
    """Yield host and port of the broker at `url`, or of an embedded one that ends with the context."""
    if url is not None:
        yield loopback(url)
        return
    try:
        from iotcore.broker import Broker  # noqa: PLC0415  only the extra `demo` installs it
    except ImportError:
        raise DemoRefused("the embedded broker is not installed: pip install 'pitwarden[demo]', or --broker") from None
    free = FreePort()
    port = free.number
    config = folder / "broker.toml"
    config.write_text(_CONFIG.format(host=LOOPBACK, port=port), encoding="utf-8")
    embedded = Broker(config_path=str(config))
    try:
        embedded.start()  # blocks for about 0.1 s, while nothing else runs yet
    except (OSError, RuntimeError) as error:
        raise DemoError(f"the embedded broker did not start on port {port}: {error}") from error
    try:
        yield LOOPBACK, port
    finally:
        embedded.stop()
