"""Addresses of a broker, as people write them and as a connection uses them. No I/O."""

import ipaddress
from dataclasses import dataclass
from typing import Final

PORT: Final = 1_883
"""Port of a broker without TLS, by its registration."""

TLS_PORT: Final = 8_883
"""Port of a broker with TLS, by its registration."""

# Highest port of TCP.
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Host name or IP address (IPv6 without brackets), and TCP port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, default_port: int) -> BrokerAddress:
    """Return the address in `text`: HOST, HOST:PORT, or an IPv6 address, in brackets when a port follows.

    Raises:
        ValueError: It is no such address; the error has the right spelling.
    """
    inside, bracket, rest = text.removeprefix("[").partition("]")
    if bracket and text.startswith("["):
        if rest and not rest.startswith(":"):
            raise ValueError(f"has {rest!r} after the brackets: write [{inside}]:PORT")
        return BrokerAddress(_ipv6(inside), _port(rest[1:]) if rest else default_port)
    if text.count(":") > 1:
        return BrokerAddress(_ipv6(text), default_port)
    host, colon, port = text.partition(":")
    return BrokerAddress(_host(host), _port(port) if colon else default_port)


def parse_host(text: str) -> str:
    """Return the host in `text`: a name or an IP address, whose brackets are removed if it has some.

    Raises:
        ValueError: It is no host; the error has the right spelling.
    """
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1])
    return _ipv6(text) if ":" in text else _host(text)


def _ipv6(text: str) -> str:
    try:
        return str(ipaddress.IPv6Address(text))
    except ValueError:
        raise ValueError(f"is no IPv6 address: {text!r}. Write HOST, HOST:PORT or [IPv6 address]:PORT") from None


def _host(text: str) -> str:
    # What a URL or a list would put there; a resolver would be asked for it, and report an unknown name.
    wrong = next((sign for sign in text if not (sign.isalnum() or sign in "-._")), None)
    if wrong is not None:
        raise ValueError(f"has {wrong!r} in the host: write the name or the address alone, without mqtt://")
    if not text:
        raise ValueError("has no host: write HOST or HOST:PORT")
    return text


def _port(text: str) -> int:
    # No number of more than five digits is a port, and int() takes seconds for one of some million.
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(_LAST_PORT))):
        raise ValueError(f"has the port {text[:20]!r}: write a number from 1 to {_LAST_PORT}")
    port = int(text)
    if not 1 <= port <= _LAST_PORT:
        raise ValueError(f"has the port {port}: write a number from 1 to {_LAST_PORT}")
    return port
