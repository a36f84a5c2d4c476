"""Report views: columns as documented in both databases, figures as the console's pages have them, and least rights."""

import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import RowMapping, text

from pitwarden_client import Item
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.figures import FigureReader, times_taken
from pitwarden_console.store.remarks import RemarkBook
from testkit.pages.reported_history import (
    APRIL,
    HOUR_MS,
    MADE,
    MARCH,
    MARCH_MS,
    PERSON,
    SENTENCE,
    SIMULATED,
    simulated_night,
    store_reported_history,
)

if TYPE_CHECKING:
    from testkit.installation.postgresql import PostgresqlServer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/report-views.md").read_text(encoding="utf-8")
DOCUMENTED = {
    name: re.findall(r"^\| `(\w+)`", rows, re.MULTILINE)
    for name, rows in re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}
"""Columns of each view, as its page lists them."""


@pytest.fixture(scope="module")
def night() -> tuple[Item, ...]:
    return simulated_night()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
async def database(
    request: pytest.FixtureRequest, tmp_path: Path, night: tuple[Item, ...]
) -> AsyncIterator[HistoryDatabase]:
    url = f"sqlite+aiosqlite:///{tmp_path / 'console.sqlite'}"
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("shared_postgresql")
        url = f"postgresql+asyncpg://pit@/{server.new_database()}?host={server.environment['PGHOST']}"
    await store_reported_history(url, night)
    async with open_database(url) as opened:
        yield opened


async def rows_of(database: HistoryDatabase, view: str) -> Sequence[RowMapping]:
    async with database.reading() as connection:
        return (await connection.execute(text(f"SELECT * FROM {view}"))).mappings().all()  # noqa: S608  our names


def test_the_page_documents_four_views() -> None:
    assert sorted(DOCUMENTED) == ["report_clause", "report_day", "report_duty", "report_irregularity"]


async def test_each_view_has_the_documented_columns(database: HistoryDatabase) -> None:
    for view, columns in DOCUMENTED.items():
        found = await rows_of(database, view)
        assert found, view
        assert list(found[0]) == columns, view


@pytest.mark.parametrize("simulated", [False, True])
async def test_the_views_have_the_figures_of_the_trends(
    database: HistoryDatabase,
    simulated: bool,  # noqa: FBT001  a case
) -> None:
    """One definition: whoever counts in a view gets what the console's page shows."""
    irregularities = [row for row in await rows_of(database, "report_irregularity") if row["simulated"] == simulated]
    days = [row for row in await rows_of(database, "report_day") if row["simulated"] == simulated]
    trends = await FigureReader(database).trends(MARCH, APRIL, simulated=simulated)
    assert [each.month for each in trends.months] == ([(2026, 3)] if simulated else [(2026, 3), (2026, 4)])
    for month in trends.months:
        of_month = [row for row in irregularities if in_month(row, month.month)]
        days_of_month = [row for row in days if in_month(row, month.month)]
        assert month.acknowledged == taken(of_month, "seconds_to_acknowledge")
        assert month.ended == taken(of_month, "seconds_to_end")
        assert month.rounds == sum(row["rounds"] for row in days_of_month)
        assert month.device_faults == sum(row["device_faults"] for row in days_of_month)
        assert month.device_faults == sum(row["device"] is not None for row in of_month)
        assert month.stopped_minutes == sum(row["stopped_ms"] for row in days_of_month) // 60_000
        assert len(of_month) == sum(row["irregularities"] for row in days_of_month)
    catalogue = Counter((row["catalogue"], str(row["gaming_day"])[:7]) for row in irregularities)
    assert catalogue == {
        (name, f"{year}-{month:02d}"): count
        for name, counts in trends.by_catalogue
        for (year, month), count in counts.items()
    }
    if not simulated:
        assert [(each.device_faults, each.stopped_minutes) for each in trends.months] == [(2, 2), (1, 1)]


def in_month(row: RowMapping, month: tuple[int, int]) -> bool:
    return str(row["gaming_day"]).startswith(f"{month[0]}-{month[1]:02d}-")


def taken(rows: Sequence[RowMapping], column: str) -> object:
    return times_taken(Counter(row[column] for row in rows if row[column] is not None))


async def test_the_views_have_what_ended_unseen_and_what_was_late(database: HistoryDatabase) -> None:
    """As the report on a shift and the page of the unseen have them, also after a review."""
    starts, ends = MARCH_MS, MARCH_MS + 24 * HOUR_MS
    book = RemarkBook(database)
    for expected in (1, 0):
        figures = await FigureReader(database).shift(["bj-1", "bj-2"], starts, ends, simulated=False)
        irregular = [row for row in await rows_of(database, "report_irregularity") if not row["simulated"]]
        unseen = [row["ref"] for row in irregular if row["unseen"]]
        assert len(unseen) == figures.unseen == (await book.unseen(simulated=False))[1] == expected
        late = [row["overdue_ms"] for row in await rows_of(database, "report_duty") if not row["simulated"]]
        assert sum(at is not None and starts <= at < ends for at in late) == figures.late_duties == 2
        still_open = {row["ref"] for row in irregular if row["ended_ms"] is None}
        assert still_open == {one.incident.ref for one in figures.open if one.incident.kind == "irregularity"} != set()
        await book.add_look(11, "unseen", ends, PERSON)


async def test_an_irregularity_is_listed_under_each_of_its_clauses(database: HistoryDatabase) -> None:
    found = await rows_of(database, "report_clause")
    expected = [
        (table, one.ref, clause)
        for table, made in MADE.items()
        for one in made
        if one.kind == "irregularity"
        for clause in one.clauses or ("",)
    ]
    real = [(row["table_name"], row["ref"], row["clause"]) for row in found if not row["simulated"]]
    assert sorted(real) == sorted(expected)
    assert [row["clause"] for row in found if row["table_name"] == SIMULATED] == ["13:69F-36.14(b)"]
    assert {row["clauses"] for row in await rows_of(database, "report_irregularity") if row["ref"] == "open"} == {
        "13:69F-51.7(e), 13:69F-51.8"
    }


async def test_instants_are_in_utc_to_the_millisecond(database: HistoryDatabase) -> None:
    pairs = 0
    for view in ("report_irregularity", "report_duty"):
        for row in await rows_of(database, view):
            for name in (name for name in row if name.endswith("_at")):
                at, ms = row[name], row[f"{name.removesuffix('_at')}_ms"]
                assert (at is None) == (ms is None)
                if at is not None:
                    instant = datetime.fromisoformat(at) if isinstance(at, str) else at
                    assert instant.utcoffset() is not None
                    assert instant == datetime.fromtimestamp(ms // 1_000, UTC).replace(microsecond=ms % 1_000 * 1_000)
                    pairs += 1
    assert pairs > 10


async def test_no_view_has_a_person_or_a_text_for_the_floor(database: HistoryDatabase) -> None:
    for view in DOCUMENTED:
        found = [value for row in await rows_of(database, view) for value in row.values()]
        assert not [value for value in found if isinstance(value, bytes) or value in {PERSON, SENTENCE, "f1"}], view


@pytest.fixture
async def store(tmp_path: Path, night: tuple[Item, ...]) -> AsyncIterator[Path]:
    """Yield the file of an SQLite store that the console has open."""
    path = tmp_path / "console.sqlite"
    url = f"sqlite+aiosqlite:///{path}"
    await store_reported_history(url, night)
    async with open_database(url):
        yield path


async def test_sqlite_serves_the_views_to_a_reader_that_can_change_nothing(store: Path) -> None:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        for view in DOCUMENTED:
            assert reader.execute(f"SELECT * FROM {view}").fetchall(), view  # noqa: S608  our names
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM incident")


async def test_an_extract_has_the_views_and_nothing_else(store: Path, tmp_path: Path) -> None:
    extract = tmp_path / "report.sqlite"
    script = (ROOT / "console/grafana/extract.sql").read_text(encoding="utf-8")
    path = re.findall(r"ATTACH DATABASE '(.*)' AS", script)
    assert path == ["/var/lib/pitwarden-grafana/report.sqlite"]
    for _ in range(2):  # the second one replaces the first
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as console:
            console.executescript(script.replace(path[0], str(extract)))
    with closing(sqlite3.connect(f"file:{extract}?mode=ro", uri=True)) as reader:
        assert {name for (name,) in reader.execute("SELECT name FROM sqlite_master")} == DOCUMENTED.keys()
        with closing(sqlite3.connect(store)) as console:
            for view in DOCUMENTED:
                query = f"SELECT * FROM {view}"  # noqa: S608  our names
                assert reader.execute(query).fetchall() == console.execute(query).fetchall() != []


@pytest.fixture
def database_name(shared_postgresql: "PostgresqlServer") -> str:
    return shared_postgresql.new_database()


def connected(server: "PostgresqlServer", database: str, user: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(host=server.environment["PGHOST"], user=user, dbname=database, autocommit=True)


RIGHTS = b"""
SELECT relname, asked FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS asked
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
AND (has_table_privilege('report_reader', pg_class.oid, asked || ', DELETE, TRUNCATE, TRIGGER')
     OR has_any_column_privilege('report_reader', pg_class.oid, asked))
"""


async def test_the_reader_of_postgresql_reads_the_views_and_nothing_else(
    shared_postgresql: "PostgresqlServer", database_name: str, night: tuple[Item, ...]
) -> None:
    server = shared_postgresql
    url = f"postgresql+asyncpg://pit@/{database_name}?host={server.environment['PGHOST']}"
    await store_reported_history(url, night)
    script = (ROOT / "console/grafana/reader.sql").read_bytes()
    with connected(server, database_name, "pit") as owner:
        for _ in range(2):  # as after an upgrade
            owner.execute(script)
        assert set(owner.execute(RIGHTS).fetchall()) == {(view, "SELECT") for view in DOCUMENTED}
        found = owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = {str(name) for (name,) in found}
    assert tables > {"incident", "log_row", "account", "alembic_version"}
    with connected(server, database_name, "report_reader") as reader:
        for view in DOCUMENTED:
            assert reader.execute(f"SELECT * FROM {view}".encode()).fetchall(), view  # noqa: S608  our names
        # It may switch its protection against mistakes off, which gives it no right.
        reader.execute("SET default_transaction_read_only = off")
        refused = [f'SELECT * FROM "{name}"' for name in tables]  # noqa: S608  our names
        for statement in (*refused, "DELETE FROM incident", "CREATE TABLE public.added (id integer)"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                reader.execute(statement.encode())


def test_the_files_for_grafana_name_the_documented_views() -> None:
    """A view that is added is granted and copied, too."""
    named: Mapping[str, set[str]] = {
        name: set(re.findall(r"\breport_(?!reader)\w+", (ROOT / "console/grafana" / name).read_text(encoding="utf-8")))
        for name in ("reader.sql", "extract.sql")
    }
    assert named == {"reader.sql": DOCUMENTED.keys(), "extract.sql": DOCUMENTED.keys()}
