"""The log of one table over a real journal in a folder: the rows that left it, and the faults that it reported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from pitwarden.events.codec import decode
from pitwarden.events.envelope import LogEvent
from pitwarden.events.topics import Topics
from pitwarden.field.epoch import FieldKeys, open_epoch
from pitwarden.field.log import TableLog
from pitwarden.field.rows import Place
from pitwarden.journal.field import FieldJournal
from pitwarden.seal.keys import PrivateKey, SigningKey
from testkit.clocks.fake_clock import FakeClock

PLACE = Place("harbor", "ta01", simulated=True)
KEYS = FieldKeys(SigningKey.generate(), (PrivateKey.generate().public_key,))


class TableLogBench:
    def __init__(self, journal: FieldJournal, table_log: TableLog, left: list[LogEvent], faults: list[str]) -> None:
        self.journal, self.log, self.left, self.faults = journal, table_log, left, faults

    async def stored(self) -> list[LogEvent]:
        return [decode(LogEvent, row.body) for row in await self.journal.rows_after(0, 10_000)]


@asynccontextmanager
async def running(table_log: TableLog) -> AsyncIterator[None]:
    task = asyncio.create_task(table_log.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def table_log_bench(path: Path, *, run: bool = True) -> AsyncIterator[TableLogBench]:
    journal = await FieldJournal.open(path / "field.sqlite")
    await journal.reserve.keep()
    opening = await open_epoch(journal, PLACE, KEYS, FakeClock())
    left: list[LogEvent] = []
    faults: list[str] = []
    table_log = TableLog(
        journal,
        opening.rows,
        Topics("harbor", "ta01"),
        on_row=left.append,
        on_faults=lambda names: faults.append("+".join(names)),
        on_idle=lambda: None,
    )
    for pending in opening.first:
        table_log.offer(pending)
    try:
        async with running(table_log) if run else nullcontext():
            yield TableLogBench(journal, table_log, left, faults)
    finally:
        await journal.close()
