"""The client on a real broker: inputs and their answers, links that are lost, statuses that go stale."""

import asyncio
from pathlib import Path

import pytest

from pitwarden_client import BrokerSettings, ConsumerConfig, LogItem, TableClient, connect
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.floor import FtTableOpen
from pitwarden_client.events.inputs import TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_client.events.status import DeviceStatus, LogHead, PartStatus
from pitwarden_client.state import SILENCE_MS, TableView
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S, until
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night

Night = tuple[PublishedMessage, ...]


@pytest.fixture
def messages() -> Night:
    return published_night("cb-auto", "1", 3, "shoe_jam")


def consumer(broker: MosquittoBroker, name: str = "pit") -> ConsumerConfig:
    return ConsumerConfig(BrokerSettings("127.0.0.1", broker.port), "silent", "cb-auto", name)


async def read(table: TableClient, rows: list[bytes]) -> None:
    async for item in table:
        rows += [item.body] if isinstance(item, LogItem) else []


@pytest.mark.broker
async def test_a_lost_broker_is_said_and_healed_and_nothing_is_missing(
    broker: MosquittoBroker, tmp_path: Path, messages: Night
) -> None:
    rows: list[bytes] = []
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table, connect(consumer(broker)) as events:
        reading = asyncio.create_task(read(events, rows), name="reading")
        await table.publish_next(100)
        await until(lambda: rows and not events.stale(), pause=0.01)
        assert events.now.device("shoe") is not None
        broker.kill()
        await until(lambda: any("connection" in reason for reason in events.stale()), pause=0.01)
        broker.start()
        await table.publish_next()
        await until(lambda: rows == table.rows, pause=0.01)
        over = ("the table's controller is offline", "the judge is offline")
        await until(lambda: events.caught_up and events.stale() == over, pause=0.01)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


@pytest.mark.broker
async def test_an_input_is_answered_and_one_that_is_not_is_a_timeout(
    broker: MosquittoBroker, tmp_path: Path, messages: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pitwarden_client.input_sender.ANSWER_S", PATIENCE_S)
    wanted = TerminalInput(id="i1", person="f1", as_of=None, act=FtTableOpen())
    async with replayed_table("cb-auto", messages, broker.port, tmp_path) as table, connect(consumer(broker)) as events:
        await until(lambda: not events.now.link_fault, pause=0.01)
        reply = await events.key("floor", "pad", wanted)
        assert (reply.accepted, reply.id) == (True, "i1")
        assert [each.id for _, each in table.keyed] == ["i1"]
    monkeypatch.setattr("pitwarden_client.input_sender.ANSWER_S", 1.0)
    async with connect(consumer(broker)) as events:
        await until(lambda: not events.now.link_fault, pause=0.01)
        first, second = await asyncio.gather(
            events.key("floor", "pad", wanted), events.key("floor", "pad", wanted), return_exceptions=True
        )
        assert isinstance(first, TimeoutError)
        assert isinstance(second, ValueError)
        assert "i1 is still under way" in str(second)


async def test_a_name_that_may_not_stand_in_a_topic_is_refused() -> None:
    with pytest.raises(ValueError, match="is no identifier"):
        async with connect(ConsumerConfig(BrokerSettings("nowhere"), "silent", "cb-auto", "a/b")):
            pass


async def test_a_cancellation_while_the_client_ends_is_not_lost() -> None:
    went_on = asyncio.Event()

    async def use() -> None:
        async with connect(ConsumerConfig(BrokerSettings("127.0.0.1", 1), "silent", "cb-auto", "pit")):
            pass
        went_on.set()

    using = asyncio.create_task(use(), name="using")
    await asyncio.sleep(0)
    using.cancel()
    await asyncio.wait({using})
    assert using.cancelled()
    assert not went_on.is_set()


def state(messages: Night) -> TableState:
    return decode(TableState, next(said.payload for said in reversed(messages) if said.channel.name == "state"))


def test_each_reason_for_which_a_state_is_stale_is_said(messages: Night) -> None:
    on, off = PartStatus(online=True, run="r"), PartStatus(online=False, run="r")
    newest = state(messages)
    now = TableView(link_fault="", field_half=on, judge_half=on, state=newest, heard_ms=1_000, log_ms=5)
    assert now.stale(1_000) == ()
    assert "said nothing for 26 s" in now.stale(2_000 + SILENCE_MS)[0]
    now.log_ms = newest.permit.expires_ms + 1
    assert now.stale(1_000) == ("the deal permit was not renewed",)
    now.log_ms = 5
    now.head = LogHead(at=Position(epoch=newest.as_of.epoch, number=newest.as_of.number + 51), hash="0" * 64)
    assert now.stale(1_000) == ("the judge is 51 rows behind",)
    now.head = LogHead(at=Position(epoch="next", number=1), hash="0" * 64)
    assert now.stale(1_000) == ("the state is from before the controller's last start",)
    now.devices = {"shoe": DeviceStatus(state="online", reason="")}
    shoe = now.device("shoe")
    assert shoe is not None
    assert shoe.state == "online"
    now.field_half = off
    shoe = now.device("shoe")
    assert shoe is not None
    assert shoe.state == "lost"
    assert now.device("reader") is None
    assert now.stale(1_000)[0] == "the table's controller is offline"
    now.state = None
    assert now.stale(1_000)[-1] == "there is no state of this table"


def test_an_older_state_of_the_same_epoch_is_not_taken(messages: Night) -> None:
    newest, now = state(messages), TableView()
    assert now.heard_state(newest)
    older = newest.model_copy(update={"as_of": Position(epoch=newest.as_of.epoch, number=1)})
    assert not now.heard_state(older)
    assert now.state == newest
    assert now.heard_state(older.model_copy(update={"as_of": Position(epoch="next", number=1)}))


def test_a_state_of_an_epoch_that_the_judge_left_is_not_taken(messages: Night) -> None:
    newest, now = state(messages), TableView()
    following = newest.model_copy(update={"as_of": Position(epoch="next", number=1)})
    assert now.heard_state(newest)
    assert now.heard_state(following)
    late = newest.as_of.model_copy(update={"number": newest.as_of.number + 1})
    assert not now.heard_state(newest.model_copy(update={"as_of": late}))
    assert now.state == following
