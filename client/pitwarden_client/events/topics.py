"""Every topic name, built and parsed only here, and the topics that each half may publish or subscribe to.

The tree is `pitwarden/v1/<site>/<table>/`, continued as in `Topics`. An identifier from outside is validated before it
becomes part of a topic.

The rights of each half are filters: the least rights of its login at the broker. The halves subscribe by them, the
doctor probes them, and a test compares them with the shipped ACL for halves with a login each.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_client.events.base import Role

PREFIX: Final = "pitwarden/v1"
CLOUDEVENTS_JSON: Final = "application/cloudevents+json"
"""MQTT 5 content type of a CloudEvent in structured JSON (CloudEvents MQTT Protocol Binding 1.0.2, section 3.2)."""

_CLOUDEVENTS: Final = re.compile(
    rf"\A{PREFIX}/[^/]+/[^/]+/(?:events/|irregularities\Z|reveals\Z|replay/[^/]+/(?:log|outputs)\Z)"
)
_IDENT: Final = re.compile(r"\A[A-Za-z0-9_-]{1,64}\Z")
ROLES: Final[tuple[Role, ...]] = ("dealer", "floor", "supervisor")


def checked(ident: str) -> str:
    """Return `ident` itself.

    Raises:
        ValueError: It cannot be a topic segment.
    """
    # A wildcard or a slash in an identifier would widen a subscription, or publish under another table.
    if not _IDENT.match(ident):
        raise ValueError(f"{ident[:70]!r} is no identifier: use 1 to 64 of A-Z a-z 0-9 _ -")
    return ident


def carries_cloudevents(topic: str) -> bool:
    """Return whether messages on `topic` are CloudEvents: log rows, outputs, and replays of them."""
    return _CLOUDEVENTS.match(topic) is not None


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics of one table."""

    site: str
    table: str

    def __post_init__(self) -> None:
        checked(self.site)
        checked(self.table)

    @property
    def root(self) -> str:
        """Prefix of all topics of the table."""
        return f"{PREFIX}/{self.site}/{self.table}"

    def event(self, device: str, kind: str) -> str:
        """Return the topic of a live log row; `kind` has dots, as in `shoe.card`."""
        return f"{self.root}/events/{checked(device)}/{kind.replace('.', '_')}"

    @property
    def events(self) -> str:
        """Filter of all live log rows."""
        return f"{self.root}/events/+/+"

    def input(self, role: Role, terminal: str) -> str:
        """Return the topic on which a terminal publishes its inputs."""
        return f"{self.root}/inputs/{role}/{checked(terminal)}"

    @property
    def inputs(self) -> str:
        """Filter of all inputs."""
        return f"{self.root}/inputs/+/+"

    def reply(self, role: Role, terminal: str) -> str:
        """Return the topic of the replies to a terminal's inputs."""
        return f"{self.input(role, terminal)}/replies"

    @property
    def replies(self) -> str:
        """Filter of all replies to terminals."""
        return f"{self.inputs}/replies"

    def role_and_terminal(self, topic: str) -> tuple[Role, str] | None:
        """Return the role and terminal of an input topic; None when it is not one of this table."""
        parts = topic.removeprefix(f"{self.root}/inputs/").split("/")
        if not topic.startswith(f"{self.root}/inputs/") or len(parts) != 2:  # noqa: PLR2004  role and terminal
            return None
        for role in ROLES:
            if parts[0] == role and _IDENT.match(parts[1]):
                return role, parts[1]
        return None

    @property
    def state(self) -> str:
        """Retained state of the table. Only the judge publishes it."""
        return f"{self.root}/state"

    @property
    def irregularities(self) -> str:
        """Irregularities, duties, notices, refusals, failed checks."""
        return f"{self.root}/irregularities"

    @property
    def reveals(self) -> str:
        """Cards and reader answers that became public, and the outcomes of wagers."""
        return f"{self.root}/reveals"

    def status(self, part: str) -> str:
        """Return the retained topic of `part`, `field` or `judge`: online or offline."""
        return f"{self.root}/status/{checked(part)}"

    @property
    def head(self) -> str:
        """Retained head of the log, so that a missing tail is visible."""
        return f"{self.root}/head"

    @property
    def record(self) -> str:
        """Retained end of the judge's record, so that missing verdicts are visible."""
        return f"{self.root}/record"

    def device_status(self, device: str) -> str:
        """Return the retained topic of a device: online, stale or lost."""
        return f"{self.root}/devices/{checked(device)}/status"

    @property
    def device_statuses(self) -> str:
        """Filter of all devices' statuses."""
        return f"{self.root}/devices/+/status"

    def device_of_status(self, topic: str) -> str | None:
        """Return the device that a status topic names; None when it is not a device status of this table."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["devices", name, "status"] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None

    def command(self, device: str) -> str:
        """Return the topic of commands to a device. Only the judge's login publishes there."""
        return f"{self.root}/commands/{checked(device)}"

    def command_reply(self, device: str) -> str:
        """Return the topic of the replies to a device's commands."""
        return f"{self.command(device)}/replies"

    @property
    def commands(self) -> str:
        """Filter of all commands."""
        return f"{self.root}/commands/+"

    @property
    def command_replies(self) -> str:
        """Filter of all replies to commands."""
        return f"{self.commands}/replies"

    def commanded(self, topic: str) -> str | None:
        """Return the device that a command's topic names; None when it is not a command topic of this table."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["commands", name] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None

    def position(self, consumer: str) -> str:
        """Return the retained topic of a durable consumer's position in the log."""
        return f"{self.root}/positions/{checked(consumer)}"

    @property
    def positions(self) -> str:
        """Filter of all consumers' positions."""
        return f"{self.root}/positions/+"

    def replay(self, consumer: str, of: Literal["log", "outputs"]) -> str:
        """Return the topic of the rows or outputs that a consumer requested, as they were committed."""
        return f"{self.root}/replay/{checked(consumer)}/{of}"

    def replays(self, of: Literal["log", "outputs"]) -> str:
        """Return the filter of the replays of all consumers."""
        return f"{self.root}/replay/+/{of}"

    def replay_request(self, consumer: str) -> str:
        """Return the topic on which a consumer requests what it missed."""
        return f"{self.root}/replay/{checked(consumer)}/request"

    def replay_reply(self, consumer: str) -> str:
        """Return the topic on which the end of each replay is published."""
        return f"{self.root}/replay/{checked(consumer)}/reply"

    @property
    def replay_replies(self) -> str:
        """Filter of the ends of all replays."""
        return f"{self.root}/replay/+/reply"

    @property
    def replay_requests(self) -> str:
        """Filter of all consumers' requests."""
        return f"{self.root}/replay/+/request"

    def consumer(self, topic: str) -> str | None:
        """Return the consumer of a position or replay request topic; None for any other topic."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["positions", name] | ["replay", name, "request"] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None


Half = Literal["field", "judge"]
HALVES: Final[tuple[Half, Half]] = ("field", "judge")


def publish_topics(topics: Topics, half: Half, judge: str) -> tuple[str, ...]:
    """Return the topics to which `half` publishes. `judge` is the name under which the judge stores positions."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (
            topics.events, topics.replies, topics.head, topics.device_statuses, topics.command_replies,
            topics.replays("log"),
        ),
        "judge": (
            topics.state, topics.irregularities, topics.reveals, topics.record, topics.position(judge),
            topics.commands, topics.replays("outputs"),
        ),
    }  # fmt: skip
    return (*own[half], topics.status(half), topics.replay_replies)


def subscribe_filters(topics: Topics, half: Half) -> tuple[str, ...]:
    """Return the filters to which `half` subscribes, in addition to its own status."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (topics.positions, topics.inputs, topics.state, topics.commands),
        "judge": (topics.events,),
    }
    return (*own[half], topics.head, topics.replay_requests)
