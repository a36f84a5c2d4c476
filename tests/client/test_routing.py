"""What a message on a topic of the table does, and that none of them ends the client."""

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import Permit, TableState
from pitwarden_client.events.status import DeviceStatus, LogHead, PartStatus
from pitwarden_client.events.topics import Topics
from pitwarden_client.follower import Follower
from pitwarden_client.items import Cursor
from pitwarden_client.router import MessageRouter
from pitwarden_client.state import TableView, VersionMonitor

TOPICS = Topics("silent", "cb-auto")


class Routed:
    """A routing and all that it hands messages to."""

    def __init__(self) -> None:
        self.now = TableView()
        self.follower = Follower("/silent/cb-auto/", Cursor(), "oldest", lambda: "q")
        self.answers: list[InputReply] = []
        self._routing = MessageRouter(
            TOPICS,
            "pit",
            follower=self.follower,
            now=self.now,
            versions=VersionMonitor(TOPICS),
            answered=self.answers.append,
        )

    def hear(self, topic: str, payload: bytes) -> None:
        self._routing.on_message(topic, payload, 1_000)


@pytest.mark.parametrize("name", ["x" * 65, "a b", "sho\u00e9", "$", ""])
def test_a_status_of_what_cannot_be_a_device_is_passed_over(name: str) -> None:
    routed = Routed()
    routed.hear(f"{TOPICS.root}/devices/{name}/status", encode(DeviceStatus(state="online", reason="")))
    assert routed.now.devices == {}


@pytest.mark.parametrize(
    "topic",
    [
        TOPICS.event("shoe", "shoe.card"), TOPICS.irregularities, TOPICS.reveals, TOPICS.state, TOPICS.head,
        TOPICS.device_status("shoe"), TOPICS.status("field"), TOPICS.status("judge"), TOPICS.replay_reply("pit"),
        TOPICS.replay("pit", "log"), TOPICS.replay("pit", "outputs"), TOPICS.reply("floor", "pad"),
        "pitwarden/v2/silent/cb-auto/status/field", "pitwarden", "",
    ],
)  # fmt: skip
@pytest.mark.parametrize("payload", [b"", b"{}", b"[1]", b"\xff", b'{"id":1}'])
def test_garbage_on_any_topic_changes_nothing(topic: str, payload: bytes) -> None:
    routed = Routed()
    routed.hear(topic, payload)
    assert (routed.now, list(routed.follower.items), routed.answers) == (TableView(), [], [])


def test_a_retained_message_that_is_taken_away_says_nothing_any_more() -> None:
    routed, head = Routed(), Position(epoch="e1", number=7)
    shown = TableState(
        as_of=head, outputs=0, game="three-card-blitz", round=1, in_round=False,
        permit=Permit(granted=True, reasons=(), expires_ms=0),
        irregularities=(), duties=(), rules_version="1", profile_digest="0" * 64, simulated=True,
    )  # fmt: skip
    said = {
        TOPICS.state: encode(shown), TOPICS.head: encode(LogHead(at=head, hash="0" * 64)),
        TOPICS.device_status("shoe"): encode(DeviceStatus(state="online", reason="")),
        TOPICS.status("judge"): encode(PartStatus(online=True, run="r1")),
    }  # fmt: skip
    for topic, payload in said.items():
        routed.hear(topic, payload)
    assert (routed.now.state, [*routed.now.devices]) == (shown, ["shoe"])
    for topic in said:
        routed.hear(topic, b"")
    assert routed.now == TableView()


def test_a_status_and_an_answer_reach_those_who_wait_for_them() -> None:
    routed, answer = Routed(), InputReply(id="i1", accepted=True)
    routed.hear(TOPICS.reply("floor", "pad"), encode(answer))
    routed.hear(TOPICS.device_status("shoe"), encode(DeviceStatus(state="online", reason="")))
    assert routed.answers == [answer]
    assert [*routed.now.devices] == ["shoe"]
