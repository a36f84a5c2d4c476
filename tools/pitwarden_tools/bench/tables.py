"""Rows to verdicts of 1 to 1,000 tables: with the judge's journal, and through MQTT; by processor time."""

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Final

from pitwarden.journal.judge_journal import JudgeJournal
from pitwarden_tools.bench.in_process import JudgedTable, stored
from pitwarden_tools.bench.pit import Loaded, loaded
from pitwarden_tools.bench.process import used
from pitwarden_tools.bench.workloads import Workload, night

COUNTS: Final = (1, 10, 100, 1_000)
# Rows of one measurement, or one of each table where those are more.
ROWS: Final = 400
OPENING: Final = 40  # rows of a table that opens, before its first round
BASE: Final = "rules alone"

Run = Callable[[], Awaitable[float]]


async def measured(mosquitto: str, folder: Path, rounds: int, counts: Sequence[int] = COUNTS) -> dict[str, list[float]]:
    """Return the rows per second of the judge's own processor time, in turn, `rounds` times."""
    one = night(folder / "night")
    async with AsyncExitStack() as stack:
        runs: dict[str, Run] = {BASE: await _alone(one, folder, rounds, stack)}
        for count in counts:
            runs[f"with the journal, {count}"] = await _with_journal(one, folder, count, rounds, stack)
            place = folder / f"mqtt-{count}"
            place.mkdir()
            ready = await stack.enter_async_context(loaded(mosquitto, place, count, _rows(count, rounds)))
            await _through(ready, OPENING, count)
            runs[f"through MQTT, {count}"] = partial(_through, ready, _each(count), count)
        figures: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(rounds):
            for name, run in runs.items():
                figures[name].append(await run())
    return figures


async def _alone(one: Workload, folder: Path, rounds: int, stack: AsyncExitStack) -> Run:
    [table] = await _tables(one, folder / "alone.sqlite", 1, rounds, stack)
    await table.decided(OPENING)

    async def run() -> float:
        before = used(os.getpid()).cpu_s
        await table.decided(ROWS)
        return _rate(ROWS, before, os.getpid())

    return run


async def _with_journal(one: Workload, folder: Path, count: int, rounds: int, stack: AsyncExitStack) -> Run:
    tables = await _tables(one, folder / f"journal-{count}.sqlite", count, rounds, stack)
    await stored(tables, OPENING)

    async def run() -> float:
        before = used(os.getpid()).cpu_s
        await stored(tables, _each(count))
        return _rate(_each(count) * count, before, os.getpid())

    return run


async def _tables(one: Workload, path: Path, count: int, rounds: int, stack: AsyncExitStack) -> list[JudgedTable]:
    journal = await JudgeJournal.open(path)
    stack.push_async_callback(journal.close)
    return [JudgedTable(f"t{number}", one, journal, _rows(count, rounds)) for number in range(count)]


async def _through(ready: Loaded, rows: int, count: int) -> float:
    before = used(ready.judge).cpu_s
    await ready.stored(rows)
    return _rate(rows * count, before, ready.judge)


def _rate(rows: int, before: float, pid: int) -> float:
    return rows / (used(pid).cpu_s - before)


def _each(count: int) -> int:
    return max(1, ROWS // count)


def _rows(count: int, rounds: int) -> int:
    return OPENING + rounds * _each(count)
