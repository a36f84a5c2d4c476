"""Publishes committed outputs and state; replay source for consumers.

What was judged leaves here, in order, as it was committed; and the table's state behind it.

The broker's acknowledgement moves the mark of what is published; after a lost link the mark tells where to go on.

The judge's journal as consumers may ask for it: what was judged, from any output that is still kept.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, Literal, Protocol

import structlog

from pitwarden.bus.messages import Publisher
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import StoredOutput
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.status import ReplayRequest
from pitwarden_client.mqtt.errors import BusError, PublishRefusedError

PAGE_ROWS: Final = 200
REFUSED_RETRY_S: Final = 1.0

_log = structlog.get_logger()


class PublishingFollower(Protocol):
    """Component that depends on the publishing of a table's outputs."""

    def publishing_refused(self, reason: str) -> None:
        """Handle that the broker refused a topic."""
        ...

    def state_published(self, state: bytes) -> None:
        """Handle a state that the broker has acknowledged."""
        ...


class OutputPublisher(WakeableLoop):
    """Publishes the outputs of one table."""

    def __init__(
        self,
        journal: JudgeJournal,
        table: str,
        state_topic: str,
        link: Publisher,
        follower: PublishingFollower,
    ) -> None:
        super().__init__()
        self._journal, self._table, self._state_topic = journal, table, state_topic
        self._link, self._follower = link, follower
        self._ready: deque[StoredOutput] = deque()
        self._sent: list[asyncio.Future[None]] = []
        self._state: bytes | None = None
        self._published = 0
        self._committed = 0
        self._up = False

    async def start(self) -> None:
        """Takes up where the last run of this judge stopped publishing."""
        self._published = await self._journal.published(self._table)
        last = await self._journal.last_output(self._table)
        self._committed = 0 if last is None else last.seq

    @property
    def lag(self) -> int:
        """How many outputs the broker has not acknowledged."""
        return self._committed - self._published

    def push(self, outputs: Sequence[StoredOutput], state: bytes | None) -> None:
        """Outputs that have just been committed, and the state behind them, if there is one yet."""
        if outputs:
            if self._up and self._committed == self._published + len(self._ready):
                self._ready.extend(outputs)
                self._send_ready()
            self._committed = outputs[-1].seq
        if state is not None:
            self._state = state
        self.wake()

    def link(self, *, up: bool) -> None:
        """The link came up or went down; what was under way is said again from the mark."""
        self._up = up
        self._restart_from_mark()
        self.wake()

    async def wait_acknowledged(self, seconds: float) -> None:
        """Returns once the broker has what was pushed, or after `seconds`."""
        if self._sent:
            await asyncio.wait(self._sent, timeout=seconds)

    async def _turn(self) -> None:
        try:
            while self._up and self._published < self._committed:
                await self._publish_page()
            if self._up and self._state is not None:
                state, self._state = self._state, None
                await self._send_state(state)
        except PublishRefusedError as error:
            _log.error("acl_denied", reason=str(error))
            self._follower.publishing_refused(str(error))
            self._restart_from_mark()
            await asyncio.sleep(
                REFUSED_RETRY_S
            )  # in full, also when more outputs arrive: the broker refuses each attempt
            self.wake()
        except BusError:
            self._restart_from_mark()  # the link says when it is up again

    def _send_ready(self) -> None:
        """Publishes what is ready, in order, as far as it is not under way; at most a page."""
        for row in islice(self._ready, len(self._sent), PAGE_ROWS):
            self._sent.append(self._link.publish(row.topic, row.body))

    def _restart_from_mark(self) -> None:
        """What was under way is said again from the mark."""
        self._ready.clear()
        self._sent.clear()

    async def _send_state(self, state: bytes) -> None:
        try:
            await self._link.publish(self._state_topic, state, retain=True)
        except BusError:
            if self._state is None:
                self._state = state
            raise
        self._follower.state_published(state)

    async def _publish_page(self) -> None:
        if not self._ready or self._ready[0].seq != self._published + 1:
            self._restart_from_mark()
            self._ready.extend(await self._journal.outputs_after(self._table, self._published, PAGE_ROWS))
        self._send_ready()
        sent = list(self._sent)
        results = await asyncio.gather(*sent, return_exceptions=True)
        for result in results:
            if isinstance(result, BusError):
                raise result
        if self._sent[: len(sent)] != sent:
            return  # the link came or went meanwhile: all is said again from the mark
        for _ in sent:
            self._published = self._ready.popleft().seq
        del self._sent[: len(sent)]
        with suppress(
            *TEMPORARY_ERRORS
        ):  # without the mark a restart says them again, byte for byte, under the same numbers
            await self._journal.set_published(self._table, self._published)


class OutputReplaySource:
    """The outputs of one table for `bus.replay`."""

    def __init__(self, journal: JudgeJournal, table: str) -> None:
        self._journal, self._table = journal, table

    async def find(self, wanted: ReplayRequest) -> int | Literal["trimmed", "not_ours"]:
        """The number of the output that the consumer has, if it is the one that we have there; 0 when it has none."""
        if wanted.output == 0:
            return 0
        found = await self._journal.outputs_after(self._table, wanted.output - 1, 1)
        ours = bool(found) and found[0].seq == wanted.output and found[0].hash == wanted.hash
        return wanted.output if ours else "not_ours"

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """The outputs behind number `place`, as they were committed."""
        return [(row.seq, row.body) for row in await self._journal.outputs_after(self._table, place, limit)]
