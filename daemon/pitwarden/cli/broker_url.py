"""Address of a broker as people write it: `mqtt://HOST[:PORT]`, or `mqtts://` for TLS."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

PORT: Final = 1883
TLS_PORT: Final = 8883


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """Host and port of a broker. `tls`: the connection is encrypted."""

    host: str
    port: int
    tls: bool


def parse_broker_url(text: str) -> BrokerUrl:
    """Return the address that `text` names.

    Raises:
        ValueError: It is no such address; the sentence advises what to write.
    """
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError:
        port = 0
    if parts.scheme not in {"mqtt", "mqtts"} or not parts.hostname or port == 0:
        raise ValueError("write mqtt://HOST[:PORT] or mqtts://HOST[:PORT]")
    tls = parts.scheme == "mqtts"
    return BrokerUrl(parts.hostname, port or (TLS_PORT if tls else PORT), tls)
