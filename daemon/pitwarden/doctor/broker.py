"""The broker: reachable, its certificate in date, our login known, and every topic of ours really delivered."""

import asyncio
import secrets
import ssl
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Final

from pitwarden.bus.certificates import warnings
from pitwarden.bus.client import Connection
from pitwarden.bus.faults import AccessRefusedError, BusError, PublishRefusedError
from pitwarden.bus.message import Message
from pitwarden.bus.settings import BrokerSettings
from pitwarden.clock import DAY_MS
from pitwarden.doctor import bridges
from pitwarden.doctor.finding import Finding, ok
from pitwarden.events.codec import BadPayloadError, decode
from pitwarden.events.status import DeviceStatus, PartStatus
from pitwarden.events.topics import Topics

REACH_S: Final = 3.0
DELIVER_S: Final = 3.0
_WHY_REACH: Final = "without the broker nothing reaches the judge; the log goes on, and dealing is withheld"
_WHY_ACL: Final = "what the broker refuses never arrives: rows wait in the journal and dealing is withheld"
_MEND_ACL: Final = "compare the broker's ACL with /usr/share/doc/pitwarden/examples/mosquitto/pitwarden.acl"
_MEND_TLS: Final = "renew it, then systemctl reload mosquitto, or reload this service for its own"
_NOBODY: Final = "doctor"  # no device, terminal or consumer has this name, so what is sent there moves nothing


@dataclass(slots=True)
class Heard:
    """What was on the bus: our own probes, and what a running service has retained there."""

    probes: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, PartStatus] = field(default_factory=dict)
    devices: dict[str, DeviceStatus] = field(default_factory=dict)
    bridges: dict[str, bytes] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def running(self) -> bool:
        """Whether a half of this table says that it is online."""
        return any(part.online for part in self.parts.values())


def harmless(topics: Topics) -> list[str]:
    """Topics that the service writes and at which nobody listens by that name."""
    return [
        f"{topics.root}/events/{_NOBODY}/probe",
        topics.reply("floor", _NOBODY),
        topics.device_status(_NOBODY),
        topics.command_reply(_NOBODY),
        topics.replay(_NOBODY, "log"),
        topics.replay_reply(_NOBODY),
    ]


def own(topics: Topics, judge: str) -> list[str]:
    """Topics whose readers would take a probe for a message: tried only while the service does not run."""
    return [
        topics.state, topics.irregularities, topics.reveals, topics.head, topics.status("field"),
        topics.status("judge"), topics.position(judge), topics.command(_NOBODY),
    ]  # fmt: skip


async def look(settings: BrokerSettings, topics: Topics, judge: str, heard: Heard, now_ms: int) -> list[Finding]:
    """Findings about the broker; `heard` is filled with what a running service has said there."""
    where = f"{settings.host}:{settings.port}"
    found = await _reach(settings, where, now_ms)
    if found[-1].level == "bad":
        return found
    run = secrets.token_hex(4)
    connection = Connection(settings, f"pitwarden-doctor-{run}", lambda message: _take(message, topics, run, heard))
    try:
        await connection.open()
        await connection.listen([f"{topics.root}/#"])
        with suppress(PublishRefusedError):  # not every broker tells of its bridges
            await connection.listen([bridges.connected("+")])
        delivered = await _deliver(connection, topics, judge, run, heard)
        return [*found, ok("login", f"{where} lets us in"), *delivered, *bridges.look(heard.bridges)]
    except AccessRefusedError as error:
        return [
            *found,
            Finding("bad", "login", str(error), _WHY_REACH, "see username and password_file in the table file"),
        ]
    except PublishRefusedError as error:
        return [*found, Finding("bad", "acl", str(error), _WHY_ACL, _MEND_ACL)]
    except BusError as error:
        return [
            *found,
            Finding("bad", "broker", str(error), _WHY_REACH, "see the broker's log: journalctl -u mosquitto"),
        ]
    finally:
        connection.drop()
        await connection.dropped()


async def _reach(settings: BrokerSettings, where: str, now_ms: int) -> list[Finding]:
    try:
        context = settings.tls()
    except AccessRefusedError as error:
        return [Finding("bad", "tls", str(error), _WHY_REACH, "see ca, cert and key in the table file")]
    try:
        async with asyncio.timeout(REACH_S):
            _, writer = await asyncio.open_connection(
                settings.host, settings.port, ssl=context, server_hostname=None if context is None else settings.host
            )
    except ssl.SSLCertVerificationError as error:
        said = f"the certificate of {where} is refused: {error.verify_message}"
        return [
            Finding("bad", "tls", said, _WHY_REACH, f"openssl s_client -connect {where} | openssl x509 -noout -dates")
        ]
    except (OSError, TimeoutError) as error:
        said = f"{where} cannot be reached: {str(error) or 'no answer in time'}"
        return [
            Finding(
                "bad", "broker", said, _WHY_REACH, "systemctl status mosquitto; see the network and IPAddressAllow="
            )
        ]
    with closing(writer):
        certificate = writer.get_extra_info("peercert")
        return [ok("broker", f"{where} answers"), *_dates(settings, certificate, now_ms)]


def _dates(settings: BrokerSettings, certificate: dict[str, object] | None, now_ms: int) -> Iterator[Finding]:
    if not certificate:
        yield Finding(
            "warning", "tls", "no TLS", "fine on this machine alone: others read and forge what is not encrypted"
        )
        return
    ends_ms = ssl.cert_time_to_seconds(str(certificate["notAfter"])) * 1_000
    found = warnings(settings, ends_ms, now_ms)
    for said in found:
        yield Finding("bad" if said.startswith("certificate_ended") else "warning", "tls", said, _WHY_REACH, _MEND_TLS)
    if not found:
        yield ok("tls", f"the broker's certificate ends in {(ends_ms - now_ms) // DAY_MS} days")


async def _deliver(connection: Connection, topics: Topics, judge: str, run: str, heard: Heard) -> list[Finding]:
    """Publishes to each topic and waits for it to come back."""
    await _wait(heard, lambda: False, 0.3)  # what is retained comes first
    wanted = harmless(topics) + ([] if heard.running else own(topics, judge))
    refused = {}
    for topic in wanted:
        try:
            await asyncio.wait_for(connection.send(topic, _probe(run)), DELIVER_S)
        except PublishRefusedError:
            refused[topic] = "may not be written"
        except TimeoutError:
            refused[topic] = "gets no answer"
    await _wait(heard, lambda: all(topic in heard.probes for topic in wanted if topic not in refused), DELIVER_S)
    refused |= {topic: "is not delivered" for topic in wanted if topic not in heard.probes and topic not in refused}
    found = [Finding("bad", "acl", f"{topic} {what}", _WHY_ACL, _MEND_ACL) for topic, what in refused.items()]
    for name, part in heard.parts.items():
        found += [
            Finding("bad", f"{name} half", f"fault {fault}", "the running service says so itself", "see README, Alarms")
            for fault in part.faults
            if part.online
        ]
    if not found:
        skipped = "; the service runs, so its own topics were left alone" if heard.running else ""
        found.append(ok("acl", f"{len(wanted)} topics written and delivered{skipped}"))
    return found


def _probe(run: str) -> bytes:
    return f"probe of pitwarden doctor {run}".encode()


def _take(message: Message, topics: Topics, run: str, heard: Heard) -> None:
    message.ack()
    bridge = bridges.name_of(message.topic)
    if bridge is not None:
        heard.bridges[bridge] = message.payload
        return
    try:
        if message.payload == _probe(run):
            heard.probes[message.topic] = message.payload
        elif message.retained and message.topic in {topics.status("field"), topics.status("judge")}:
            heard.parts[message.topic.rpartition("/")[2]] = decode(PartStatus, message.payload)
        elif message.retained and message.topic.startswith(f"{topics.root}/devices/"):
            heard.devices[message.topic.split("/")[-2]] = decode(DeviceStatus, message.payload)
    except BadPayloadError:
        return  # somebody else's; the service says so itself
    heard.news.set()


async def _wait(heard: Heard, done: Callable[[], bool], seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not done():
                heard.news.clear()
                await heard.news.wait()
    except TimeoutError:
        return
