"""Examination of each address of the broker: reachability, certificate, login, then the rights to every topic."""

import asyncio
import secrets
import ssl
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import Final

from pitwarden.bus.certificates import link_certificate_warnings
from pitwarden.bus.connection import LONGEST_PACKET, Connection
from pitwarden.doctor import topics
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden.doctor.topics import LoginTopics, ObservedMessages
from pitwarden.system.clock import DAY_MS
from pitwarden_client.mqtt.errors import AccessRefusedError, BusError, PublishRefusedError
from pitwarden_client.mqtt.settings import BrokerSettings

# Seconds for one connection to an address of the broker. In a pit's network it takes milliseconds.
REACH_S: Final = 3.0
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_WHY_REACH: Final = "without the broker nothing reaches the judge; the log goes on, and dealing is withheld"
_WHY_SPARE: Final = "the service goes on at its other addresses; when they fail too, nothing reaches the judge"
_MEND_LOGIN: Final = "see username and password_file in the table file"
_MEND_ADDRESS: Final = (
    "see host and port, or addresses, under [broker] in the table file, and journalctl -u mosquitto there"
)
_MEND_TLS: Final = "renew it, then systemctl reload mosquitto, or reload this service for its own"


def _new_password(settings: BrokerSettings) -> str:
    """Return how a login gets a new password. That of a lost file is stored nowhere else."""
    login = settings.username or "LOGIN"
    return (
        f"write a new password into {settings.password_file}, give it to the broker with"
        f" mosquitto_passwd -b /etc/mosquitto/pitwarden.passwd {login} PASSWORD, then systemctl reload mosquitto"
    )


async def check_broker(
    settings: BrokerSettings, login: LoginTopics, heard: ObservedMessages, now_ms: int
) -> list[DoctorFinding]:
    """Return findings about the broker, and at which address a running service is linked to it.

    `heard` receives what a running service has published there. What is wrong at one address alone is a warning while
    nothing is wrong at another.
    """
    found = [await _check_address(settings.at(address), login, heard, now_ms) for address in settings.addresses]
    if any(all(one.level != "bad" for one in each) for each in found):
        found = [[_of_spare(one) for one in each] for each in found]
    linked = [
        passed(f"{name} half", f"is linked to {part.broker}")
        for name, part in heard.parts.items()
        if part.online and part.broker and login.only in {None, name}
    ]
    # What the running service reports is the same at every address.
    return list(dict.fromkeys([one for each in found for one in each] + linked))


def _of_spare(finding: DoctorFinding) -> DoctorFinding:
    return replace(finding, level="warning", why=_WHY_SPARE) if finding.level == "bad" else finding


async def _check_address(
    settings: BrokerSettings, login: LoginTopics, heard: ObservedMessages, now_ms: int
) -> list[DoctorFinding]:
    where = str(settings.address)
    found = await _reach(settings, where, now_ms)
    if found[-1].level == "bad":
        return found
    run = secrets.token_hex(4)
    taken = partial(topics.record_message, topics=login.topics, run=run, heard=heard)
    try:
        connection = Connection(settings, f"pitwarden-doctor-{run}", taken)
    except AccessRefusedError as error:  # the password's file cannot be read
        return [*found, DoctorFinding("bad", "login", str(error), _WHY_REACH, _new_password(settings))]
    try:
        if foreign := await _foreign(connection, where):
            return [*found, foreign]
        await connection.subscribe_all(login.readable())
        with suppress(PublishRefusedError):  # not every broker reports its bridges
            await connection.subscribe_all([topics.bridge_state_topic("+")])
        found += _limits(connection)
        delivered = await topics.check_topics(connection, login, run, heard)
        return [*found, passed("login", f"{where} lets us in"), *delivered, *topics.check_bridges(heard.bridges)]
    except AccessRefusedError as error:
        return [*found, DoctorFinding("bad", "login", str(error), _WHY_REACH, _MEND_LOGIN)]
    except PublishRefusedError as error:
        return [*found, DoctorFinding("bad", "acl", str(error), topics.WHY, topics.acl_remedy(login.only))]
    except BusError as error:
        return [
            *found,
            DoctorFinding("bad", "broker", str(error), _WHY_REACH, "see the broker's log: journalctl -u mosquitto"),
        ]
    finally:
        connection.drop()
        await connection.dropped()


async def _foreign(connection: Connection, where: str) -> DoctorFinding | None:
    """Open `connection`; return a finding where what answers is no MQTT broker, or takes no connection.

    Raises:
        AccessRefusedError: It is a broker, and refuses the login.
    """
    try:
        await connection.open()
    except AccessRefusedError:
        raise
    except BusError as error:
        said = f"what answers at {where} is no broker that takes us: {error}"
        return DoctorFinding("bad", "broker", said, _WHY_REACH, _MEND_ADDRESS)
    return None


async def _reach(settings: BrokerSettings, where: str, now_ms: int) -> list[DoctorFinding]:
    try:
        context = settings.tls()
    except AccessRefusedError as error:
        return [DoctorFinding("bad", "tls", str(error), _WHY_REACH, "see ca, cert and key in the table file")]
    try:
        async with asyncio.timeout(REACH_S):
            _, writer = await asyncio.open_connection(
                settings.host, settings.port, ssl=context, server_hostname=None if context is None else settings.host
            )
    except ssl.SSLCertVerificationError as error:
        said = f"the certificate of {where} is refused: {error.verify_message}"
        return [
            DoctorFinding(
                "bad", "tls", said, _WHY_REACH, f"openssl s_client -connect {where} | openssl x509 -noout -dates"
            )
        ]
    except (OSError, TimeoutError) as error:
        said = f"{where} cannot be reached: {str(error) or 'no answer in time'}"
        return [
            DoctorFinding(
                "bad", "broker", said, _WHY_REACH, "systemctl status mosquitto; see the network and IPAddressAllow="
            )
        ]
    with closing(writer):
        certificate = writer.get_extra_info("peercert")
        return [passed("broker", f"{where} answers"), *_dates(settings, certificate, now_ms)]


def _limits(connection: Connection) -> list[DoctorFinding]:
    """Return a finding if a row may be longer than the broker takes; a broker with MQTT 3.1.1 does not report that."""
    if connection.packet_limit >= LONGEST_PACKET:
        return []
    said = f"takes messages of {connection.packet_limit} bytes at most, and a row may have {LONGEST_PACKET}"
    mend = "raise max_packet_size and message_size_limit in mosquitto.conf to 131072 at least; restart mosquitto"
    return [DoctorFinding("bad", "broker", said, "a row that is longer, and all after it, never arrive", mend)]


def _dates(settings: BrokerSettings, certificate: dict[str, object] | None, now_ms: int) -> Iterator[DoctorFinding]:
    if not certificate and settings.host in LOOPBACK:
        yield passed("tls", "not encrypted, and the broker is on this machine")
        return
    if not certificate:
        yield DoctorFinding(
            "warning", "tls", f"the connection to {settings.host} is not encrypted",
            "others in the network can read and forge what is sent", "set ca, cert and key in [broker]",
        )  # fmt: skip
        return
    ends_ms = ssl.cert_time_to_seconds(str(certificate["notAfter"])) * 1_000
    found = link_certificate_warnings(settings, ends_ms, now_ms)
    for said in found:
        yield DoctorFinding(
            "bad" if said.startswith("certificate_ended") else "warning", "tls", said, _WHY_REACH, _MEND_TLS
        )
    if not found:
        yield passed("tls", f"the broker's certificate ends in {(ends_ms - now_ms) // DAY_MS} days")
