"""Committed rows per second: the judge's journal with group commit, and bare SQLite with the same durability."""

import asyncio
from pathlib import Path
from timeit import default_timer
from typing import Final

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden.journal.records import ReceivedRow
from pitwarden.judge.recovery import recover
from pitwarden.judge.table_judge import TableIdentity, TableJudge
from pitwarden_client.events.base import Position
from pitwarden_client.events.codec import digest
from pitwarden_client.events.table import Head
from pitwarden_tools.bench.baseline import ROW, Commits
from pitwarden_tools.bench.feed import SITE
from pitwarden_tools.bench.in_process import JudgedTable
from pitwarden_tools.bench.workloads import ROWS, Workload, night

TABLES: Final = (1, 10, 100)
FOLDED: Final = "folded"
EACH: Final = 4  # commits of one table in a row


class BareJournal:
    """Journal of a judge that many tables write at the same time."""

    def __init__(self, journal: JudgeJournal) -> None:
        self._journal = journal
        self._number = 0

    async def rate(self, tables: int) -> float:
        """Return the rows per second while each of a number of tables commits row after row."""
        first, self._number = self._number, self._number + EACH
        began = default_timer()
        await asyncio.gather(*(self._one(f"s/{tables}-{table}", first) for table in range(tables)))
        return tables * EACH / (default_timer() - began)

    async def replayed(self) -> float:
        """Return the rows per second read back in pages."""
        began, at, count = default_timer(), None, 0
        while page := await self._journal.rows_after(f"s/{TABLES[0]}-0", at, 500):
            at, count = page[-1].at, count + len(page)
        return count / (default_timer() - began)

    async def _one(self, table: str, first: int) -> None:
        for number in range(first + 1, first + EACH + 1):
            at = Position(epoch="e", number=number)
            row = ReceivedRow(at, digest(ROW), ROW)
            await self._journal.store(table, [row], [], Head(at=at, hash=row.hash))


async def folded(one: Workload, journal: JudgeJournal) -> float:
    """Return the rows per second with which a starting judge evaluates its journal again, from the first row."""
    judge = TableJudge(TableIdentity(SITE, FOLDED, "judge"), one.setup, one.unsealer(FOLDED), journal)
    began = default_timer()
    await recover(judge, journal, (one.private,))
    return judge.state.number / (default_timer() - began)


def bare(commits: Commits) -> float:
    """Return the rows per second of bare SQLite, one commit each."""
    began = default_timer()
    for _ in range(EACH):
        commits.commit(ROW)
    return EACH / (default_timer() - began)


async def measured(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return the rows per second of each, measured in turn."""
    opened = await JudgeJournal.open(folder / "bench-judge.sqlite")
    journal, commits = BareJournal(opened), Commits(folder / "bench-bare.sqlite")
    figures: dict[str, list[float]] = {"bare SQLite": [], **{f"journal, {count} tables": [] for count in TABLES}}
    try:
        for _ in range(rounds):
            figures["bare SQLite"].append(bare(commits))
            for count in TABLES:
                figures[f"journal, {count} tables"].append(await journal.rate(count))
        one = night(folder / "night")
        await JudgedTable(FOLDED, one, opened, ROWS).stored(ROWS)
        figures["fold"] = [await folded(one, opened) for _ in range(rounds)]
        figures["replay"] = [await journal.replayed() for _ in range(rounds)]
    finally:
        await opened.close()
    return figures
