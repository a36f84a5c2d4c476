"""A year of a property answers each question by an index, in both databases.

Milliseconds depend on the machine: what is asserted is the plan of each query. `PITWARDEN_PROPERTY_YEAR=1`
makes the complete year, checks a second at the 95th percentile, and prints the times for the table in the documents.
"""

import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, event

from pitwarden_console.people.audit import Audit
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.figures import FigureReader
from pitwarden_console.store.history import HistoryReader, HistorySearch
from pitwarden_console.store.remarks import RemarkBook
from pitwarden_console.store.schema import metadata
from testkit.pages.property_year import MadeYear, YearSize, make_year
from testkit.pages.stored_tables import SteppedClock, sqlite_url

if TYPE_CHECKING:
    from testkit.installation.postgresql import PostgresqlServer

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(3_000)]

SMALL = YearSize(tables=10, days=20, incidents_a_day=100, acts_a_day=20, row_days=2, rows_a_table_day=200)
SHORT = {"gaming_table"}
"""Tables of the store with so few rows that a plan may read all of them."""
Question = Callable[[], Awaitable[object]]


def questions(database: HistoryDatabase, year: MadeYear) -> Mapping[str, Question]:
    """Return each question of the pages, about the last day, month and year."""
    history, figures, remarks = HistoryReader(database), FigureReader(database), RemarkBook(database)
    audit = Audit(database, SteppedClock(year.last_ms))
    tables = [f"t{number:03d}" for number in range(1, 13)]
    shift = (year.last_ms, year.last_ms + 8 * 3_600_000)
    month = year.last - timedelta(days=29)

    def search(**terms: str) -> Question:
        return lambda: history.search(replace(HistorySearch(year.first, year.last), **terms))  # type: ignore[arg-type]

    return {
        "newest of a year": search(),
        "a table's year": search(table="t007"),
        "a person's year": search(person="f17"),
        "a catalog id's year": search(catalogue="CB-14"),
        "a clause's year": search(clause="36.14(b)"),
        "a device's year": search(device="shoe"),
        "a status's year": search(status="refuted"),
        "a day of a table": lambda: history.search(HistorySearch(year.last, year.last, table="t007")),
        "one incident with its rows": lambda: history.record("harbor", year.table, "i1-1"),
        "a shift of a pit": lambda: figures.shift(tables, *shift, simulated=False),
        "trends of a month": lambda: figures.trends(month, year.last),
        "trends of a year": lambda: figures.trends(year.first, year.last),
        "what ended unseen": lambda: remarks.unseen(simulated=False),
        "acts of a day": lambda: audit.between(year.last_ms, year.last_ms + 86_400_000),
        "acts without an answer": lambda: audit.unanswered(year.last_ms),
    }


async def times_ms(asked: Question, times: int) -> list[float]:
    made = []
    for _ in range(times):
        began = time.perf_counter()
        await asked()
        made.append((time.perf_counter() - began) * 1_000)
    return made


@asynccontextmanager
async def year_of(url: str, size: YearSize) -> AsyncIterator[tuple[HistoryDatabase, MadeYear]]:
    async with open_database(url) as database:
        yield database, await make_year(database, size)


def url_of(request: pytest.FixtureRequest, folder: Path, store: str) -> str:
    if store == "sqlite":
        folder.mkdir()
        return sqlite_url(folder)
    server: PostgresqlServer = request.getfixturevalue("shared_postgresql")
    return f"postgresql+asyncpg://pit@/{server.new_database()}?host={server.environment['PGHOST']}"


@contextmanager
def statements() -> Iterator[list[tuple[str, tuple[object, ...]]]]:
    """Yield the statements that are executed in the block, with their values."""
    seen: list[tuple[str, tuple[object, ...]]] = []

    def noted(_connection: object, _cursor: object, statement: str, values: tuple[object, ...], *_: object) -> None:
        seen.append((statement, values))

    event.listen(Engine, "before_cursor_execute", noted)
    try:
        yield seen
    finally:
        event.remove(Engine, "before_cursor_execute", noted)


async def whole_reads(database: HistoryDatabase, statement: str, values: tuple[object, ...] = ()) -> list[str]:
    """Return the steps of SQLite's plan that read a stored table, or an index of it, from end to end.

    A step names a table by its alias in the statement. An automatic index is made for one statement, of the whole
    table.
    """
    named = {name: name for name in metadata.tables if name not in SHORT}
    named |= {alias: table for table, alias in re.findall(r"(\w+) AS (\w+)", statement) if table in named}
    async with database.reading() as connection:
        plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        steps = [str(row) for row in plan.scalars(3)]
    assert steps, statement
    return [
        step
        for step in steps
        if (found := re.match(r"(SCAN|SEARCH) (\w+)", step)) and found[2] in named
        if found[1] == "SCAN" or "AUTOMATIC" in step
    ]


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT ref FROM incident WHERE sentence = 'x'", ["SCAN incident"]),
        ("SELECT other.ref FROM incident AS other WHERE other.sentence = 'x'", ["SCAN other"]),
        ("SELECT count(*) FROM log_row", ["SCAN log_row USING COVERING INDEX ix_log_row_table_at"]),
        (
            "SELECT i.ref FROM incident AS i JOIN call AS c ON c.title = i.sentence WHERE i.id = 1",
            ["SCAN c"],
        ),
        ("SELECT name FROM gaming_table", []),
        ("SELECT ref FROM incident WHERE table_id = 1 AND ref = 'r'", []),
    ],
)
async def test_a_question_that_reads_a_whole_table_would_be_found(
    tmp_path: Path, statement: str, found: list[str]
) -> None:
    async with open_database(sqlite_url(tmp_path)) as database:
        assert await whole_reads(database, statement) == found


async def test_no_question_reads_a_whole_table(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The plan of SQLite, since PostgreSQL rightly reads a small table from end to end."""
    whole: dict[str, list[str]] = {}
    async with year_of(url_of(request, tmp_path / "year", "sqlite"), SMALL) as (database, year):
        for name, asked in questions(database, year).items():
            with statements() as executed:
                await asked()
            assert executed, name
            for statement, values in executed:
                if found := await whole_reads(database, statement, values):
                    whole[name] = [*found, statement]
    assert whole == {}


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
async def test_each_question_of_a_year_has_an_answer(
    request: pytest.FixtureRequest, tmp_path: Path, store: str
) -> None:
    complete = bool(os.environ.get("PITWARDEN_PROPERTY_YEAR"))
    async with year_of(url_of(request, tmp_path / "year", store), YearSize() if complete else SMALL) as (
        database,
        year,
    ):
        asked = questions(database, year)
        assert [name for name, each in asked.items() if not await each()] == ["acts without an answer"]
        if not complete:
            return
        taken = {name: sorted(await times_ms(each, 20)) for name, each in asked.items()}
    for name, found in taken.items():
        print(f"| {name} | {store} | {found[10]:.0f} | {found[18]:.0f} |")  # noqa: T201  the table of the documents
    assert {name: found[18] for name, found in taken.items() if found[18] >= 1_000} == {}
