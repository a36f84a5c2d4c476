"""Log of one table over a real journal in a folder: the rows that left it, and the faults that it reported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pitwarden.field.log.epochs import FieldKeys, open_epoch
from pitwarden.field.log.row_builder import LogIdentity
from pitwarden.field.log.sequencer import LogSequencer
from pitwarden.journal.field_journal import FieldJournal
from pitwarden.seal.keys import PrivateKey, SigningKey
from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from testkit.clocks.fake_clock import FakeClock

PLACE = LogIdentity("harbor", "ta01", simulated=True)
KEYS = FieldKeys(SigningKey.generate(), (PrivateKey.generate().public_key,))


@dataclass(frozen=True)
class Follower:
    """Record of rows that left the log, and of the journal's faults."""

    left: list[LogEvent]
    faults: list[str]

    def logged(self, row: LogEvent, waited_ms: int, now_ms: int) -> None:
        assert 0 <= waited_ms <= now_ms
        self.left.append(row)

    def log_idle(self) -> None:
        pass

    def log_faults(self, names: tuple[str, ...]) -> None:
        self.faults.append("+".join(names))


class TableLogBench:
    def __init__(self, journal: FieldJournal, table_log: LogSequencer, left: list[LogEvent], faults: list[str]) -> None:
        self.journal, self.log, self.left, self.faults = journal, table_log, left, faults

    async def stored(self) -> list[LogEvent]:
        return [decode(LogEvent, row.body) for row in await self.journal.rows_after(0, 10_000)]


@asynccontextmanager
async def running(table_log: LogSequencer) -> AsyncIterator[None]:
    task = asyncio.create_task(table_log.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def table_log_bench(path: Path, *, run: bool = True) -> AsyncIterator[TableLogBench]:
    journal = await FieldJournal.open(path / "field.sqlite")
    await journal.reserve.allocate()
    opening = await open_epoch(journal, PLACE, KEYS, FakeClock())
    left: list[LogEvent] = []
    faults: list[str] = []
    table_log = LogSequencer(journal, opening.rows)
    table_log.follower = Follower(left, faults)
    for pending in opening.first:
        table_log.offer(pending)
    try:
        async with running(table_log) if run else nullcontext():
            yield TableLogBench(journal, table_log, left, faults)
    finally:
        await journal.close()
