"""Delivery of log rows to the judge, and the replay source of the log.

A row is sent after its commit, and again after a loss, until the judge reports that it has stored the row.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Literal, Protocol

import structlog

from pitwarden.bus.link import Link
from pitwarden.bus.sender import LogSender
from pitwarden.field.log.epochs import retained_head
from pitwarden.journal.errors import TEMPORARY_ERRORS
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.journal.records import StoredRow
from pitwarden.system.clock import Clock
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import ConsumerPosition, LogHead, ReplayRequest
from pitwarden_client.events.topics import Topics
from pitwarden_client.mqtt.errors import MessageTooLargeError, PublishRefusedError

# Interval of published heads in ms. Each commit is signed on the disk; the broker gets the newest once a second.
HEAD_MS: Final = 1_000
# Longest wait of the loop in ms when nothing is due; every change wakes it earlier.
IDLE_MS: Final = 60_000
# Rows whose delivery is timed. Of a longer backlog, only the newest rows are.
TIMED_ROWS: Final = 1_000

_log = structlog.get_logger()


class DeliveryFaults(Protocol):
    """Faults of a field half, as far as the delivery of its log finds them."""

    def forked(self, reason: str) -> None:
        """Handle that a position or a head is not in this log's ancestry."""
        ...

    def delivery_refused(self, names: tuple[str, ...]) -> None:
        """Handle what the broker refuses of the log; none when it accepts rows again."""
        ...


class DeliveryTimes(Protocol):
    """Metrics of the delivery."""

    def stored_ms(self, took: int) -> None:
        """Note the time of a row from its commit until the judge had stored it."""
        ...


class JudgeDelivery(WakeableLoop):
    """Delivery of one journal to one judge over one link."""

    def __init__(
        self,
        journal: FieldJournal,
        link: Link,
        topics: Topics,
        clock: Clock,
        *,
        judge: str,
        stored: int,
        faults: DeliveryFaults,
        times: DeliveryTimes,
    ) -> None:
        super().__init__()
        self._journal, self._link, self._topics, self._clock, self._judge = journal, link, topics, clock, judge
        self._faults, self._times = faults, times
        self._sender = LogSender(journal.place, stored)
        self._committed_at: deque[tuple[int, int]] = deque(maxlen=TIMED_ROWS)
        self._head_at = 0
        self._stored_mark = stored
        self._positions: asyncio.Queue[ConsumerPosition] = asyncio.Queue(maxsize=256)

    @property
    def lag(self) -> int:
        """Number of committed rows that the judge has not stored."""
        return self._sender.lag

    @property
    def stored(self) -> int:
        """Place up to which the judge has stored the log."""
        return self._sender.stored

    def committed(self, rows: Sequence[StoredRow]) -> None:
        """Send new rows of the journal at once, before any other work for them. The rest is done after `wake`."""
        before, now = self._sender.head, self._clock.mono_ms()
        self._sender.committed(self._journal.place)
        batch = self._sender.batch(now)
        if batch is not None:
            # As a rule exactly the new rows are due; others are due too after a loss, or while the window is full.
            is_new = bool(rows) and batch.after + 1 == rows[0].place and batch.limit == len(rows)
            self._publish(rows if is_new else self._journal.recent_after(batch.after, batch.limit), now)
        for place in range(before + 1, self._journal.place + 1):
            self._committed_at.append((place, now))

    def link(self, *, up: bool) -> None:
        """Record a change of the link."""
        self._sender.link(up=up)
        self._head_at = 0
        self.wake()

    def position(self, said: ConsumerPosition) -> None:
        """Handle the judge's position: up to which row it has stored the log."""
        if self._positions.full():
            # Positions are cumulative, so the newest replaces the oldest.
            self._positions.get_nowait()
        self._positions.put_nowait(said)
        self.wake()

    async def head(self, retained: LogHead) -> None:
        """Check a head that the broker still retains: it must be a row of this log."""
        if await self._journal.locate(retained.at, retained.hash) is None:
            self._faults.forked(
                f"the broker's retained head {retained.at.epoch}/{retained.at.number} is no row of this log"
            )

    async def _turn(self) -> float:
        while True:
            while not self._positions.empty():
                await self._on_position(self._positions.get_nowait())
            now = self._clock.mono_ms()
            batch = self._sender.batch(now)
            if batch is None:
                break
            await self._send(batch.after, batch.limit)
            self.progress += 1
        await self._store_and_publish_head(now)
        return self._wait_ms(now) / 1000

    def _wait_ms(self, now: int) -> int:
        wake = self._sender.wake_at(now)
        head = self._head_at + HEAD_MS
        due = [at - now for at in (wake, head if head > now else None) if at is not None]
        return max(1, min([*due, IDLE_MS]))

    async def _send(self, after: int, limit: int) -> None:
        rows = await self._journal.rows_after(after, limit)
        self._publish(rows, self._clock.mono_ms())

    def _publish(self, rows: Sequence[StoredRow], now: int) -> None:
        for row in rows:
            sent = self._link.publish(row.topic, row.body)
            sent.add_done_callback(partial(self._answered, row.place))
            self._sender.sent(row.place, now)

    def _answered(self, place: int, done: "asyncio.Future[None]") -> None:
        error = None if done.cancelled() else done.exception()
        if isinstance(error, PublishRefusedError):
            if not self._sender.refused:
                name = "message_too_large" if isinstance(error, MessageTooLargeError) else "acl_denied"
                _log.error(name, reason=str(error), place=place)
                self._faults.delivery_refused((name,))
            self._sender.refuse(place, self._clock.mono_ms())

    async def _on_position(self, said: ConsumerPosition) -> None:
        place: int | None = 0
        if said.at is not None and said.hash is not None:
            place = await self._journal.locate(said.at, said.hash)
        if place is None:
            self._faults.forked("the judge's position is no row of this log")
            if said.hello:
                self._sender.on_position(0, hello=True, now=self._clock.mono_ms())
            return
        while self._committed_at and self._committed_at[0][0] <= place:
            self._times.stored_ms(self._clock.mono_ms() - self._committed_at.popleft()[1])
        was_refused = self._sender.refused
        self._sender.on_position(place, hello=said.hello, now=self._clock.mono_ms())
        if was_refused and not self._sender.refused:
            self._faults.delivery_refused(())

    async def _store_and_publish_head(self, now: int) -> None:
        """Store the judge's position and publish the signed head, at most once a second."""
        signed = self._journal.signed
        if signed is None or now < self._head_at + HEAD_MS:
            return
        self._head_at = now
        stored = self._sender.stored
        if stored != self._stored_mark:
            with suppress(*TEMPORARY_ERRORS):  # a mark spares rows after a restart; without it they are sent again
                await self._journal.set_position(self._judge, stored)
                self._stored_mark = stored
        if self._link.up:
            self._link.publish(self._topics.head, encode(retained_head(signed, self._journal.trimmed)), retain=True)


class LogReplaySource:
    """Replay source of one log: any row that is still stored."""

    def __init__(self, journal: FieldJournal) -> None:
        self._journal = journal

    async def find(self, wanted: ReplayRequest) -> int | Literal["trimmed", "not_ours"]:
        """Return the place of the row that the consumer has; 0 when it has none."""
        if wanted.after is None:
            return 0
        if wanted.hash is None:
            return "not_ours"
        place = await self._journal.locate(wanted.after, wanted.hash)
        return await self._classify_missing(wanted.after, wanted.hash) if place is None else place

    async def _classify_missing(self, at: Position, held: str) -> int | Literal["trimmed", "not_ours"]:
        """Return why row `at` is missing, or its place if it is the last trimmed one.

        A replay can start after the last trimmed row, since its hash is known.
        """
        trimmed = self._journal.trimmed
        if trimmed is None:
            return "not_ours"
        if trimmed.head.at == at:
            return trimmed.place if trimmed.head.hash == held else "not_ours"
        epochs = [record.epoch for record in await self._journal.epochs()]
        if at.epoch not in epochs:
            return "not_ours"
        older = epochs.index(at.epoch) < epochs.index(trimmed.head.at.epoch)
        same = at.epoch == trimmed.head.at.epoch and at.number < trimmed.head.at.number
        return "trimmed" if older or same else "not_ours"

    async def page(self, place: int, limit: int) -> Sequence[tuple[int, bytes]]:
        """Return the rows after `place`, as they were committed."""
        return [(row.place, row.body) for row in await self._journal.rows_after(place, limit)]
