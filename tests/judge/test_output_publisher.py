"""Outputs are published in order, never again once acknowledged, and survive a lost link."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.judge import publisher as pump_module
from pitwarden.judge.publisher import OutputPublisher
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from pitwarden_client.mqtt.errors import LinkDownError, PublishRefusedError
from testkit.clocks.waiting import PATIENCE_S, until


class Bus:
    """A broker that the test lets fail."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.fault: Exception | None = None

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.fault is not None:
            answer.set_exception(self.fault)
        else:
            self.heard.append(payload if not retain else topic.encode() + b"=" + payload)
            answer.set_result(None)
        return answer


@dataclass(frozen=True)
class Follower:
    refused: list[str]

    def publishing_refused(self, reason: str) -> None:
        self.refused.append(reason)

    def state_published(self, state: bytes) -> None:
        assert state


class Bench:
    def __init__(self, journal: JudgeJournal, bus: Bus, pump: OutputPublisher, refused: list[str]) -> None:
        self.journal, self.bus, self.pump, self.refused = journal, bus, pump, refused
        self.seq = 0

    async def say(self, count: int, state: bytes | None = None) -> None:
        """Commit `count` more outputs and pass them to the publisher."""
        rows = []
        for _ in range(count):
            self.seq += 1
            body = b"%d" % self.seq
            rows.append(StoredOutput(self.seq, Position(epoch="e", number=self.seq), 0, digest(body), "t", body))
        at = Position(epoch="e", number=self.seq)
        received = [ReceivedRow(row.cause, row.hash, row.body) for row in rows]
        await self.journal.store("s/t", received, rows, Head(at=at, hash=rows[-1].hash))
        self.pump.push(rows, state)


@asynccontextmanager
async def bench(folder: Path, bus: Bus) -> AsyncIterator[Bench]:
    journal = await JudgeJournal.open(folder / "judge.sqlite")
    refused: list[str] = []
    pump = OutputPublisher(journal, "s/t", "state", bus, Follower(refused))
    await pump.start()
    task = asyncio.create_task(pump.run())
    made = Bench(journal, bus, pump, refused)
    last = await journal.last_output("s/t")
    made.seq = 0 if last is None else last.seq
    try:
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await journal.close()


async def test_order_and_the_state_behind_the_outputs(tmp_path: Path) -> None:
    bus = Bus()
    async with bench(tmp_path, bus) as b:
        await b.say(3, b"old")
        assert bus.heard == []
        b.pump.link(up=True)
        await until(lambda: len(bus.heard) == 4)
        await b.say(450, b"new")
        await until(lambda: len(bus.heard) == 455)
        assert bus.heard[:4] == [b"1", b"2", b"3", b"state=old"]
        assert bus.heard[4:] == [b"%d" % n for n in range(4, 454)] + [b"state=new"]


async def test_a_lost_link_costs_nothing(tmp_path: Path) -> None:
    bus = Bus()
    async with bench(tmp_path, bus) as b:
        b.pump.link(up=True)
        await b.say(2)
        await until(lambda: len(bus.heard) == 2)
        bus.fault = LinkDownError("gone")
        await b.say(2, b"s")
        await asyncio.sleep(0)
        b.pump.link(up=False)
        await b.say(1)
        bus.fault = None
        b.pump.link(up=True)
        await until(lambda: bus.heard[-1:] == [b"state=s"])
        assert bus.heard == [b"1", b"2", b"3", b"4", b"5", b"state=s"]


async def test_a_restart_says_the_rest_and_only_the_rest(tmp_path: Path) -> None:
    bus = Bus()
    async with bench(tmp_path, bus) as b:
        b.pump.link(up=True)
        await b.say(2)
        await until(lambda: len(bus.heard) == 2)
        while await b.journal.published("s/t") < 2:
            pass
        b.pump.link(up=False)
        await b.say(3)
    async with bench(tmp_path, bus) as b:
        b.pump.link(up=True)
        await until(lambda: len(bus.heard) == 5)
        assert bus.heard == [b"1", b"2", b"3", b"4", b"5"]


async def test_a_refused_topic_is_said_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pump_module, "REFUSED_RETRY_S", 0.001)
    bus = Bus()
    bus.fault = PublishRefusedError("no write line")
    async with bench(tmp_path, bus) as b:
        b.pump.link(up=True)
        await b.say(1, b"s")
        await until(lambda: b.refused)
        bus.fault = None
        await until(lambda: len(bus.heard) == 2)
        assert bus.heard == [b"1", b"state=s"]
        assert b.refused[0] == "no write line"


async def test_a_task_that_waits_for_the_broker_continues_once_it_has_all_or_stays_silent(tmp_path: Path) -> None:
    answers: list[asyncio.Future[None]] = []

    class Slow(Bus):
        def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> asyncio.Future[None]:
            self.heard.append(payload if not retain else topic.encode())
            answers.append(asyncio.get_running_loop().create_future())
            return answers[-1]

    async with bench(tmp_path, Slow()) as made:
        await made.pump.wait_acknowledged(PATIENCE_S)  # nothing is on its way
        made.pump.link(up=True)
        await made.say(2)
        await made.pump.wait_acknowledged(0)
        assert not any(answer.done() for answer in answers)
        waiting = asyncio.create_task(made.pump.wait_acknowledged(PATIENCE_S))
        await until(lambda: len(answers) == 2)
        answers[0].set_result(None)
        await asyncio.sleep(0)
        assert not waiting.done()
        answers[1].set_result(None)
        await asyncio.wait_for(waiting, PATIENCE_S)
