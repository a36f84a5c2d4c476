"""When certificates end: one date out of a structure (RFC 5280, 4.1), for which no library has to be trusted."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pitwarden.client.mqtt.settings import BrokerSettings
from pitwarden.clock import DAY_MS

WARN_DAYS: Final = (1, 7, 30)
_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_SEQUENCE, _VERSION, _UTC_TIME = 0x30, 0xA0, 0x17
_LONG: Final = 0x80
_CENTURY: Final = 50  # RFC 5280, 4.1.2.5.1: two digits from 50 on are of the last century


def ends_ms(pem: bytes) -> int:
    """When the first certificate in `pem` ends, UTC in ms; ValueError when there is none."""
    found = _PEM.search(pem)
    if found is None:
        raise ValueError("no certificate in it")
    try:
        return _not_after(base64.b64decode(found.group(1)))
    except (binascii.Error, IndexError, StopIteration, UnicodeDecodeError) as error:
        raise ValueError(f"no certificate that can be read: {error}") from None


def warnings(broker: BrokerSettings, peer_ends_ms: int | None, now_ms: int) -> tuple[str, ...]:
    """What ends within 30, 7 or 1 days, or has ended: our certificate, the authority's, the broker's (None: no TLS)."""
    found = warnings_of({"our certificate": broker.cert, "the authority's certificate": broker.ca}, now_ms)
    said = "" if peer_ends_ms is None else _said("the broker's certificate", peer_ends_ms, now_ms)
    return (*found, said) if said else found


def warnings_of(files: Mapping[str, Path | None], now_ms: int) -> tuple[str, ...]:
    """What of these certificates, each by what it is, ends within 30, 7 or 1 days, or has ended."""
    return tuple(
        text
        for what, path in files.items()
        if path is not None and (end := _of_file(path)) is not None
        if (text := _said(f"{what} {path.name}", end, now_ms))
    )


def _of_file(path: Path) -> int | None:
    """What cannot be read is said by the link, which needs the whole of it."""
    try:
        return ends_ms(path.read_bytes())
    except (OSError, ValueError):
        return None


def _said(what: str, end_ms: int, now_ms: int) -> str:
    on = datetime.fromtimestamp(end_ms / 1_000, UTC).date().isoformat()
    if end_ms <= now_ms:
        return f"certificate_ended: {what} ended on {on}"
    within = next((days for days in WARN_DAYS if end_ms - now_ms <= days * DAY_MS), None)
    return "" if within is None else f"certificate_ends: {what} ends within {within} days, on {on}"


def _not_after(der: bytes) -> int:
    """The second date of a certificate's validity, behind version, number, algorithm and issuer."""
    certificate = next(_parts(der))[1]
    fields = _parts(next(_parts(certificate))[1])
    kind, _ = next(fields)
    if kind == _VERSION:
        next(fields)
    next(fields)
    next(fields)
    kind, validity = next(fields)
    dates = list(_parts(validity))
    if kind != _SEQUENCE or len(dates) != 2:  # noqa: PLR2004  not before, not after
        raise ValueError("no validity where one has to be")
    return _utc_ms(*dates[1])


def _utc_ms(kind: int, value: bytes) -> int:
    text = value.decode("ascii")
    if kind == _UTC_TIME:
        text = ("19" if int(text[:2]) >= _CENTURY else "20") + text
    return round(datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp() * 1_000)


def _parts(der: bytes) -> Iterator[tuple[int, bytes]]:
    """The elements of a sequence: tag and content; ValueError for what is cut off."""
    at = 0
    while at < len(der):
        kind, size = der[at], der[at + 1]
        at += 2
        if size >= _LONG:
            count = size - _LONG
            size = int.from_bytes(der[at : at + count], "big")
            at += count
        if at + size > len(der):
            raise ValueError("a certificate that is cut off")
        yield kind, der[at : at + size]
        at += size
