"""Bounded inbox of rows in order; fair share between tables.

Rows from MQTT on their way to the rules: a bounded inbox, each row once and in order, forks taken up.

So many rows, of all tables of a process, are judged in one round of its event loop.

The adversary is a pit's backlog: a thousand tables with a batch each would keep the loop for half a minute, every link
would be lost over it, and all would be sent again.
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

BATCH: Final = 64  # so that one table's flood leaves the others of its process their turn
INBOX: Final = 1_000  # more than the sender's window; what does not fit comes again

_log = structlog.get_logger()


@dataclass(slots=True)
class JudgeBatch:
    """Rows to judge, and the messages, with the time of arrival in ms, to acknowledge once they are committed."""

    rows: list[LogRow] = field(default_factory=list)
    heard: list[tuple[int, InboundMessage]] = field(default_factory=list)


class RowIntake:
    """Of one table."""

    def __init__(
        self, receiver: LogReceiver, judge: TableJudge, faults: JudgeFaults, meters: JudgeMetrics, clock: Clock
    ) -> None:
        self._receiver, self._judge, self._faults = receiver, judge, faults
        self._meters, self._clock = meters, clock
        self._inbox: deque[tuple[int, InboundMessage]] = deque()

    @property
    def waiting(self) -> int:
        """Messages not taken yet."""
        return len(self._inbox)

    def put(self, message: InboundMessage) -> None:
        """Takes a message of the log; an event is never retained, and what does not fit comes again."""
        if message.retained or len(self._inbox) >= INBOX:
            self._meters.refused("retained" if message.retained else "queue_full")
            message.ack()
            return
        self._inbox.append((self._clock.mono_ms(), message))

    def next_batch(self) -> JudgeBatch:
        """What waits, at most a batch of it, as rows in order."""
        batch = JudgeBatch()
        while self._inbox and len(batch.heard) < BATCH:
            arrived, message = self._inbox.popleft()
            batch.heard.append((arrived, message))
            taken = self._receiver.take(message.payload)
            self._meters.on_received(self._receiver)
            batch.rows.extend(taken.rows)
            if taken.garbage is not None:
                self._meters.refused("no_row")
                _log.warning("not a row of this table", topic=message.topic, reason=taken.garbage)
            if taken.forked is not None:
                self._meters.refused("forked")
                batch.rows.extend(self._follow(taken.forked))
        return batch

    def on_head(self, payload: bytes) -> None:
        """Nothing is stored here, and there the oldest rows are gone: the log begins behind them, with a HOLD."""
        if self._receiver.taken is not None:
            return
        behind = self._judge.trimmed_head(payload)
        if behind is not None:
            self._faults.distrust = "the log's oldest rows are gone and were never judged here: verify the decks"
            _log.warning("log begins behind trimmed rows", epoch=behind.at.epoch, number=behind.at.number)
            self._receiver.begin(behind)

    def _follow(self, forked: Fork) -> tuple[LogRow, ...]:
        """The rules hear of a fork by its first row, whose parent is not where they are: they HOLD."""
        self._faults.fault("log_forked", forked.reason)
        if not self._receiver.can_follow(forked):
            self._faults.distrust = "the log forked: verify the decks"
            return ()
        _log.error("log.forked", reason=forked.reason, epoch=forked.row.at.epoch)
        return self._receiver.follow_fork(forked).rows


ROWS: Final = 64  # of one round, or one batch more


class FairShare:
    """Lets tables through in the order in which they came; a new measure begins once somebody waits for one."""

    def __init__(self) -> None:
        self._left = ROWS
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def enter(self, rows: int) -> None:
        """Returns, mostly at once, when so many rows of one table may be judged."""
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
