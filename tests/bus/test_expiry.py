"""Certificates that end: read from their files, warned of 30, 7 and 1 days ahead, said once a change."""

import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from pitwarden.bus.certificates import CertificateMonitor, certificate_warnings, link_certificate_warnings, not_after_ms
from pitwarden_client.mqtt.settings import BrokerSettings
from testkit.brokers.clients import link_client, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.brokers.site_broker import Site
from testkit.clocks.fake_clock import FakeClock

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
NOW_MS = round(NOW.timestamp() * 1_000)


def site(folder: Path, left: timedelta) -> tuple[Site, Path]:
    """Return a site, and a certificate that expires after this time."""
    made = Site(folder, trustme.CA())
    cert, _ = made.certificate("ta01", expires=NOW + left)
    return made, cert


@pytest.mark.parametrize("year", [2027, 2049, 2050, 2099])
def test_the_date_of_a_certificate_is_read_in_both_of_its_forms(tmp_path: Path, year: int) -> None:
    end = datetime(year, 2, 28, 23, 59, 59, tzinfo=UTC)
    cert, _ = Site(tmp_path, trustme.CA()).certificate("ta01", expires=end)
    assert not_after_ms(cert.read_bytes()) == round(end.timestamp() * 1_000)


def test_what_is_no_certificate_is_said_to_be_none(tmp_path: Path) -> None:
    _, cert = site(tmp_path, timedelta(days=9))
    pem = cert.read_text().splitlines()
    cut = "\n".join([pem[0], pem[1], "-----END CERTIFICATE-----"])
    empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
    unending = "-----BEGIN CERTIFICATE-----\nAAAA"
    for text in ("", "no certificate", empty, unending, cut, "".join(map(chr, range(256)))):
        with pytest.raises(ValueError, match=r"no certificate that can be read"):
            not_after_ms(text.encode())


def test_a_certificate_of_an_unknown_version_cannot_be_read(tmp_path: Path) -> None:
    _, cert = site(tmp_path, timedelta(days=9))
    der = ssl.PEM_cert_to_DER_cert(cert.read_text())
    third, ninth = bytes.fromhex("a003020102"), bytes.fromhex("a003020108")  # RFC 5280, section 4.1.2.1
    pem = ssl.DER_cert_to_PEM_cert(der.replace(third, ninth, 1))
    with pytest.raises(ValueError, match="no certificate that can be read"):
        not_after_ms(pem.encode())
    assert certificate_warnings({"ours": cert}, NOW_MS)


def test_the_first_certificate_of_a_chain_counts_whatever_text_stands_around_it(tmp_path: Path) -> None:
    made, cert = site(tmp_path, timedelta(days=9))
    chain = b"subject=ta01\n" + cert.read_bytes() + made.ca.read_bytes()
    assert not_after_ms(chain) == round((NOW + timedelta(days=9)).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (timedelta(days=31), ""),
        (timedelta(days=29), "certificate_ends: our certificate ta01.crt ends within 30 days, on 2026-12-27"),
        (timedelta(days=6), "certificate_ends: our certificate ta01.crt ends within 7 days, on 2026-12-04"),
        (timedelta(hours=23), "certificate_ends: our certificate ta01.crt ends within 1 days, on 2026-11-29"),
        (timedelta(hours=-1), "certificate_ended: our certificate ta01.crt ended on 2026-11-28"),
    ],
)
def test_the_warnings_come_in_steps(tmp_path: Path, left: timedelta, said: str) -> None:
    _, cert = site(tmp_path, left)
    assert link_certificate_warnings(BrokerSettings("x", cert=cert), None, NOW_MS) == ((said,) if said else ())


def test_the_broker_s_own_and_the_authority_s_are_looked_at_too(tmp_path: Path) -> None:
    made, cert = site(tmp_path, timedelta(days=900))
    far = not_after_ms(made.ca.read_bytes()) - 3_600_000
    found = link_certificate_warnings(BrokerSettings("x", ca=made.ca, cert=cert), NOW_MS + 1, NOW_MS)
    assert [text.partition(" ends")[0] for text in found] == ["certificate_ends: the broker's certificate"]
    found = link_certificate_warnings(BrokerSettings("x", ca=made.ca), None, far)
    assert [text.partition(" ends")[0] for text in found] == ["certificate_ends: the authority's certificate ca.crt"]


def test_a_file_that_cannot_be_read_is_the_link_s_to_say(tmp_path: Path) -> None:
    assert link_certificate_warnings(BrokerSettings("x", ca=tmp_path / "nowhere"), None, NOW_MS) == ()


class Link:
    """Link whose broker settings and peer certificate the test sets."""

    broker = BrokerSettings("x")
    peer: datetime | None = None

    def peer_ends_ms(self) -> int | None:
        return None if self.peer is None else round(self.peer.timestamp() * 1_000)


async def test_what_changes_is_said_once(tmp_path: Path) -> None:
    clock, link, said = FakeClock(utc_ms=NOW_MS), Link(), list[tuple[str, ...]]()
    expiry = CertificateMonitor(link, clock, said.append)
    for days in (None, 40, 5, 5, 0.9, None, None):
        link.peer = None if days is None else NOW + timedelta(days=days)
        await expiry.check()
    within = "certificate_ends: the broker's certificate ends within"
    assert said == [(f"{within} 7 days, on 2026-12-03",), (f"{within} 1 days, on 2026-11-29",), ()]
    _, cert = site(tmp_path, timedelta(days=2))
    link.broker = BrokerSettings("x", cert=cert)  # a reload has brought another certificate
    await expiry.check()
    assert said[-1] == ("certificate_ends: our certificate ta01.crt ends within 7 days, on 2026-11-30",)


@pytest.mark.broker
async def test_a_link_over_tls_warns_of_the_broker_s_certificate(tmp_path: Path) -> None:
    soon = datetime.now(UTC) + timedelta(days=5)
    made = Site(tmp_path, trustme.CA())
    cert, key = made.certificate("controller", expires=soon)
    config = ("allow_anonymous true", f"certfile {cert}", f"keyfile {key}")
    with MosquittoBroker(tmp_path / "broker", config) as broker:
        async with link_client(replace(settings(broker.port), ca=made.ca)) as us:
            await us.is_up()
            now_ms = round(datetime.now(UTC).timestamp() * 1_000)
            on = soon.date().isoformat()
            assert link_certificate_warnings(us.link.broker, us.link.peer_ends_ms(), now_ms) == (
                f"certificate_ends: the broker's certificate ends within 7 days, on {on}",
            )
