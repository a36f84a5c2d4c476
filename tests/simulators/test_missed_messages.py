"""What the demo missed while the broker was away comes before what came since: first the log, then the outputs."""

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.demo.missed import MissedMessages
from pitwarden_simulators.demo.watch import Watch
from testkit.clocks.fake_clock import FakeClock

TOPICS = Topics("demo-1", "ta01")
HASH = "ab" * 32


class Table(Watch):
    """Watch that knows its last row and output, and notes what it is given."""

    def __init__(self) -> None:
        super().__init__(TOPICS, FakeClock(), lambda _output: None)
        self.row, self.row_hash, self.output = Position(epoch="e1", number=7), HASH, (3, HASH)
        self.given: list[bytes] = []

    def message(self, message: InboundMessage) -> None:
        self.given.append(message.payload)


class Bench:
    def __init__(self) -> None:
        self.table = Table()
        self.requests: list[ReplayRequest] = []
        self.missed = MissedMessages(self.table, "demo", self.publish)

    def publish(self, topic: str, payload: bytes) -> None:
        assert topic == TOPICS.replay_request("demo")
        self.requests.append(decode(ReplayRequest, payload))

    def arrives(self, topic: str, payload: bytes) -> None:
        self.missed.message(InboundMessage(topic, payload, retained=False, ack=lambda: None))

    def ends(self, *, more: bool = False, refused: str = "", ident: str = "") -> None:
        reply = {"id": ident or self.requests[-1].id, "of": self.requests[-1].of, "more": more, "refused": refused}
        self.arrives(TOPICS.replay_reply("demo"), encode(ReplayReply.model_validate(reply)))


def test_while_nothing_is_missing_everything_passes_at_once() -> None:
    bench = Bench()
    bench.arrives(TOPICS.event("shoe", "shoe_card"), b"row")
    bench.arrives(TOPICS.reveals, b"reveal")
    assert bench.table.given == [b"row", b"reveal"]
    assert not bench.missed.missing


def test_what_was_missed_comes_before_what_arrived_since_and_the_log_before_the_outputs() -> None:
    bench = Bench()
    bench.missed.begin()
    bench.arrives(TOPICS.event("shoe", "shoe_card"), b"row 10")
    bench.arrives(TOPICS.irregularities, b"output 6")
    bench.arrives(TOPICS.state, b"state")
    bench.missed.request()
    bench.arrives(TOPICS.replay("demo", "log"), b"row 8")
    bench.ends(more=True)
    bench.arrives(TOPICS.replay("demo", "log"), b"row 9")
    bench.ends()
    bench.arrives(TOPICS.replay("demo", "outputs"), b"output 4")
    bench.ends()
    assert not bench.missed.missing
    assert bench.table.given == [b"state", b"row 8", b"row 9", b"row 10", b"output 4", b"output 6"]
    assert [(wanted.of, wanted.after, wanted.output, wanted.hash) for wanted in bench.requests] == [
        ("log", Position(epoch="e1", number=7), 0, HASH),
        ("log", Position(epoch="e1", number=7), 0, HASH),
        ("outputs", None, 3, HASH),
    ]


def test_the_end_of_an_older_request_and_a_busy_service_end_nothing() -> None:
    bench = Bench()
    bench.missed.begin()
    bench.missed.request()
    bench.missed.request()
    bench.ends(ident=bench.requests[0].id)
    bench.ends(refused="busy")
    bench.arrives(TOPICS.replay_reply("demo"), b"junk")
    assert bench.missed.missing
    assert bench.missed.refusal == ""


def test_a_refused_replay_is_named() -> None:
    bench = Bench()
    bench.missed.begin()
    bench.missed.request()
    bench.ends(refused="trimmed")
    assert "trimmed" in bench.missed.refusal
    assert not bench.missed.missing
