import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.sender import LogSender
from pitwarden.journal.field_journal import FieldJournal
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, encode
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.table import Head
from testkit.brokers.clients import LinkClient, link_client, settings
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.clocks.waiting import PATIENCE_S
from testkit.journals.log_rows import SOURCE, RowWriter

pytestmark = pytest.mark.broker

POSITION = "positions/judge"


class Field:
    """The field half's end, as small as it can be: a journal, a sender, a link."""

    def __init__(self, journal: FieldJournal) -> None:
        self.journal = journal
        self.sender = LogSender(journal.place)
        self.writer = RowWriter(journal.head)
        self.news = asyncio.Event()
        self._heard: list[ConsumerPosition] = []
        self._was_up = False

    def hear(self, message: InboundMessage) -> None:
        message.ack()
        self._heard.append(decode(ConsumerPosition, message.payload))
        self.news.set()

    async def log(self, count: int) -> None:
        """Commit a number of rows, a few in a group."""
        for _ in range(count):
            row, self.writer = self.writer.open("e1") if self.writer.head is None else self.writer.write()
            await self.journal.commit([row])
            self.sender.committed(self.journal.place)
            self.news.set()

    async def pump(self, we: LinkClient) -> None:
        """Send what is due until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            self.news.clear()
            now = int(loop.time() * 1_000)
            if we.link.up != self._was_up:
                self._was_up = we.link.up
                self.sender.link(up=we.link.up)
            for said in self._heard:
                place = 0
                if said.at is not None and said.hash is not None:
                    found = await self.journal.locate(said.at, said.hash)
                    assert found is not None
                    place = found
                self.sender.on_position(place, hello=said.hello, now=now)
            self._heard.clear()
            batch = self.sender.batch(now)
            if batch is not None:
                for row in await self.journal.rows_after(batch.after, batch.limit):
                    we.link.publish(f"events/{row.topic}", row.body)
                    self.sender.sent(row.place, now)
            wake = self.sender.wake_at(now)
            try:
                async with asyncio.timeout(0.1 if wake is None else min(0.1, (wake - now) / 1_000)):
                    await self.news.wait()
            except TimeoutError:
                continue


class Judge:
    """The judge's end: `stored` stands for its journal and survives it."""

    def __init__(self, stored: list[tuple[Position, str]]) -> None:
        self.stored, self._news = stored, asyncio.Event()
        last = Head(at=stored[-1][0], hash=stored[-1][1]) if stored else None
        self.receiver = LogReceiver(last, {at.epoch for at, _ in stored}, SOURCE)
        self.person: LinkClient | None = None

    def hear(self, message: InboundMessage) -> None:
        taken = self.receiver.take(message.payload)
        assert (taken.forked, taken.garbage) == (None, None)
        for row in taken.rows:
            self.stored.append((row.at, row.hash))
            self.receiver.committed(row.head)
        message.ack()
        self.say(hello=False)
        self._news.set()

    def say(self, *, hello: bool) -> None:
        if self.person is not None:
            self.person.link.publish(POSITION, encode(self.receiver.position(hello=hello)))

    async def has_stored(self, count: int) -> None:
        """Wait for this number of rows."""
        async with asyncio.timeout(PATIENCE_S):
            while len(self.stored) < count:
                self._news.clear()
                await self._news.wait()

    @asynccontextmanager
    async def at_work(self, port: int) -> AsyncIterator[LinkClient]:
        async with link_client(settings(port), "judge", ("events/#",), self.hear) as we:
            self.person = we
            up = we.notes.up

            def came_up(session_present: bool) -> None:  # noqa: FBT001  the callback's signature
                up(session_present)
                self.say(hello=True)

            we.link._on_up = came_up  # noqa: SLF001  the link is made before the judge that hears it
            yield we


@pytest.mark.slow
@pytest.mark.parametrize(("killed", "kills"), [("broker", 4), ("judge", 4), ("broker frozen", 2)])
async def test_a_night_of_kills_loses_nothing_repeats_nothing_and_keeps_the_order(
    tmp_path: Path, killed: str, kills: int
) -> None:
    want = 800
    stored: list[tuple[Position, str]] = []
    journal = await FieldJournal.open(tmp_path / "log")
    with MosquittoBroker(tmp_path / "b") as broker:
        field = Field(journal)
        async with (
            link_client(settings(broker.port, keepalive=2), "field", (POSITION,), field.hear) as we,
            asyncio.TaskGroup() as group,
        ):
            pump = group.create_task(field.pump(we), name="pump")
            load = group.create_task(field.log(want), name="load")
            for kill in range(1, kills + 1):
                judge = Judge(stored)
                async with judge.at_work(broker.port) as its:
                    await its.is_up()
                    await judge.has_stored(kill * want // (kills + 2))
                    await _harm(broker, killed, its)
            last = Judge(stored)
            async with last.at_work(broker.port):
                await last.has_stored(want)
            await load
            pump.cancel()
    rows = await journal.rows_after(0, want + 1)
    assert stored == [(row.at, row.hash) for row in rows]
    assert len(stored) == want
    await journal.close()


async def _harm(broker: MosquittoBroker, killed: str, judge: LinkClient) -> None:
    if killed == "judge":
        return
    if killed == "broker":
        broker.kill()
        await judge.until(downs=1)
        broker.start()
    else:
        broker.freeze()
        judge.link.publish("nothing", b"x")
        await judge.until(downs=1)
        broker.thaw()
    await judge.is_up()
