"""The client: one table over MQTT, every row and output once and in order, through lost links and restarts."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final, Self, TypeVar

from pitwarden.bus.faults import BusError
from pitwarden.bus.link import Link
from pitwarden.bus.message import Message
from pitwarden.bus.retry import LinkRetry
from pitwarden.bus.settings import BrokerSettings
from pitwarden.client.faults import VersionRefusedError
from pitwarden.client.follower import Follower
from pitwarden.client.items import Cursor, Item
from pitwarden.client.logs import Start
from pitwarden.client.now import TableNow
from pitwarden.client.trust import signed_by
from pitwarden.client.versions import Versions
from pitwarden.events.base import Record
from pitwarden.events.codec import BadPayloadError, decode, encode
from pitwarden.events.envelope import LogEvent
from pitwarden.events.inputs import InputReply, Role, TerminalInput
from pitwarden.events.outputs import TableState
from pitwarden.events.status import DeviceStatus, LogHead, PartStatus, ReplayReply
from pitwarden.events.table import Head
from pitwarden.events.topics import Topics, checked

TICK_S: Final = 0.25
RETRY_S: Final = 1.0
ANSWER_S: Final = 8.0

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class Consumer:
    """Who reads what: a table of a site, the consumer's own `name`, and where it stands.

    Without a cursor it starts at the oldest row that is kept, or at what comes `now`. With `follow` false, iteration
    ends once all that was said before has been given out.
    """

    broker: BrokerSettings
    site: str
    table: str
    name: str
    cursor: Cursor = Cursor()  # noqa: RUF009  a frozen record
    start: Start = "oldest"
    follow: bool = True
    trusted: tuple[str, ...] = ()
    """The field half's public keys, in hexadecimal: an epoch that none of them signed is passed over as garbage.

    What is read in the midst of an epoch, before the first opening, rests on the broker's rights alone.
    """


class Table:
    """One table as a consumer sees it; made by `connect`. `async for item in table` gives items; `now` is its state."""

    def __init__(self, consumer: Consumer, client_id: str, on_change: Callable[[], None]) -> None:
        self.topics = Topics(consumer.site, consumer.table)
        self.now = TableNow()
        self._consumer, self._on_change = consumer, on_change
        self._loop = asyncio.get_running_loop()
        self._follower = Follower(
            f"/{consumer.site}/{consumer.table}/",
            consumer.cursor,
            consumer.start,
            lambda: secrets.token_hex(6),
            signed_by(consumer.trusted, consumer.site, consumer.table),
        )
        self._versions = Versions(self.topics)
        self._wake = asyncio.Event()
        self._bug: BaseException | None = None
        self._answers: dict[str, asyncio.Future[InputReply]] = {}
        topics, name = self.topics, consumer.name
        self._link = Link(
            consumer.broker, client_id, None,
            [
                topics.events, topics.irregularities, topics.reveals, topics.state, topics.head,
                topics.device_statuses, *self._versions.filters, topics.replay(name, "log"),
                topics.replay(name, "outputs"), topics.replay_reply(name),
            ],
            on_message=self._heard, on_up=self._up, on_down=self._down, retry=LinkRetry(),
        )  # fmt: skip

    @property
    def caught_up(self) -> bool:
        """Whether all that was said before the link came up has been given out."""
        return self._follower.caught_up and not self._follower.items

    @property
    def now_ms(self) -> int:
        """The clock that `now` is measured by, in ms."""
        return round(self._loop.time() * 1_000)

    def stale(self) -> tuple[str, ...]:
        """Why `now` is not what is true at the table, in words; empty when it is."""
        return self.now.stale(self.now_ms)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Item:
        """The next item; VersionRefusedError when the table cannot be understood at all."""
        while not self._follower.items:
            if self._versions.refused:
                raise VersionRefusedError(self._versions.refused)
            if self._bug is not None:
                raise RuntimeError("the client ended by a bug") from self._bug
            if not self._consumer.follow and self._follower.caught_up:
                raise StopAsyncIteration
            self._wake.clear()
            await self._wake.wait()
        item = self._follower.items.popleft()
        self._ask()
        return item

    async def key(self, role: Role, terminal: str, wanted: TerminalInput) -> InputReply:
        """Keys an input, again with the same id until the table's answer comes; BusError, TimeoutError."""
        answer: asyncio.Future[InputReply] = self._loop.create_future()
        self._answers[wanted.id] = answer
        replies = self.topics.reply(role, terminal)
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._link.listen([replies])
                while not answer.done():
                    with suppress(BusError):  # sent again below
                        await self._link.publish(self.topics.input(role, terminal), encode(wanted))
                    await asyncio.wait({answer}, timeout=RETRY_S)
            return answer.result()
        finally:
            del self._answers[wanted.id]

    async def run(self) -> None:
        """Keeps the link and the requests up, until cancelled; a bug is raised to whoever iterates."""
        try:
            await self._run()
        except Exception as bug:  # noqa: BLE001  __anext__ raises it
            self._bug = bug
            self._wake.set()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._link.run(), name="client link")
            while True:
                await asyncio.sleep(TICK_S)
                self._ask()

    def _ask(self) -> None:
        if not self._link.up:
            return
        for request in self._follower.requests(self.now_ms):
            self._link.publish(self.topics.replay_request(self._consumer.name), encode(request))

    def _up(self, _session_present: bool) -> None:  # noqa: FBT001  the link's callback
        self.now.link_fault = ""
        self._follower.link(up=True)
        self._changed()

    def _down(self, fault: BusError) -> None:
        self.now.link_fault = str(fault)
        self._follower.link(up=False)
        self._changed()

    def _changed(self) -> None:
        self._ask()
        self._wake.set()
        self._on_change()

    def _heard(self, message: Message) -> None:
        message.ack()
        topics, name, topic = self.topics, self._consumer.name, message.topic
        if topic.startswith(f"{topics.root}/events/"):
            self._row(message)
        elif topic in {topics.irregularities, topics.reveals}:
            self._follower.output(message.payload, self.now_ms)
        elif topic == topics.replay(name, "log"):
            self._follower.row(message.payload, self.now_ms, replayed=True)
        elif topic == topics.replay(name, "outputs"):
            self._follower.output(message.payload, self.now_ms, replayed=True)
        else:
            self._other(message)
        self._changed()

    def _row(self, message: Message) -> None:
        event = _read(LogEvent, message)
        if event is not None:
            self.now.heard_row(event.logms, self.now_ms)
        self._follower.row(message.payload, self.now_ms)

    def _other(self, message: Message) -> None:
        topics, topic = self.topics, message.topic
        if topic == topics.replay_reply(self._consumer.name):
            reply = _read(ReplayReply, message)
            if reply is not None:
                self._follower.reply(reply, self.now_ms)
        elif topic == topics.state:
            state = _read(TableState, message)
            if state is not None and self.now.heard_state(state):
                self._follower.outputs_reach(state.outputs)
        elif topic == topics.head:
            head = _read(LogHead, message)
            if head is not None:
                self.now.head = head
                self._follower.head(Head(at=head.at, hash=head.hash))
        elif topic.endswith("/replies"):
            self._answered(_read(InputReply, message))
        else:
            self._status(message)

    def _answered(self, reply: InputReply | None) -> None:
        answer = None if reply is None else self._answers.get(reply.id)
        if reply is not None and answer is not None and not answer.done():
            answer.set_result(reply)

    def _status(self, message: Message) -> None:
        topics, topic = self.topics, message.topic
        device = topic.removeprefix(f"{topics.root}/devices/").removesuffix("/status")
        if topic == topics.device_status(device) if _is_ident(device) else False:
            status = _read(DeviceStatus, message)
            if status is not None:
                self.now.devices = {**self.now.devices, device: status}
            return
        self._versions.heard(topic, message.payload)
        if topic == topics.status("field"):
            self.now.field_half = _read(PartStatus, message)
        elif topic == topics.status("judge"):
            self.now.judge_half = _read(PartStatus, message)


@asynccontextmanager
async def connect(consumer: Consumer, on_change: Callable[[], None] = lambda: None) -> AsyncIterator[Table]:
    """A table that is read until the block ends. `on_change` is called in the loop after anything came.

    ValueError for a name that may not stand in a topic. Two consumers of one table need two names.
    """
    client_id = f"{checked(consumer.name)}-{consumer.site}-{consumer.table}-{secrets.token_hex(4)}"
    table = Table(consumer, client_id, on_change)
    running = asyncio.create_task(table.run(), name="client")
    try:
        yield table
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def _is_ident(text: str) -> bool:
    return bool(text) and "/" not in text


def _read(model: type[R], message: Message) -> R | None:
    """The payload as `model`; None for an empty or a forged message, and for one of a later version."""
    try:
        return decode(model, message.payload)
    except BadPayloadError:
        return None
