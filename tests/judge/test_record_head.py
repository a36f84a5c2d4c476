"""The end of the record is published at most once a second; a topic that is refused is reported once."""

import asyncio

from structlog.testing import capture_logs

from pitwarden.journal.records import StoredOutput
from pitwarden.judge.persistence import JudgeSigner
from pitwarden.judge.record_head import HEAD_MS, RecordHeadPublisher
from pitwarden.seal.keys import PrivateKey
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.status import RecordHead
from pitwarden_client.events.table import Head
from pitwarden_client.mqtt.errors import LinkDownError, PublishRefusedError
from testkit.clocks.fake_clock import FakeClock


class Bus:
    """A broker that the test lets refuse."""

    def __init__(self) -> None:
        self.heads: list[RecordHead] = []
        self.fault: Exception | None = None

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        assert (topic, retain) == ("t/record", True)
        self.heads.append(decode(RecordHead, payload))
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.fault is None:
            answer.set_result(None)
        else:
            answer.set_exception(self.fault)
        return answer


class Bench:
    def __init__(self) -> None:
        self.bus, self.clock = Bus(), FakeClock()
        signer = JudgeSigner((PrivateKey.generate(),), "s", "t")
        self.publisher = RecordHeadPublisher(signer, self.bus, "t/record", self.clock)
        self.number = 0

    def commit(self, *outputs: int) -> None:
        self.number += 1
        at = Position(epoch="e1", number=self.number)
        stored = [StoredOutput(seq, at, 0, f"{seq:064x}", "t", b"") for seq in outputs]
        self.publisher.committed(Head(at=at, hash=f"{self.number:064x}"), stored)

    @property
    def told(self) -> list[tuple[int, int]]:
        return [(head.at.number, head.output) for head in self.bus.heads]


async def test_at_most_one_a_second_with_the_newest_output() -> None:
    bench = Bench()
    bench.publisher.publish()
    assert bench.told == [], "nothing is judged yet"
    bench.commit()
    bench.commit(1, 2)
    assert bench.told == [(1, 0)]
    bench.clock.pass_ms(HEAD_MS)
    bench.commit()
    bench.commit(3)
    assert bench.told == [(1, 0), (3, 2)]
    bench.publisher.publish()
    assert bench.told[-1] == (4, 3)


async def test_a_refused_topic_is_reported_once_and_again_after_it_was_taken() -> None:
    bench = Bench()
    bench.bus.fault = PublishRefusedError("not in the access list")
    with capture_logs() as lines:
        for fault in (bench.bus.fault, bench.bus.fault, LinkDownError("lost"), None, bench.bus.fault):
            bench.bus.fault = fault
            bench.clock.pass_ms(HEAD_MS)
            bench.commit()
            await asyncio.sleep(0)
    assert [line["event"] for line in lines] == ["publish refused", "publish refused"]
    assert {line["topic"] for line in lines} == {"t/record"}
