"""Judging loop of one table: batches are judged, committed, and only then published."""

from dataclasses import dataclass
from typing import Final, Protocol

from pitwarden.journal.records import ReceivedRow, StoredOutput
from pitwarden.judge.dependencies import JudgeDependencies
from pitwarden.judge.faults import JudgeFaults
from pitwarden.judge.intake import BATCH, JudgeBatch, RowIntake
from pitwarden.judge.metrics import JudgeMetrics
from pitwarden.judge.outputs import ChainedOutput, log_output_change
from pitwarden.judge.persistence import JudgeRecorder
from pitwarden.judge.publisher import OutputPublisher
from pitwarden.judge.record_head import RecordHeadPublisher
from pitwarden.judge.shoe_locks import LOCK_EVENTS, ShoeLocks
from pitwarden.judge.table_judge import row_or_placeholder
from pitwarden.rules import profile_digest
from pitwarden.system.tasks import WakeableLoop
from pitwarden_client.chain.log_row import LogRow
from pitwarden_client.chain.receiver import LogReceiver
from pitwarden_client.events.codec import encode
from pitwarden_client.events.inputs import InputLogged
from pitwarden_client.events.topics import Topics

_OF_CARDS: Final = frozenset({"reveal", "reveal.corrected", "reader.revealed", "outcomes"})
"""Kinds of outputs that are published as reveals."""
# Seconds that the loop waits for the broker to acknowledge the outputs before it does the remaining work. On one core
# the broker otherwise waits for that work, and so does the verdict.
TAKEN_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class JudgingContext:
    """Components that the judging of a table works with."""

    receiver: LogReceiver
    intake: RowIntake
    publisher: OutputPublisher
    heads: RecordHeadPublisher
    faults: JudgeFaults
    meters: JudgeMetrics
    locks: ShoeLocks


class PositionSender(Protocol):
    """Publisher of the position up to which a judge has stored a table's log."""

    def publish_position(self) -> None:
        """Publish the position as it is now."""
        ...


class JudgingLoop(WakeableLoop):
    """Loop that judges the rows of one table."""

    def __init__(self, table: JudgeDependencies, tools: JudgingContext, positions: PositionSender) -> None:
        super().__init__()
        self._table = table
        self._receiver, self._intake, self._publisher = tools.receiver, tools.intake, tools.publisher
        self._heads = tools.heads
        self._faults, self._meters, self._locks = tools.faults, tools.meters, tools.locks
        self._record = JudgeRecorder(
            table.journal, table.identity.key, table.keys[0], profile_digest(table.setup), tools.faults,
            loop=self,
        )  # fmt: skip
        self._positions = positions
        topics = Topics(table.identity.site, table.identity.table)
        self._reveals, self._irregularities = topics.reveals, topics.irregularities
        self._duplicates = 0
        self.state: bytes | None = None
        """Retained state as of the last committed row, encoded; None before any row."""

    def count_turn(self) -> None:
        """Count a turn while the journal refuses rows."""
        self.progress += 1

    def count_recovered(self, rows: int) -> None:
        """Count the rows that the start judged again, for the next snapshot."""
        self._record.count_recovered(rows)

    def update_state(self) -> None:
        """Encode the state again, after a judged row or a change of the distrust."""
        judge = self._table.judge
        if judge.state.epoch:
            shown = judge.public(simulated=self._table.simulated, withheld=self._faults.distrust)
            self.state = encode(shown)

    async def _turn(self) -> None:
        while self._intake.waiting:
            await self._table.fair_share.enter(min(self._intake.waiting, BATCH))
            await self._process(self._intake.next_batch())

    async def _process(self, batch: JudgeBatch) -> None:
        if batch.rows:
            await self._judge(batch.rows)
            self._meters.committed((at for at, _ in batch.received), self._table.clock.mono_ms())
        self._meters.on_received(self._receiver)
        await self._faults.store()
        if batch.rows or self._receiver.duplicates > self._duplicates:
            # Duplicates are answered too: their sender does not know that the rows are stored.
            self._positions.publish_position()
        self._duplicates = self._receiver.duplicates
        for _, message in batch.received:
            message.ack()

    async def _judge(self, rows: list[LogRow]) -> None:
        received, outputs, new = [], list[StoredOutput](), list[ChainedOutput]()
        judge = self._table.judge
        for row in rows:
            event = row_or_placeholder(row.at, row.event, judge, simulated=self._table.simulated)
            said = judge.chain.append(event, await judge.judge(event))
            if isinstance(event.data, LOCK_EVENTS):
                self._locks.on_row(event)
            new.extend(said)
            received.append(ReceivedRow(row.at, row.hash, row.body, damaged=row.event is None))
            for each in said:
                topic = self._reveals if each.event.data.kind in _OF_CARDS else self._irregularities
                outputs.append(
                    StoredOutput(each.event.outputseq, row.at, each.event.index, each.hash, topic, each.payload)
                )
        head = rows[-1].head
        await self._record.store(received, outputs, head)
        self._receiver.committed(head)
        # Order: the outputs leave before any other work, so that a verdict arrives before the next card.
        self._publisher.push(outputs, None)
        await self._publisher.wait_acknowledged(TAKEN_S)
        self._meters.judged(len(rows), new)
        for each in new:
            log_output_change(self._table.identity.key, each.event.data)
        if any(_verifies(row) for row in rows):
            self._faults.distrust = ""
        self.update_state()
        self._publisher.push((), self.state)
        self._heads.committed(head, outputs)
        await self._record.snapshot_when_due(judge.state, head)


def _verifies(row: LogRow) -> bool:
    """Return whether the floorperson confirms in `row` that a deck was verified."""
    data = None if row.event is None else row.event.data
    return isinstance(data, InputLogged) and data.act.act == "ft.deck_verified"
