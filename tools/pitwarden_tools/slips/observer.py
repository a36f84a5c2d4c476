"""The consumer of a slip table: log rows, reveals with the row that made each public, replies to terminals."""

import asyncio
from collections.abc import Callable
from typing import Final, NamedTuple

from pitwarden.bus.messages import InboundMessage
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent, OutputEvent
from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import CheckFailed, ReaderRevealed, Reveal, TableState
from pitwarden_client.events.topics import Topics
from pitwarden_simulators.demo.errors import DemoError

_PATIENCE_S: Final = 60.0
"""Limit in seconds for one step of the service, estimated for a machine that is busy; DemoError beyond."""


class Published(NamedTuple):
    """A card or an answer that was published: its place in the log, its content, and the row that made it public.

    `face`: code of the card as published, or `blackjack` and `none` for an answer of the reader.
    """

    card: tuple[str, int, int]
    face: str
    row: Position


class Observer:
    """Everything that was published of one table; `until` waits for more."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics
        self.state: TableState | None = None
        self.epochs: list[str] = []
        self.head = 0
        self.sensed: dict[tuple[str, int, int], Position] = {}
        """Rows of device events, by device, boot and counter."""
        self.published: list[Published] = []
        self.replies: dict[str, InputReply] = {}
        self.failed: list[str] = []
        """Checks that could not run."""
        self._changed = asyncio.Event()

    def message(self, message: InboundMessage) -> None:
        """Handle a message of the broker; called from the connection's task."""
        message.ack()
        topics = self.topics
        if message.topic.startswith(f"{topics.root}/events/"):
            self._row(decode(LogEvent, message.payload))
        elif message.topic == topics.state and message.payload:
            self.state = decode(TableState, message.payload)
        elif message.topic in {topics.irregularities, topics.reveals}:
            self._output(decode(OutputEvent, message.payload))
        elif message.topic.endswith("/replies"):
            reply = decode(InputReply, message.payload)
            self.replies[reply.id] = reply
        self.notify()

    def notify(self) -> None:
        """Wake the waiters."""
        self._changed.set()

    async def until(self, done: Callable[[], bool], what: str) -> None:
        """Return once `done()` holds.

        Raises:
            DemoError: It does not within a minute.
        """
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not done():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise DemoError(f"waited {_PATIENCE_S:.0f} s in vain for {what}") from None

    async def judged(self) -> None:
        """Return once the judge has judged all rows that were received so far, and its outputs were received."""

        def done() -> bool:
            state = self.state
            return state is not None and state.as_of.epoch == self.epochs[-1] and state.as_of.number >= self.head

        await self.until(lambda: bool(self.epochs) and done(), "the judge's state")

    def _row(self, row: LogEvent) -> None:
        if row.epoch not in self.epochs:
            self.epochs.append(row.epoch)
            self.head = 0
        at = Position(epoch=row.epoch, number=row.tableseq)
        if row.epoch == self.epochs[-1]:
            self.head = max(self.head, row.tableseq)
        if row.devicecounter:
            self.sensed[row.source.rpartition("/")[2], row.deviceboot, row.devicecounter] = at

    def _output(self, output: OutputEvent) -> None:
        data, row = output.data, Position(epoch=output.epoch, number=output.tableseq)
        match data:
            case Reveal():
                self.published.append(Published((data.epoch, data.event, data.index), data.face, row))
            case ReaderRevealed():
                answer = "blackjack" if data.blackjack else "none"
                self.published.append(Published((data.epoch, data.event, 0), answer, row))
            case CheckFailed():
                self.failed.append(f"row {row.number}: {data.check}, {data.error}")
            case _:
                pass
