"""Certificates of a site and a mosquitto with the shipped configuration, on loopback ports."""

import base64
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import trustme

from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.mosquitto import MosquittoBroker

SHIPPED = Path(__file__).parents[4] / "config" / "mosquitto"
PASSWORD = "correct horse"  # noqa: S105  of the service's login, in a test's own password file


@dataclass(frozen=True)
class Site:
    """Site with certificates in `folder`; logins are their common names."""

    folder: Path
    authority: trustme.CA

    @cached_property
    def ca(self) -> Path:
        """Return the CA certificate. It is written once: a broker that is starting may be reading it."""
        path = self.folder / "ca.crt"
        self.authority.cert_pem.write_to_path(path)
        return path

    def certificate(self, name: str, *, expires: datetime | None = None) -> tuple[Path, Path]:
        """Return certificate and key of `name`."""
        made = self.authority.issue_cert("127.0.0.1", common_name=name, not_after=expires)
        cert, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        cert.write_bytes(b"".join(part.bytes() for part in made.cert_chain_pems))
        made.private_key_pem.write_to_path(key)
        return cert, key

    def client(self, name: str, port: int) -> BrokerSettings:
        """Return the login of `name` at the TLS listener."""
        cert, key = self.certificate(name)
        return BrokerSettings("127.0.0.1", port, ca=self.ca, cert=cert, key=key)


@dataclass(frozen=True)
class SiteBroker:
    """Broker as shipped. `ports`: of the listener for the services, and of the one for all other clients."""

    broker: MosquittoBroker
    site: Site
    ports: tuple[FreePort, FreePort]

    @property
    def plain(self) -> int:
        return self.ports[0].number

    @property
    def tls(self) -> int:
        return self.ports[1].number

    def service(self, login: str) -> BrokerSettings:
        """Return the login of a table's service, or of one half, at the plain listener, with its password."""
        secret = self.site.folder / "password"
        secret.write_text(PASSWORD)
        return BrokerSettings("127.0.0.1", self.plain, username=login, password_file=secret)


def acl_of_one_process() -> str:
    """Return the shipped ACL, with a block for a second table that runs in one process."""
    shipped = (SHIPPED / "pitwarden.acl").read_text()
    return f"{shipped}\n{_service_block(shipped).replace('ta01', 'ta02')}"


def _service_block(acl: str) -> str:
    begin = acl.index("# The service of table ta01")
    return acl[begin : acl.index("\n\n", begin) + 2]


def acl_of_separate_halves() -> str:
    """Return the shipped ACL for tables with separate halves, assembled as its own head states."""
    shipped = (SHIPPED / "pitwarden.acl").read_text()
    return shipped.replace(_service_block(shipped), "") + (SHIPPED / "pitwarden-apart.acl").read_text()


def site_broker(
    folder: Path,
    more: Callable[[Site], list[str]] = lambda _site: [],
    acl: str | None = None,
    logins: Sequence[str] = ("ta01", "ta02"),
) -> SiteBroker:
    """Return a broker, not started, with the shipped files except for their places.

    It has the listener of the tests' broker too.

    `more` gives further lines of its configuration; `acl` stands in place of the shipped one; `logins` have PASSWORD.
    """
    folder.mkdir()
    site = Site(folder, trustme.CA())
    cert, key = site.certificate("controller")
    plain, tls = ports = FreePort(), FreePort()
    (folder / "passwd").write_text("".join(password_line(login, PASSWORD) for login in logins))
    for name in ("passwd", "acl"):
        (folder / name).touch(0o600)
    (folder / "acl").write_text(acl_of_one_process() if acl is None else acl)
    text = "".join((SHIPPED / name).read_text() for name in ("pitwarden.conf", "pitwarden-pit.conf"))
    for shipped, here in (
        ("/etc/mosquitto/pitwarden.passwd", folder / "passwd"),
        ("/etc/mosquitto/pitwarden.acl", folder / "acl"),
        ("/etc/mosquitto/certs/site-ca.crt", site.ca),
        ("/etc/mosquitto/certs/controller.crt", cert),
        ("/etc/mosquitto/certs/controller.key", key),
        ("listener 1883 127.0.0.1", f"listener {plain.number} 127.0.0.1"),
        ("listener 8883", f"listener {tls.number} 127.0.0.1"),
        ("max_queued_messages 2000", ""),  # the tests' broker has set its own
        ("set_tcp_nodelay true", ""),
    ):
        if shipped not in text:
            raise ValueError(f"pitwarden.conf has no {shipped!r} any more")
        text = text.replace(shipped, str(here))
    return SiteBroker(MosquittoBroker(folder / "broker", [*text.splitlines(), *more(site)]), site, ports)


def password_line(login: str, password: str) -> str:
    """Return the line of `login` in a password file, as mosquitto_passwd writes it: PBKDF2 with SHA-512."""
    salt, rounds = os.urandom(12), 101
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds)
    return f"{login}:$7${rounds}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}\n"
