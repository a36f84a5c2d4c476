"""Values of the console file that more than a type restricts: zones, hosts, addresses and titles."""

import re
from typing import Annotated, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, StringConstraints

_HOST: Final = re.compile(r"[a-z0-9.-]{1,253}|\[[0-9a-f:]{2,39}\]")


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError("no time zone of this machine. Write one as America/New_York") from None
    return name


def _host(name: str) -> str:
    if not _HOST.fullmatch(name):
        raise ValueError("no host name in lower case, without scheme and port")
    return name


def is_private_address(text: str) -> bool:
    """Return whether no one reads on the way to an address: it has TLS, or is on this machine."""
    parts = urlsplit(text)
    local = parts.hostname in {"localhost", "127.0.0.1"}
    return parts.scheme in ({"http", "https"} if local else {"https"}) and bool(parts.hostname)


def _provider_address(text: str) -> str:
    parts = urlsplit(text)
    if not is_private_address(text) or "@" in parts.netloc:
        raise ValueError("no address of a provider. Write its issuer, as https://id.example")
    if parts.query or parts.fragment:
        raise ValueError("an issuer has no query. Write it as the provider states it, as https://id.example")
    return text


def _page_address(text: str) -> str:
    parts = urlsplit(text)
    host, is_local = parts.hostname or "", parts.hostname == "localhost"
    if parts.scheme not in ({"http", "https"} if is_local else {"https"}) or not _HOST.fullmatch(host):
        raise ValueError("no address of pages. Write scheme, host name and port alone, as https://console.example")
    if text != f"{parts.scheme}://{parts.netloc}" or "@" in text or host[:1].isdigit() or host.startswith("["):
        raise ValueError("no address of pages. Write scheme, host name and port alone, as https://console.example")
    return text


Title = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f<>]*$")]
PitTitle = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f<>/]*$")]
Zone = Annotated[str, AfterValidator(_zone)]
DayStart = Annotated[str, StringConstraints(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
ProviderAddress = Annotated[str, AfterValidator(_provider_address)]
ClaimName = Annotated[str, StringConstraints(min_length=1, max_length=100)]
PageAddress = Annotated[str, AfterValidator(_page_address)]
Port = Annotated[int, Field(ge=1, le=65_535)]
HostName = Annotated[str, AfterValidator(_host)]
