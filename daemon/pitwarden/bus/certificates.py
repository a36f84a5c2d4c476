"""Expiry of X.509 certificates (RFC 5280, section 4.1.2.5), and warnings 30, 7 and 1 days before it.

The certificates are checked once an hour. The half publishes the warnings in its status, once for each change.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Never, Protocol

import structlog

from pitwarden.system.clock import DAY_MS, Clock
from pitwarden.system.tasks import run_hourly
from pitwarden_client.mqtt.settings import BrokerSettings

WARN_DAYS: Final = (1, 7, 30)


def not_after_ms(pem: bytes) -> int:
    """Return when the first certificate in `pem` expires, UTC in ms.

    Raises:
        ValueError: No certificate is in `pem`, or it cannot be read.
    """
    from cryptography import x509  # noqa: PLC0415  a tenth of what a start loads, and a link without TLS has no certificate

    try:
        expires = x509.load_pem_x509_certificate(pem).not_valid_after_utc
    except (ValueError, x509.InvalidVersion) as error:
        raise ValueError(f"no certificate that can be read: {error}") from None
    return round(expires.timestamp() * 1_000)


def link_certificate_warnings(broker: BrokerSettings, peer_ends_ms: int | None, now_ms: int) -> tuple[str, ...]:
    """Return warnings for the certificates of a link that expire within 30, 7 or 1 days, or have expired.

    They are our certificate, the authority's, and the broker's, whose expiry is `peer_ends_ms` (None: no TLS).
    """
    found = certificate_warnings({"our certificate": broker.cert, "the authority's certificate": broker.ca}, now_ms)
    said = "" if peer_ends_ms is None else _warning("the broker's certificate", peer_ends_ms, now_ms)
    return (*found, said) if said else found


def certificate_warnings(files: Mapping[str, Path | None], now_ms: int) -> tuple[str, ...]:
    """Return warnings for the certificates of `files`, by description, that expire within 30 days or have expired."""
    return tuple(
        text
        for what, path in files.items()
        if path is not None and (end := _of_file(path)) is not None
        if (text := _warning(f"{what} {path.name}", end, now_ms))
    )


def _of_file(path: Path) -> int | None:
    """Return when the certificate in `path` expires.

    The link, which needs the complete file, reports an unreadable one.
    """
    try:
        return not_after_ms(path.read_bytes())
    except (OSError, ValueError):
        return None


def _warning(what: str, end_ms: int, now_ms: int) -> str:
    on = datetime.fromtimestamp(end_ms / 1_000, UTC).date().isoformat()
    if end_ms <= now_ms:
        return f"certificate_ended: {what} ended on {on}"
    within = next((days for days in WARN_DAYS if end_ms - now_ms <= days * DAY_MS), None)
    return "" if within is None else f"certificate_ends: {what} ends within {within} days, on {on}"


FIRST_S: Final = 5.0  # by then the link is up, as a rule, and the broker has shown its own

_log = structlog.get_logger()


class HasCertificates(Protocol):
    """Link whose certificates are watched."""

    @property
    def broker(self) -> BrokerSettings:
        """Settings that name the certificate files; a reload replaces them."""
        ...

    def peer_ends_ms(self) -> int | None:
        """Return when the broker's certificate expires, UTC in ms; None without TLS, or while the link is down."""
        ...


class CertificateMonitor:
    """Hourly check of the certificates of one link. `report` receives all current warnings after each change."""

    def __init__(self, link: HasCertificates, clock: Clock, report: Callable[[tuple[str, ...]], None]) -> None:
        self._link, self._clock, self._report = link, clock, report
        self._reported: tuple[str, ...] = ()

    async def run(self) -> Never:
        """Run until cancelled."""
        await run_hourly(FIRST_S, self.check)

    async def check(self) -> None:
        """Check the certificates once."""
        found = link_certificate_warnings(self._link.broker, self._link.peer_ends_ms(), self._clock.utc().utc_ms)
        if found != self._reported:
            self._reported = found
            for text in found:
                _log.warning("certificate", reason=text)
            self._report(found)
