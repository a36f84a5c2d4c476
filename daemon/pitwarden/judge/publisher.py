"""Publishing of a judge's outputs and of the table's state, and the replay source of outputs.

Outputs leave in order, as committed; the state follows them. Each acknowledgement of the broker moves the mark of
published outputs. After a lost link, publishing restarts after the mark.
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
from pitwarden.journal.judge_record import JudgeRecord
from pitwarden.journal.records import StoredOutput
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.status import ReplayRequest
from pitwarden_client.mqtt.errors import BusError, PublishRefusedError

# Outputs published without acknowledgement, and read from the journal at once.
PAGE_ROWS: Final = 200
# Seconds between attempts at a topic that the broker's access control refuses, until a person corrects it.
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
    """Publisher of the outputs and the state of one table."""

    def __init__(
        self,
        journal: JudgeRecord,
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
        """Load the mark at which the previous run stopped publishing."""
        self._published = await self._journal.published(self._table)
        last = await self._journal.last_output(self._table)
        self._committed = 0 if last is None else last.seq

    @property
    def lag(self) -> int:
        """Number of committed outputs that the broker has not acknowledged."""
        return self._committed - self._published

    def push(self, outputs: Sequence[StoredOutput], state: bytes | None) -> None:
        """Publish outputs that have just been committed, then the state as of them; None for no state yet."""
        if outputs:
            if self._up and self._committed == self._published + len(self._ready):
                self._ready.extend(outputs)
                self._send_ready()
            self._committed = outputs[-1].seq
        if state is not None:
            self._state = state
        self.wake()

    def link(self, *, up: bool) -> None:
        """Record a change of the link. After a loss, publishing restarts after the last acknowledged output."""
        self._up = up
        self._restart_from_mark()
        self.wake()

    async def wait_acknowledged(self, seconds: float) -> None:
        """Return once the broker has acknowledged the pushed outputs, or after `seconds`."""
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
            # The wait is not shortened by new outputs, since the broker refuses each attempt.
            await asyncio.sleep(REFUSED_RETRY_S)
            self.wake()
        except BusError:
            # `link` wakes the loop when the link is up again.
            self._restart_from_mark()

    def _send_ready(self) -> None:
        """Publish outputs that are ready and not yet in transit, in order, up to a page."""
        for row in islice(self._ready, len(self._sent), PAGE_ROWS):
            self._sent.append(self._link.publish(row.topic, row.body))

    def _restart_from_mark(self) -> None:
        """Drop what is in transit; it is published again from the mark."""
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
            # The link changed meanwhile, so all is published again from the mark.
            return
        for _ in sent:
            self._published = self._ready.popleft().seq
        del self._sent[: len(sent)]
        # Without the mark a restart publishes them again, byte for byte, under the same numbers.
        with suppress(*TEMPORARY_ERRORS):
            await self._journal.set_published(self._table, self._published)


class OutputReplaySource:
    """Replay source of the outputs of one table: any output that is still stored."""

    def __init__(self, journal: JudgeRecord, table: str) -> None:
        self._journal, self._table = journal, table

    async def find(self, wanted: ReplayRequest) -> int | Literal["trimmed", "not_ours"]:
        """Return the number of the output that the consumer has, if its hash agrees; 0 when it has none."""
        if wanted.output == 0:
            return 0
        found = await self._journal.outputs_after(self._table, wanted.output - 1, 1)
        ours = bool(found) and found[0].seq == wanted.output and found[0].hash == wanted.hash
        return wanted.output if ours else "not_ours"

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """Return the outputs after number `place`, as they were committed."""
        return [(row.seq, row.body) for row in await self._journal.outputs_after(self._table, place, limit)]
