"""Dispatch of a table's messages by topic: to the chains, the view of the current state, and pending inputs."""

from collections.abc import Callable
from typing import TypeVar

from pitwarden_client.events.base import Record
from pitwarden_client.events.codec import BadPayloadError, decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import DeviceStatus, LogHead, PartStatus, ReplayReply
from pitwarden_client.events.table import Head
from pitwarden_client.events.topics import Topics
from pitwarden_client.follower import Follower
from pitwarden_client.state import TableView, VersionMonitor

R = TypeVar("R", bound=Record)


def subscription_filters(topics: Topics, name: str, versions: VersionMonitor) -> list[str]:
    """Return the filters to which the consumer `name` subscribes."""
    return [
        topics.events, topics.irregularities, topics.reveals, topics.state, topics.head,
        topics.device_statuses, *versions.filters, topics.replay(name, "log"),
        topics.replay(name, "outputs"), topics.replay_reply(name),
    ]  # fmt: skip


class MessageRouter:
    """Dispatch of every message by its topic. Forged messages and those of a later version end here.

    An empty message deletes a retained one: its content is not valid any more.
    """

    def __init__(
        self,
        topics: Topics,
        name: str,
        *,
        follower: Follower,
        now: TableView,
        versions: VersionMonitor,
        answered: Callable[[InputReply], None],
    ) -> None:
        self._topics, self._name = topics, name
        self._follower, self._now, self._versions, self._answered = follower, now, versions, answered

    def on_message(self, topic: str, payload: bytes, now_ms: int) -> None:
        """Handle a message; `now_ms` is the time of the clock that measures staleness."""
        topics, name = self._topics, self._name
        if topic.startswith(f"{topics.root}/events/"):
            self._row(payload, now_ms)
        elif topic in {topics.irregularities, topics.reveals}:
            self._follower.output(payload, now_ms)
        elif topic == topics.replay(name, "log"):
            self._follower.row(payload, now_ms, replayed=True)
        elif topic == topics.replay(name, "outputs"):
            self._follower.output(payload, now_ms, replayed=True)
        elif topic == topics.replay_reply(name):
            reply = _read(ReplayReply, payload)
            if reply is not None:
                self._follower.reply(reply, now_ms)
        elif topic.endswith("/replies"):
            answer = _read(InputReply, payload)
            if answer is not None:
                self._answered(answer)
        else:
            self._retained(topic, payload)

    def _row(self, payload: bytes, now_ms: int) -> None:
        event = _read(LogEvent, payload)
        if event is not None:
            self._now.heard_row(event.logms, now_ms)
        self._follower.row(payload, now_ms)

    def _retained(self, topic: str, payload: bytes) -> None:
        topics = self._topics
        if topic == topics.state:
            state = _read(TableState, payload)
            if not payload:
                self._now.state = None
            elif state is not None and self._now.heard_state(state):
                self._follower.outputs_reach(state.outputs)
        elif topic == topics.head:
            head = _read(LogHead, payload)
            if not payload:
                self._now.head = None
            elif head is not None:
                self._now.head = head
                self._follower.head(Head(at=head.at, hash=head.hash))
        else:
            self._status(topic, payload)

    def _status(self, topic: str, payload: bytes) -> None:
        topics = self._topics
        device = topics.device_of_status(topic)
        if device is not None:
            status = _read(DeviceStatus, payload)
            if not payload:
                self._now.devices = {name: said for name, said in self._now.devices.items() if name != device}
            elif status is not None:
                self._now.devices = {**self._now.devices, device: status}
            return
        self._versions.on_status(topic, payload)
        if topic == topics.status("field"):
            self._now.field_half = _read(PartStatus, payload)
        elif topic == topics.status("judge"):
            self._now.judge_half = _read(PartStatus, payload)


def _read(model: type[R], payload: bytes) -> R | None:
    """Return the payload as `model`; None for an empty or forged message, and for one of a later version."""
    try:
        return decode(model, payload)
    except BadPayloadError:
        return None
