"""Examination of topic rights by probing, of retained messages, and of the broker's bridges.

The doctor publishes a probe to each topic that a login may write, and subscribes to what the login may read. Bridges
are those that mosquitto reports on its system topics.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pitwarden.bus.connection import Connection
from pitwarden.bus.messages import InboundMessage
from pitwarden.doctor.findings import DoctorFinding, passed
from pitwarden_client.events.alarms import remedy_of
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.status import DeviceStatus, PartStatus
from pitwarden_client.events.topics import HALVES, Half, Topics, subscribe_filters
from pitwarden_client.mqtt.errors import PublishRefusedError

_NOBODY: Final = "doctor"  # no device, terminal or consumer has this name, so what is sent there moves nothing


@dataclass(frozen=True, slots=True)
class LoginTopics:
    """Login of a table's service, or of `only` one half. `judge` is the name under which positions are stored."""

    topics: Topics
    judge: str
    only: Half | None = None

    def harmless(self) -> list[str]:
        """Return topics that the login writes and that no client with such a name reads."""
        return list(dict.fromkeys(topic for half in self._halves for topic in _harmless(self.topics, half)))

    def own(self) -> list[str]:
        """Return topics whose readers would process a probe: probed only while the service does not run."""
        return [topic for half in self._halves for topic in self._own(half)]

    def beyond(self) -> list[str]:
        """Return harmless topics that only the other half writes; none for a login of both."""
        ours = self.harmless()
        others = [topic for half in HALVES if half not in self._halves for topic in _harmless(self.topics, half)]
        return [topic for topic in others if topic not in ours]

    def readable(self) -> list[str]:
        """Return the filters to subscribe to: all that the login may read, and the statuses of a running service."""
        if self.only is None:
            return [f"{self.topics.root}/#"]
        devices = [self.topics.device_statuses] if self.only == "field" else []
        return [*subscribe_filters(self.topics, self.only), *map(self.topics.status, HALVES), *devices]

    def receives(self, topic: str) -> bool:
        """Return whether the login receives what it publishes to `topic`."""
        return _covered(topic, self.readable())

    @property
    def _halves(self) -> tuple[Half, ...]:
        return HALVES if self.only is None else (self.only,)

    def _own(self, half: Half) -> list[str]:
        topics = self.topics
        return {
            "field": [topics.head, topics.status("field")],
            "judge": [
                topics.state, topics.irregularities, topics.reveals, topics.record, topics.status("judge"),
                topics.position(self.judge), topics.command(_NOBODY),
            ],
        }[half]  # fmt: skip


def _harmless(topics: Topics, half: Half) -> list[str]:
    return {
        "field": [
            f"{topics.root}/events/{_NOBODY}/probe", topics.reply("floor", _NOBODY), topics.device_status(_NOBODY),
            topics.command_reply(_NOBODY), topics.replay(_NOBODY, "log"), topics.replay_reply(_NOBODY),
        ],
        "judge": [topics.replay(_NOBODY, "outputs"), topics.replay_reply(_NOBODY)],
    }[half]  # fmt: skip


def _covered(topic: str, filters: Sequence[str]) -> bool:
    """Return whether one of `filters` covers `topic`. Their wildcards are `+`, and `#` at the end."""
    named = topic.split("/")
    return any(_matches(each.split("/"), named) for each in filters)


def _matches(pattern: list[str], named: list[str]) -> bool:
    if pattern[-1] == "#":
        pattern, named = pattern[:-1], named[: len(pattern) - 1]
    return len(pattern) == len(named) and all(want in {"+", one} for want, one in zip(pattern, named, strict=True))


_WHY = "the pit's displays and its historian hear nothing; the table itself goes on"


def bridge_state_topic(bridge: str) -> str:
    """Return the topic with the state of `bridge`: 1 connected, 0 not, retained."""
    return f"$SYS/broker/connection/{bridge}/state"


def bridge_name(topic: str) -> str | None:
    """Return the bridge that such a topic names, or None."""
    parts = topic.split("/")
    return parts[3] if topic == bridge_state_topic(parts[3] if len(parts) > 3 else "") else None  # noqa: PLR2004  as above


def check_bridges(heard: Mapping[str, bytes]) -> list[DoctorFinding]:
    """Return one finding for each bridge that the broker reports."""
    if not heard:
        return [passed("bridge", "this broker has none that we may hear of")]
    mend = "journalctl -u mosquitto; see address and certificates in pit-bridge.conf, and whether the pit's broker runs"
    return [
        passed(f"bridge {name}", "connected")
        if state == b"1"
        else DoctorFinding("bad", f"bridge {name}", "is down", _WHY, mend)
        for name, state in sorted(heard.items())
    ]


# Seconds for a probe message to return. A broker that discards it without a reason is found by this.
DELIVER_S: Final = 3.0
WHY: Final = "what the broker refuses never arrives: rows wait in the journal and dealing is withheld"
_ACL: Final = "compare the broker's ACL with /usr/share/doc/pitwarden/examples/mosquitto/pitwarden"
_MEND: Final = f"{_ACL}.acl; where each half has a login of its own, ask with --only"
_MEND_APART: Final = f"{_ACL}-apart.acl"
_WHY_APART: Final = "with rights beyond its half, a field process could say verdicts, and a judge write rows"


@dataclass(slots=True)
class ObservedMessages:
    """Messages on the bus: our own probes, and what a running service has retained."""

    probes: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, PartStatus] = field(default_factory=dict)
    devices: dict[str, DeviceStatus] = field(default_factory=dict)
    bridges: dict[str, bytes] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def running(self, only: Half | None = None) -> bool:
        """Return whether this half of the table, or one of both, is published as online."""
        return any(part.online for name, part in self.parts.items() if only in {None, name})


async def check_topics(
    connection: Connection, login: LoginTopics, run: str, heard: ObservedMessages
) -> list[DoctorFinding]:
    """Publish to each topic of the login and wait for what it receives.

    The topics of `own` are probed only after the retained messages have arrived. A login of one half cannot receive
    what it publishes for the other half: there the broker's acknowledgement is trusted, so topics that it must refuse
    are probed too.
    """
    wanted = login.harmless()
    refused = await _tried(connection, login, wanted, run, heard)  # a broker sends what it retains before these
    if not heard.running():
        wanted += login.own()
        refused |= await _tried(connection, login, login.own(), run, heard)
    found = [
        DoctorFinding("bad", "acl", f"{topic} {what}", WHY, acl_remedy(login.only)) for topic, what in refused.items()
    ]
    others = login.beyond()
    kept = await _refused(connection, others, run)
    found += [_beyond(topic) for topic in others if topic not in kept]
    for name, part in heard.parts.items():
        found += [
            DoctorFinding("bad", f"{name} half", f"fault {fault}", "reported by the running service", remedy_of(fault))
            for fault in part.faults
            if part.online and login.only in {None, name}
        ]
    if not found:
        skipped = "; the service runs, so its own topics were left alone" if heard.running() else ""
        how = "delivered" if login.only is None else "what the other half alone may write is refused"
        found.append(passed("acl", f"{len(wanted)} topics written, and {how}{skipped}"))
    return found


def acl_remedy(only: Half | None) -> str:
    """Return the remedy for a missing right."""
    return _MEND if only is None else _MEND_APART


def _beyond(topic: str) -> DoctorFinding:
    said = f"{topic} may be written too, or this broker does not say what it refuses"
    return DoctorFinding("warning", "acl", said, _WHY_APART, f"give each half a login of its own; {_MEND_APART}")


def record_message(message: InboundMessage, topics: Topics, run: str, heard: ObservedMessages) -> None:
    """Record a message. `run` distinguishes our probes from those of another doctor."""
    message.ack()
    bridge = bridge_name(message.topic)
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
        return  # not ours; the running service reports it
    heard.news.set()


async def _tried(
    connection: Connection, login: LoginTopics, topics: Sequence[str], run: str, heard: ObservedMessages
) -> dict[str, str]:
    """Return the topics that were refused, or that the login reads and did not receive, each with the result."""
    refused = await _refused(connection, topics, run)
    due = [topic for topic in topics if topic not in refused and login.receives(topic)]
    await _wait(heard, lambda: all(topic in heard.probes for topic in due))
    return refused | {topic: "is not delivered" for topic in due if topic not in heard.probes}


async def _refused(connection: Connection, topics: Sequence[str], run: str) -> dict[str, str]:
    """Publish to each topic, and return those that the broker refuses or does not acknowledge, with the result."""
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


async def _wait(heard: ObservedMessages, done: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(DELIVER_S):
            while not done():
                heard.news.clear()
                await heard.news.wait()
    except TimeoutError:
        return
