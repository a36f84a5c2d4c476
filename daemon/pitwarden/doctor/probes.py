"""Where the doctor publishes to see whether a login may, and what it listens to for that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pitwarden_client.events.topics import HALVES, Half, Topics, hears

_NOBODY: Final = "doctor"  # no device, terminal or consumer has this name, so what is sent there moves nothing


@dataclass(frozen=True, slots=True)
class Login:
    """The login of a table's service, or of `only` one half; `judge` is the name under which positions are stored."""

    topics: Topics
    judge: str
    only: Half | None = None

    def harmless(self) -> list[str]:
        """Topics that it writes and at which nobody listens by that name."""
        return list(dict.fromkeys(topic for half in self._halves for topic in _harmless(self.topics, half)))

    def own(self) -> list[str]:
        """Topics whose readers would take a probe for a message: tried only while the service does not run."""
        return [topic for half in self._halves for topic in self._own(half)]

    def beyond(self) -> list[str]:
        """Harmless topics that only the other half writes; none for a login of both."""
        ours = self.harmless()
        others = [topic for half in HALVES if half not in self._halves for topic in _harmless(self.topics, half)]
        return [topic for topic in others if topic not in ours]

    def listened(self) -> list[str]:
        """What to subscribe to: as much as it may hear, and what a running service has said of itself."""
        if self.only is None:
            return [f"{self.topics.root}/#"]
        devices = [self.topics.device_statuses] if self.only == "field" else []
        return [*hears(self.topics, self.only), *map(self.topics.status, HALVES), *devices]

    def comes_back(self, topic: str) -> bool:
        """Whether it hears what it publishes to `topic`."""
        return _covered(topic, self.listened())

    @property
    def _halves(self) -> tuple[Half, ...]:
        return HALVES if self.only is None else (self.only,)

    def _own(self, half: Half) -> list[str]:
        topics = self.topics
        return {
            "field": [topics.head, topics.status("field")],
            "judge": [
                topics.state, topics.irregularities, topics.reveals, topics.status("judge"),
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
    """Whether one of `filters` covers `topic`; of wildcards they have `+`, and `#` at the end."""
    named = topic.split("/")
    return any(_matches(each.split("/"), named) for each in filters)


def _matches(pattern: list[str], named: list[str]) -> bool:
    if pattern[-1] == "#":
        pattern, named = pattern[:-1], named[: len(pattern) - 1]
    return len(pattern) == len(named) and all(want in {"+", one} for want, one in zip(pattern, named, strict=True))
