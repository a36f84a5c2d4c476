"""Whether every topic of ours is really delivered, and what a running service has retained on the bus."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pitwarden_client.events.alarms import remedy_of
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import DeviceStatus, PartStatus
from pitwarden_client.events.topics import Half, Topics
from pitwarden_client.mqtt.errors import PublishRefusedError

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import Message
from pitwarden.doctor import bridges
from pitwarden.doctor.finding import Finding, ok
from pitwarden.doctor.probes import Login

DELIVER_S: Final = 3.0
WHY: Final = "what the broker refuses never arrives: rows wait in the journal and dealing is withheld"
_ACL: Final = "compare the broker's ACL with /usr/share/doc/pitwarden/examples/mosquitto/pitwarden"
_MEND: Final = f"{_ACL}.acl; where each half has a login of its own, ask with --only"
_MEND_APART: Final = f"{_ACL}-apart.acl"
_WHY_APART: Final = "with rights beyond its half, a field process could say verdicts, and a judge write rows"


@dataclass(slots=True)
class Heard:
    """What was on the bus: our own probes, and what a running service has retained there."""

    probes: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, PartStatus] = field(default_factory=dict)
    devices: dict[str, DeviceStatus] = field(default_factory=dict)
    bridges: dict[str, bytes] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def running(self, only: Half | None = None) -> bool:
        """Whether this half of the table, or one of both, says that it is online."""
        return any(part.online for name, part in self.parts.items() if only in {None, name})


async def look(connection: Connection, login: Login, run: str, heard: Heard) -> list[Finding]:
    """Publishes to each topic of the login, to `own` only once what is retained has come, and waits for what it hears.

    What one half says for the other to hear is believed by the broker's answer: so what it has to refuse is tried too.
    """
    wanted = login.harmless()
    refused = await _tried(connection, login, wanted, run, heard)  # a broker sends what it retains before these
    if not heard.running():
        wanted += login.own()
        refused |= await _tried(connection, login, login.own(), run, heard)
    found = [Finding("bad", "acl", f"{topic} {what}", WHY, mend(login.only)) for topic, what in refused.items()]
    others = login.beyond()
    kept = await _refused(connection, others, run)
    found += [_beyond(topic) for topic in others if topic not in kept]
    for name, part in heard.parts.items():
        found += [
            Finding("bad", f"{name} half", f"fault {fault}", "reported by the running service", remedy_of(fault))
            for fault in part.faults
            if part.online and login.only in {None, name}
        ]
    if not found:
        skipped = "; the service runs, so its own topics were left alone" if heard.running() else ""
        how = "delivered" if login.only is None else "what the other half alone may write is refused"
        found.append(ok("acl", f"{len(wanted)} topics written, and {how}{skipped}"))
    return found


def mend(only: Half | None) -> str:
    """What mends a right that is missing."""
    return _MEND if only is None else _MEND_APART


def _beyond(topic: str) -> Finding:
    said = f"{topic} may be written too, or this broker does not say what it refuses"
    return Finding("warning", "acl", said, _WHY_APART, f"give each half a login of its own; {_MEND_APART}")


def take(message: Message, topics: Topics, run: str, heard: Heard) -> None:
    """A message came; `run` tells our probes from those of another doctor."""
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
        elif message.retained and (device := topics.device_of_status(message.topic)) is not None:
            heard.devices[device] = decode(DeviceStatus, message.payload)
    except BadPayloadError:
        return  # somebody else's; the service says so itself
    heard.news.set()


async def _tried(connection: Connection, login: Login, topics: Sequence[str], run: str, heard: Heard) -> dict[str, str]:
    """The topics that were refused, or that the login hears and that did not come back; what became of each."""
    refused = await _refused(connection, topics, run)
    due = [topic for topic in topics if topic not in refused and login.comes_back(topic)]
    await _wait(heard, lambda: all(topic in heard.probes for topic in due))
    return refused | {topic: "is not delivered" for topic in due if topic not in heard.probes}


async def _refused(connection: Connection, topics: Sequence[str], run: str) -> dict[str, str]:
    """Publishes to each topic; those that the broker refuses or does not answer, and which of both."""
    refused = {}
    for topic in topics:
        try:
            await asyncio.wait_for(connection.send(topic, _probe(run)), DELIVER_S)
        except PublishRefusedError:
            refused[topic] = "may not be written"
        except TimeoutError:
            refused[topic] = "gets no answer"
    return refused


def _probe(run: str) -> bytes:
    return f"probe of pitwarden doctor {run}".encode()


async def _wait(heard: Heard, done: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(DELIVER_S):
            while not done():
                heard.news.clear()
                await heard.news.wait()
    except TimeoutError:
        return
