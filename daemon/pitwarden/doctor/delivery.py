"""Whether every topic of ours is really delivered, and what a running service has retained on the bus."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pitwarden.bus.client import Connection
from pitwarden.bus.faults import PublishRefusedError
from pitwarden.bus.message import Message
from pitwarden.doctor import bridges
from pitwarden.doctor.finding import Finding, ok
from pitwarden.events.codec import BadPayloadError, decode
from pitwarden.events.status import DeviceStatus, PartStatus
from pitwarden.events.topics import Topics

DELIVER_S: Final = 3.0
WHY: Final = "what the broker refuses never arrives: rows wait in the journal and dealing is withheld"
MEND: Final = "compare the broker's ACL with /usr/share/doc/pitwarden/examples/mosquitto/pitwarden.acl"
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


async def look(connection: Connection, topics: Topics, judge: str, run: str, heard: Heard) -> list[Finding]:
    """Publishes to each topic and waits for it to come back; to `own` only once what is retained has come."""
    wanted = harmless(topics)
    refused = await _tried(connection, wanted, run, heard)  # a broker sends what it retains before these
    if not heard.running:
        wanted = [*wanted, *own(topics, judge)]
        refused |= await _tried(connection, own(topics, judge), run, heard)
    found = [Finding("bad", "acl", f"{topic} {what}", WHY, MEND) for topic, what in refused.items()]
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


async def _tried(connection: Connection, topics: list[str], run: str, heard: Heard) -> dict[str, str]:
    """The topics that did not come back, and what became of each."""
    refused = {}
    for topic in topics:
        try:
            await asyncio.wait_for(connection.send(topic, _probe(run)), DELIVER_S)
        except PublishRefusedError:
            refused[topic] = "may not be written"
        except TimeoutError:
            refused[topic] = "gets no answer"
    await _wait(heard, lambda: all(topic in heard.probes for topic in topics if topic not in refused))
    return refused | {topic: "is not delivered" for topic in topics if topic not in {*heard.probes, *refused}}


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
