"""Captured night published again over a real broker, step by step, with real journals and replays."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden.bus.replay import ReplayServer
from pitwarden.field.log.epochs import CheckpointSigner
from pitwarden.field.log.retention import ConsumerPositions
from pitwarden.field.outbound.delivery import LogReplaySource
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import NewRow, ReceivedRow, StoredOutput
from pitwarden.judge.publisher import OutputReplaySource
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode, digest, encode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.status import ConsumerPosition
from pitwarden_client.events.table import Head
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import BusError
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.simulation.halves import SITE
from testkit.consumers.published_night import PublishedMessage
from testkit.journals.sealed_rows import SIGNER
from testkit.journals.stored_night import PLACE

TERMINALS = frozenset({"inputs", "replies", "positions"})


class ReplayedTable:
    """Publisher of the `messages` of `table`, without the terminal inputs of that night."""

    def __init__(
        self,
        table: str,
        messages: Sequence[PublishedMessage],
        field: FieldJournal,
        judge: JudgeJournal,
        consumers: tuple[str, ...] = (),
    ) -> None:
        self.topics = Topics(SITE, table)
        self.left = [each for each in messages if each.channel.name not in TERMINALS]
        self.rows: list[bytes] = []
        self.outputs: list[bytes] = []
        self.keyed: list[tuple[str, TerminalInput]] = []
        self.link: Link | None = None
        self._table, self._field, self._judge = table, field, judge
        self._consumers, self._positions = consumers, ConsumerPositions(field, consumers)
        self._last: Head | None = None
        self.up = asyncio.Event()

    async def publish_next(
        self, most: int = 1_000_000, until: Callable[[PublishedMessage], bool] = lambda _said: False
    ) -> PublishedMessage | None:
        """Publish the next `most` messages, or up to and with the first that `until` accepts; return that one."""
        for _ in range(min(most, len(self.left))):
            said = self.left.pop(0)
            await self._store(said)
            await self.publish(said.topic, said.payload, retain=said.channel.retained)
            if until(said):
                return said
        return None

    async def trim(self) -> int:
        """Delete what the durable consumers have stored, or all rows but one without them. Return how many are left."""
        positions = await self._field.positions()
        place = min((positions.get(name, 0) for name in self._consumers), default=self._field.place - 1)
        done = 0 if self._field.trimmed is None else self._field.trimmed.place
        if place > done:
            [last] = await self._field.rows_after(place - 1, 1)
            await self._field.trim(CheckpointSigner(SIGNER, PLACE).sign(last.place, last.head, "trimmed"))
        return self._field.place - max(place, done)

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish one message, again after a lost link, as the real halves do."""
        assert self.link is not None
        while True:
            await self.up.wait()
            try:
                return await self.link.publish(topic, payload, retain=retain)
            except BusError:
                await asyncio.sleep(0.01)

    async def _store(self, said: PublishedMessage) -> None:
        if said.channel.name == "events" and said.payload not in self.rows:
            row = decode(LogEvent, said.payload)
            at = Position(epoch=row.epoch, number=row.tableseq)
            await self._field.commit([NewRow(at, digest(said.payload), row.prevhash, said.topic, said.payload)])
            self._last = Head(at=at, hash=digest(said.payload))
            received = [ReceivedRow(at, self._last.hash, said.payload)]
            await self._judge.store(self._table, received, [], self._last)
            self.rows.append(said.payload)
        elif said.channel.name in {"irregularities", "reveals"} and said.payload not in self.outputs:
            output = decode(OutputEvent, said.payload)
            cause = Position(epoch=output.epoch, number=output.tableseq)
            stored = StoredOutput(output.outputseq, cause, output.index, digest(said.payload), said.topic, said.payload)
            assert self._last is not None
            await self._judge.store(self._table, [], [stored], self._last)
            self.outputs.append(said.payload)

    def _up(self, _session: bool) -> None:  # noqa: FBT001  the link's callback
        self.up.set()

    def _down(self, _fault: BusError) -> None:
        self.up.clear()

    async def run(self, broker: BrokerSettings) -> None:
        """Answer replay requests and inputs, and store positions, until cancelled."""
        self.link = Link(
            broker, f"told-{self._table}", None,
            [self.topics.replay_requests, self.topics.inputs, self.topics.positions],
            on_message=self._heard, on_up=self._up, on_down=self._down, retry=LinkBackoff(),
        )  # fmt: skip
        self._desks = [
            ReplayServer("log", self.topics, LogReplaySource(self._field), self.link),
            ReplayServer("outputs", self.topics, OutputReplaySource(self._judge, self._table), self.link),
        ]
        async with asyncio.TaskGroup() as group:
            for coroutine in (self.link.run(), self._positions.turns.run(), *(desk.run() for desk in self._desks)):
                group.create_task(coroutine, name="told table")

    def _heard(self, message: InboundMessage) -> None:
        message.ack()
        assert self.link is not None
        whose = self.topics.role_and_terminal(message.topic)
        if whose is not None:
            wanted = decode(TerminalInput, message.payload)
            self.keyed.append((whose[0], wanted))
            answer = InputReply(id=wanted.id, accepted=True, number=len(self.rows) + len(self.keyed))
            self.link.publish(self.topics.reply(*whose), encode(answer))
            return
        if message.topic.startswith(f"{self.topics.root}/positions/"):
            stored = decode(ConsumerPosition, message.payload)
            self._positions.on_position(self.topics.consumer(message.topic), stored)
            return
        for desk in self._desks:
            desk.on_request(message)


@asynccontextmanager
async def replayed_table(
    table: str, messages: Sequence[PublishedMessage], port: int, folder: Path, consumers: tuple[str, ...] = ()
) -> AsyncIterator[ReplayedTable]:
    """Yield a connected table that has published nothing yet, and trims no row that `consumers` have not stored."""
    field = await FieldJournal.open(folder / "field.sqlite")
    judge = await JudgeJournal.open(folder / "judge.sqlite")
    made = ReplayedTable(table, messages, field, judge, consumers)
    running = asyncio.create_task(made.run(BrokerSettings("127.0.0.1", port)), name="told")
    try:
        await made.up.wait()
        yield made
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await field.close()
        await judge.close()
