"""Bounded inbox of log rows, in order and without duplicates, and the fair share of the event loop between tables.

Threat: a backlog of a thousand tables that occupies the event loop for half a minute. Every link would be lost, and all
rows would be sent again.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Final

import structlog

from pitwarden.bus.messages import InboundMessage
from pitwarden.judge.faults import JudgeFaults
from pitwarden.judge.metrics import JudgeMetrics
from pitwarden.judge.table_judge import TableJudge
from pitwarden.system.clock import Clock
from pitwarden_client.chain.log_row import LogRow
from pitwarden_client.chain.receiver import Fork, LogReceiver

# Messages of one batch, so that one table's flood does not delay the other tables of its process.
BATCH: Final = 64
# Messages that wait at most, more than the sender's window of 200. Beyond it a message is dropped and sent again.
INBOX: Final = 1_000

_log = structlog.get_logger()


@dataclass(slots=True)
class JudgeBatch:
    """Rows to judge, and the messages to acknowledge once the rows are committed."""

    rows: list[LogRow] = field(default_factory=list)
    received: list[tuple[int, InboundMessage]] = field(default_factory=list)
    """Received messages, as pairs of arrival time in monotonic ms and message."""


class RowIntake:
    """Bounded inbox of log rows for one table, in order and without duplicates."""

    def __init__(
        self, receiver: LogReceiver, judge: TableJudge, faults: JudgeFaults, meters: JudgeMetrics, clock: Clock
    ) -> None:
        self._receiver, self._judge, self._faults = receiver, judge, faults
        self._meters, self._clock = meters, clock
        self._inbox: deque[tuple[int, InboundMessage]] = deque()

    @property
    def waiting(self) -> int:
        """Number of messages that wait."""
        return len(self._inbox)

    def put(self, message: InboundMessage) -> None:
        """Enqueue a message of the log. Retained messages are refused; one that does not fit is sent again."""
        if message.retained or len(self._inbox) >= INBOX:
            self._meters.refused("retained" if message.retained else "queue_full")
            message.ack()
            return
        self._inbox.append((self._clock.mono_ms(), message))

    def next_batch(self) -> JudgeBatch:
        """Remove and return the waiting messages, at most BATCH, as rows in order."""
        batch = JudgeBatch()
        while self._inbox and len(batch.received) < BATCH:
            arrived, message = self._inbox.popleft()
            batch.received.append((arrived, message))
            taken = self._receiver.take(message.payload)
            batch.rows.extend(taken.rows)
            if taken.garbage is not None:
                self._meters.refused("no_row")
                _log.warning("not a row of this table", topic=message.topic, reason=taken.garbage)
            if taken.forked is not None:
                self._meters.refused("forked")
                batch.rows.extend(self._follow(taken.forked))
        return batch

    def on_head(self, payload: bytes) -> None:
        """Handle the retained head of a log whose oldest rows were trimmed before this judge received them.

        The log then begins after the trimmed rows, and the permit is withheld until the decks are verified.
        """
        if self._receiver.taken is not None:
            return
        behind = self._judge.trimmed_head(payload)
        if behind is not None:
            self._faults.distrust = "the log's oldest rows are gone and were never judged here: verify the decks"
            _log.warning("log begins behind trimmed rows", epoch=behind.at.epoch, number=behind.at.number)
            self._receiver.begin(behind)

    def _follow(self, forked: Fork) -> tuple[LogRow, ...]:
        """Return the rows of a fork that can be followed.

        Its first row has another parent than the state, so the rules core reports HOLD.
        """
        self._faults.fault("log_forked", forked.reason)
        if not self._receiver.can_follow(forked):
            self._faults.distrust = "the log forked: verify the decks"
            return ()
        _log.error("log.forked", reason=forked.reason, epoch=forked.row.at.epoch)
        return self._receiver.follow_fork(forked).rows


# Rows judged per iteration of the event loop, of all tables together. The last batch may exceed the number.
ROWS: Final = 64


class FairShare:
    """Fair share of the event loop between tables: about ROWS rows are judged per iteration.

    Tables are admitted in the order of their requests. A new round begins in the next iteration if a table waits.
    """

    def __init__(self) -> None:
        self._left = ROWS
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def enter(self, rows: int) -> None:
        """Return, mostly at once, when `rows` rows of one table may be judged."""
        if self._left > 0 and not self._waiting:
            self._left -= rows
            return
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next_round)
        turn = loop.create_future()
        self._waiting.append((rows, turn))
        await turn

    def _next_round(self) -> None:
        self._left = ROWS
        while self._waiting and self._left > 0:
            rows, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                self._left -= rows
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next_round)
