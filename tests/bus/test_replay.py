"""Replay for consumers: what is asked for comes byte for byte, bounded, and nothing else does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwarden.bus import replay
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.replay import ReplayServer
from pitwarden.field.outbound.delivery import LogReplaySource
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.judge.publisher import OutputReplaySource
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.status import ReplayReply, ReplayRequest
from pitwarden_client.events.table import Head
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import LinkDownError
from testkit.clocks.waiting import until
from testkit.journals.log_rows import log_of

TOPICS = Topics("site", "t1")
LOG = log_of(30, 40, 20)


class Bus:
    """Collects what is published; `down` refuses it."""

    def __init__(self) -> None:
        self.said: list[tuple[str, bytes]] = []
        self.down = False
        self.refused = 0

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> "asyncio.Future[None]":
        assert not retain
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.down:
            self.refused += 1
            done.set_exception(LinkDownError("down"))
            done.exception()
        else:
            self.said.append((topic, payload))
            done.set_result(None)
        return done

    def rows(self, consumer: str = "pit", of: str = "log") -> list[bytes]:
        return [payload for topic, payload in self.said if topic == f"{TOPICS.root}/replay/{consumer}/{of}"]

    def replies(self, consumer: str = "pit") -> list[ReplayReply]:
        return [decode(ReplayReply, body) for topic, body in self.said if topic == TOPICS.replay_reply(consumer)]


def asks(wanted: ReplayRequest, consumer: str = "pit", *, retained: bool = False) -> InboundMessage:
    return InboundMessage(TOPICS.replay_request(consumer), encode(wanted), retained, lambda: None)


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[ReplayServer, Bus]]:
    journal = await FieldJournal.open(folder / "field.sqlite")
    await journal.commit(LOG)
    bus = Bus()
    made = ReplayServer("log", TOPICS, LogReplaySource(journal), bus)
    task = asyncio.create_task(made.run())
    try:
        yield made, bus
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await journal.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "PAGE_S", 0)
    monkeypatch.setattr(replay, "PAGE_ROWS", 7)


@settings(max_examples=15, deadline=None)
@given(limits=st.lists(st.integers(1, 40), min_size=1, max_size=4))
def test_page_after_page_is_the_log_byte_for_byte(limits: list[int], tmp_path_factory: pytest.TempPathFactory) -> None:
    async def ask_for_all() -> None:
        async with served(tmp_path_factory.mktemp("replay")) as (desk, bus):
            after, held, asked = None, None, 0
            while not bus.replies() or bus.replies()[-1].more:
                limit = limits[asked % len(limits)]
                asked += 1
                desk.on_request(asks(ReplayRequest(id=f"q{asked}", of="log", after=after, hash=held, limit=limit)))
                await until(lambda: len(bus.replies()) == asked)  # noqa: B023  it is awaited here
                assert bus.replies()[-1].sent <= limit
                last = bus.rows()[-1]
                held = digest(last)
                after = next(row.at for row in LOG if row.hash == held)
            assert bus.rows() == [row.body for row in LOG]

    asyncio.run(ask_for_all())


async def test_a_position_of_another_log_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as (desk, bus):
        for held in (LOG[9].hash, None):
            desk.on_request(asks(ReplayRequest(id="q", of="log", after=LOG[10].at, hash=held, limit=5)))
            await until(bus.replies)
            assert bus.replies()[-1].refused == "not_ours"
        elsewhere = Position(epoch="elsewhere", number=1)
        desk.on_request(asks(ReplayRequest(id="r", of="log", after=elsewhere, hash=LOG[0].hash, limit=5)))
        await until(lambda: bus.replies()[-1].id == "r")
        assert bus.replies()[-1].refused == "not_ours"
        assert not bus.rows()


async def test_what_is_no_request_for_us_changes_nothing_but_junk_is_answered(tmp_path: Path) -> None:
    async with served(tmp_path) as (desk, bus):
        everything = ReplayRequest(id="q", of="log", limit=1_000)
        desk.on_request(asks(everything, retained=True))
        desk.on_request(asks(everything.model_copy(update={"of": "outputs"})))
        desk.on_request(InboundMessage(TOPICS.state, encode(everything), retained=False, ack=lambda: None))
        desk.on_request(InboundMessage(TOPICS.replay_request("pit"), b'{"id":NaN}', retained=False, ack=lambda: None))
        desk.on_request(asks(everything, "historian"))
        await until(lambda: bus.replies("historian"))
        assert [reply.refused for reply in bus.replies()] == ["unreadable"]
        assert not bus.rows()
        assert len(bus.rows("historian")) == len(LOG)


async def test_asking_without_end_is_bounded(tmp_path: Path) -> None:
    async with served(tmp_path) as (desk, bus):
        for n in range(100):
            desk.on_request(asks(ReplayRequest(id=f"q{n}", of="log", limit=3)))
        for n in range(replay.WAITING):
            desk.on_request(asks(ReplayRequest(id="q", of="log", limit=1), f"c{n}"))
        await until(lambda: bus.replies(f"c{replay.WAITING - 2}"))
        assert [reply.id for reply in bus.replies()] == ["q99"]  # the newest of one consumer, and only that
        assert [reply.refused for reply in bus.replies(f"c{replay.WAITING - 1}")] == ["busy"]


async def test_a_lost_link_ends_a_replay_and_the_next_one_is_served(tmp_path: Path) -> None:
    async with served(tmp_path) as (desk, bus):
        bus.down = True
        desk.on_request(asks(ReplayRequest(id="lost", of="log", limit=5)))
        await until(lambda: bus.refused)
        bus.down = False
        desk.on_request(asks(ReplayRequest(id="again", of="log", limit=5)))
        await until(bus.replies)
        assert [reply.id for reply in bus.replies()] == ["again"]


async def test_outputs_are_replayed_behind_the_one_that_the_consumer_names(tmp_path: Path) -> None:
    journal = await JudgeJournal.open(tmp_path / "judge.sqlite")
    bodies = [b'{"n":%d}' % n for n in range(1, 21)]
    outputs = [StoredOutput(n, LOG[0].at, n, digest(body), "t", body) for n, body in enumerate(bodies, 1)]
    first = LOG[0]
    await journal.store("site/t1", [ReceivedRow(first.at, first.hash, first.body)], outputs, log_head())
    bus = Bus()
    desk = ReplayServer("outputs", TOPICS, OutputReplaySource(journal, "site/t1"), bus)
    task = asyncio.create_task(desk.run())
    held = outputs[4].hash
    for number, (output, told) in enumerate([(0, None), (5, held), (6, held), (21, held)], 1):
        desk.on_request(asks(ReplayRequest(id=f"q{number}", of="outputs", output=output, hash=told, limit=30)))
        await until(lambda: len(bus.replies()) == number)  # noqa: B023  it is awaited here
    assert bus.rows(of="outputs") == bodies + bodies[5:]
    assert [reply.refused for reply in bus.replies()] == ["", "", "not_ours", "not_ours"]
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await journal.close()


def log_head() -> Head:
    return Head(at=LOG[0].at, hash=LOG[0].hash)
