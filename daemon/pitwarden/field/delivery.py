"""Rows on their way to the judge: sent after their commit, again after a loss, until the judge has stored them."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import structlog

from pitwarden.bus.link import Link
from pitwarden.bus.sender import LogSender
from pitwarden.client.mqtt.faults import PublishRefusedError
from pitwarden.clock import Clock
from pitwarden.events.codec import encode
from pitwarden.events.status import ConsumerPosition, LogHead
from pitwarden.events.table import Head
from pitwarden.events.topics import Topics
from pitwarden.field.checkpoints import published
from pitwarden.journal.faults import REFUSALS
from pitwarden.journal.field import FieldJournal
from pitwarden.journal.rows import Checkpoint, StoredRow

HEAD_MS: Final = 1_000
IDLE_MS: Final = 60_000
TIMED_ROWS: Final = 1_000  # of a longer backlog, the newest are timed

_log = structlog.get_logger()


class Delivery:
    """Sends one journal to one judge over one link. `on_fork` hears why a position is not in this log's ancestry.

    `on_stored_ms` hears how long a row took from its commit to the judge having stored it.
    """

    def __init__(
        self,
        journal: FieldJournal,
        link: Link,
        topics: Topics,
        clock: Clock,
        *,
        judge: str,
        stored: int,
        sign: Callable[[int, Head], Checkpoint],
        on_fork: Callable[[str], None],
        on_refused: Callable[[tuple[str, ...]], None],
        on_stored_ms: Callable[[int], None] = lambda _took: None,
    ) -> None:
        self._journal, self._link, self._topics, self._clock, self._judge = journal, link, topics, clock, judge
        self._on_fork, self._on_refused = on_fork, on_refused
        self._sender = LogSender(journal.place, stored)
        self._on_stored_ms = on_stored_ms
        self._committed_at: deque[tuple[int, int]] = deque(maxlen=TIMED_ROWS)
        self._wake = asyncio.Event()
        self._head_at = 0
        self._sign = sign
        self._checkpoint: Checkpoint | None = None
        self._noted = (stored, 0)
        self._positions: asyncio.Queue[ConsumerPosition] = asyncio.Queue(maxsize=256)
        self.progress = 0
        """Counts rounds of `run`, for a watchdog."""

    @property
    def lag(self) -> int:
        """How many committed rows the judge has not stored."""
        return self._sender.lag

    @property
    def stored(self) -> int:
        """Up to which place the judge has stored the log."""
        return self._sender.stored

    def committed(self) -> None:
        """The journal has grown: what is new leaves before anything else is done about it; `poke` is for the rest."""
        before, now = self._sender.head, self._clock.mono_ms()
        self._sender.committed(self._journal.place)
        batch = self._sender.batch(now)
        if batch is not None:
            self._publish(self._journal.recent_after(batch.after, batch.limit))
        self._committed_at.extend((place, now) for place in range(before + 1, self._journal.place + 1))

    def link(self, *, up: bool) -> None:
        """The link came or went."""
        self._sender.link(up=up)
        self._head_at = 0
        self._wake.set()

    def position(self, said: ConsumerPosition) -> None:
        """The judge says up to where it has stored the log."""
        if self._positions.full():
            self._positions.get_nowait()  # positions are cumulative: the newest says all
        self._positions.put_nowait(said)
        self._wake.set()

    def poke(self) -> None:
        """Makes `run` turn."""
        self._wake.set()

    async def head(self, retained: LogHead) -> None:
        """The broker still has a head of this table from before: it must be a row of this log."""
        if await self._journal.locate(retained.at, retained.hash) is None:
            self._on_fork(f"the broker's retained head {retained.at.epoch}/{retained.at.number} is no row of this log")

    async def run(self) -> None:
        """Sends, for ever."""
        while True:
            self.progress += 1
            while not self._positions.empty():
                await self._take(self._positions.get_nowait())
            now = self._clock.mono_ms()
            batch = self._sender.batch(now)
            if batch is not None:
                await self._send(batch.after, batch.limit)
                continue
            await self._note(now)
            await self._pause(self._wait_ms(now))

    def _wait_ms(self, now: int) -> int:
        wake = self._sender.wake_at(now)
        head = self._head_at + HEAD_MS
        due = [at - now for at in (wake, head if head > now else None) if at is not None]
        return max(1, min([*due, IDLE_MS]))

    async def _pause(self, wait_ms: int) -> None:
        try:
            async with asyncio.timeout(wait_ms / 1000):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def _send(self, after: int, limit: int) -> None:
        self._publish(await self._journal.rows_after(after, limit))

    def _publish(self, rows: Sequence[StoredRow]) -> None:
        for row in rows:
            sent = self._link.publish(row.topic, row.body)
            sent.add_done_callback(partial(self._answered, row.place))
            self._sender.sent(row.place, self._clock.mono_ms())

    def _answered(self, place: int, done: "asyncio.Future[None]") -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, PublishRefusedError):
            if not self._sender.refused:
                _log.error("acl_denied", reason=str(error), place=place)
                self._on_refused(("acl_denied",))
            self._sender.refuse(place, self._clock.mono_ms())

    async def _take(self, said: ConsumerPosition) -> None:
        place: int | None = 0
        if said.at is not None and said.hash is not None:
            place = await self._journal.locate(said.at, said.hash)
        if place is None:
            self._on_fork("the judge's position is no row of this log")
            if said.hello:
                self._sender.heard(0, hello=True, now=self._clock.mono_ms())
            return
        while self._committed_at and self._committed_at[0][0] <= place:
            self._on_stored_ms(self._clock.mono_ms() - self._committed_at.popleft()[1])
        was_refused = self._sender.refused
        self._sender.heard(place, hello=said.hello, now=self._clock.mono_ms())
        if was_refused and not self._sender.refused:
            self._on_refused(())

    async def _note(self, now: int) -> None:
        """Once a second at most: the signed head, retained and on our own disk, with the judge's position."""
        head = self._journal.head
        if head is None or now < self._head_at + HEAD_MS:
            return
        self._head_at = now
        if self._checkpoint is None or self._checkpoint.head != head:
            self._checkpoint = self._sign(self._journal.place, head)
        noted = self._sender.stored, self._checkpoint.place
        if noted != self._noted:
            with suppress(*REFUSALS):  # a mark spares rows after a restart; without it they are sent again
                await self._journal.set_position(self._judge, self._sender.stored, self._checkpoint)
                self._noted = noted
        if self._link.up:
            self._link.publish(
                self._topics.head, encode(published(self._checkpoint, self._journal.trimmed)), retain=True
            )
