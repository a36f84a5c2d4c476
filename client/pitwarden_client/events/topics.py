"""Every topic name, and which half may publish or subscribe to it.

Every topic, built and parsed here alone. Outside identifiers are validated before they get near a topic.

Tree: `pitwarden/v1/<site>/<table>/` and then what `Topics` says.

What each half of a table says and hears on the bus, as filters: the least right of its login at the broker.

The halves subscribe by it, the doctor tries it, and the shipped ACL for halves with a login each is held to it.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from pitwarden_client.events.inputs import Role

PREFIX: Final = "pitwarden/v1"
_IDENT: Final = re.compile(r"\A[A-Za-z0-9_-]{1,64}\Z")
ROLES: Final[tuple[Role, ...]] = ("dealer", "floor", "supervisor")


def checked(ident: str) -> str:
    """`ident` itself; ValueError when it may not be a topic segment."""
    if not _IDENT.match(ident):
        raise ValueError(f"{ident[:70]!r} is no identifier: use 1 to 64 of A-Z a-z 0-9 _ -")
    return ident


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one table."""

    site: str
    table: str

    def __post_init__(self) -> None:
        checked(self.site)
        checked(self.table)

    @property
    def root(self) -> str:
        """What all topics of the table begin with."""
        return f"{PREFIX}/{self.site}/{self.table}"

    def event(self, device: str, kind: str) -> str:
        """A live log row; `kind` has dots, as in `shoe.card`."""
        return f"{self.root}/events/{checked(device)}/{kind.replace('.', '_')}"

    @property
    def events(self) -> str:
        """The filter of all live log rows."""
        return f"{self.root}/events/+/+"

    def input(self, role: Role, terminal: str) -> str:
        """Where a terminal sends its inputs."""
        return f"{self.root}/inputs/{role}/{checked(terminal)}"

    @property
    def inputs(self) -> str:
        """The filter of all inputs."""
        return f"{self.root}/inputs/+/+"

    def reply(self, role: Role, terminal: str) -> str:
        """Where the answers to a terminal's inputs go."""
        return f"{self.input(role, terminal)}/replies"

    @property
    def replies(self) -> str:
        """The filter of all answers to terminals."""
        return f"{self.inputs}/replies"

    def role_and_terminal(self, topic: str) -> tuple[Role, str] | None:
        """The role and terminal of an input topic; None when it is none of this table's."""
        parts = topic.removeprefix(f"{self.root}/inputs/").split("/")
        if not topic.startswith(f"{self.root}/inputs/") or len(parts) != 2:  # noqa: PLR2004  role and terminal
            return None
        for role in ROLES:
            if parts[0] == role and _IDENT.match(parts[1]):
                return role, parts[1]
        return None

    @property
    def state(self) -> str:
        """The retained state of the table, the judge's alone."""
        return f"{self.root}/state"

    @property
    def irregularities(self) -> str:
        """Irregularities, duties, notices, refusals, failed checks."""
        return f"{self.root}/irregularities"

    @property
    def reveals(self) -> str:
        """Cards and reader answers that became public, and what they make of each wager."""
        return f"{self.root}/reveals"

    def status(self, part: str) -> str:
        """Retained: `field` or `judge` is online or offline."""
        return f"{self.root}/status/{checked(part)}"

    @property
    def head(self) -> str:
        """Retained: the head of the log, so that a cut-off tail shows."""
        return f"{self.root}/head"

    def device_status(self, device: str) -> str:
        """Retained: online, stale or lost."""
        return f"{self.root}/devices/{checked(device)}/status"

    @property
    def device_statuses(self) -> str:
        """The filter of all devices' statuses."""
        return f"{self.root}/devices/+/status"

    def device_of_status(self, topic: str) -> str | None:
        """The device that a status topic names; None when it is no device's, or none of this table's."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["devices", name, "status"] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None

    def command(self, device: str) -> str:
        """Commands to a device, the judge's login alone."""
        return f"{self.root}/commands/{checked(device)}"

    def command_reply(self, device: str) -> str:
        """Where the answers to a device's commands go."""
        return f"{self.command(device)}/replies"

    @property
    def commands(self) -> str:
        """The filter of all commands."""
        return f"{self.root}/commands/+"

    @property
    def command_replies(self) -> str:
        """The filter of all answers to commands."""
        return f"{self.commands}/replies"

    def commanded(self, topic: str) -> str | None:
        """The device that a command's topic names; None when it is no command, or none of this table's."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["commands", name] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None

    def position(self, consumer: str) -> str:
        """Retained: up to where a durable consumer has stored the log."""
        return f"{self.root}/positions/{checked(consumer)}"

    @property
    def positions(self) -> str:
        """The filter of all consumers' positions."""
        return f"{self.root}/positions/+"

    def replay(self, consumer: str, of: Literal["log", "outputs"]) -> str:
        """Rows of the log or outputs that a consumer asked for, as they were committed."""
        return f"{self.root}/replay/{checked(consumer)}/{of}"

    def replays(self, of: Literal["log", "outputs"]) -> str:
        """The filter of what all consumers asked for."""
        return f"{self.root}/replay/+/{of}"

    def replay_request(self, consumer: str) -> str:
        """Where a consumer asks for what it missed."""
        return f"{self.root}/replay/{checked(consumer)}/request"

    def replay_reply(self, consumer: str) -> str:
        """Where the end of each replay is said."""
        return f"{self.root}/replay/{checked(consumer)}/reply"

    @property
    def replay_replies(self) -> str:
        """The filter of the ends of all replays."""
        return f"{self.root}/replay/+/reply"

    @property
    def replay_requests(self) -> str:
        """The filter of all consumers' requests."""
        return f"{self.root}/replay/+/request"

    def consumer(self, topic: str) -> str | None:
        """Whose position or replay request `topic` is; None when it is neither, or not of this table."""
        match topic.removeprefix(f"{self.root}/").split("/"):
            case ["positions", name] | ["replay", name, "request"] if topic.startswith(self.root):
                return name if _IDENT.match(name) else None
            case _:
                return None


Half = Literal["field", "judge"]
HALVES: Final[tuple[Half, Half]] = ("field", "judge")


def publish_topics(topics: Topics, half: Half, judge: str) -> tuple[str, ...]:
    """Where `half` publishes; `judge` is the name under which the judge stores positions."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (
            topics.events, topics.replies, topics.head, topics.device_statuses, topics.command_replies,
            topics.replays("log"),
        ),
        "judge": (
            topics.state, topics.irregularities, topics.reveals, topics.position(judge), topics.commands,
            topics.replays("outputs"),
        ),
    }  # fmt: skip
    return (*own[half], topics.status(half), topics.replay_replies)


def subscribe_filters(topics: Topics, half: Half) -> tuple[str, ...]:
    """What `half` subscribes to, beside its own status."""
    own: dict[Half, tuple[str, ...]] = {
        "field": (topics.positions, topics.inputs, topics.state, topics.commands),
        "judge": (topics.events,),
    }
    return (*own[half], topics.head, topics.replay_requests)
