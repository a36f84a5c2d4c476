"""Subscriber at the end of every measured path."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from timeit import default_timer
from typing import Final

from pitwarden.bus.link import Link
from pitwarden.bus.messages import InboundMessage
from pitwarden_client.backoff import LinkBackoff
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import OutputEvent
from pitwarden_client.events.outputs import Irregularity, TableState
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.settings import BrokerSettings
from pitwarden_tools.bench.baseline import OUT, READY

CLAUSE: Final = "G-02"  # a joker: published at once, and cleared by one key
MARKS: Final = ("", "p", "c")  # topic prefixes of the baselines
PATIENCE_S: Final = 30.0


class Subscriber:
    """Receiver of the verdicts of all paths, with their times."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics
        self.state: TableState | None = None
        self._waiting: dict[str, asyncio.Future[float]] = {}

    def expect(self, what: str) -> "asyncio.Future[float]":
        """Return a future of the next arrival of `what`: `open`, `cleared`, `state`, or a topic."""
        return self._waiting.setdefault(what, asyncio.get_running_loop().create_future())

    def message(self, message: InboundMessage) -> None:
        """Handle a message."""
        now = default_timer()
        message.ack()
        if message.topic == self.topics.irregularities:
            said = decode(OutputEvent, message.payload).data
            if isinstance(said, Irregularity) and said.catalogue == CLAUSE:
                self._heard(said.status, now)
        elif message.topic == self.topics.state:
            self.state = decode(TableState, message.payload)
            self._heard("state", now)
        else:
            self._heard(message.topic, now)

    @asynccontextmanager
    async def listening(self, port: int) -> AsyncIterator[Link]:
        """Yield a link that receives the verdicts and may also publish."""
        up = asyncio.Event()
        heard = [self.topics.irregularities, self.topics.state, *(mark + end for mark in MARKS for end in (OUT, READY))]
        link = Link(
            BrokerSettings("127.0.0.1", port, keepalive=30), "bench-ear", None, heard,
            on_message=self.message, on_up=lambda _present: up.set(), on_down=lambda _fault: None, retry=LinkBackoff(),
        )  # fmt: skip
        async with asyncio.TaskGroup() as group:
            running = group.create_task(link.run(), name="bench ear")
            await asyncio.wait_for(up.wait(), PATIENCE_S)
            try:
                yield link
            finally:
                running.cancel()

    def _heard(self, what: str, now: float) -> None:
        waiting = self._waiting.pop(what, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(now)
