"""The dashboard for Grafana: its panels name documented columns only, and run with the rights of their role alone.

Grafana itself does not run here: variables and macros of its PostgreSQL data source are replaced as it documents them.
"""

import asyncio
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from testkit.pages.reported_history import (
    APRIL,
    ENDED,
    HOUR_MS,
    MARCH,
    MARCH_MS,
    SIMULATED,
    simulated_night,
    store_reported_history,
)

if TYPE_CHECKING:
    from testkit.installation.postgresql import PostgresqlServer

FILES = Path(__file__).parents[2] / "console/grafana"
PAGE = (Path(__file__).parents[2] / "docs/reference/report-views.md").read_text(encoding="utf-8")
DASHBOARD: Mapping[str, Any] = json.loads((FILES / "pit-console.json").read_text(encoding="utf-8"))
VARIABLES: Mapping[str, Mapping[str, Any]] = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
QUERIES = {panel["title"]: target["rawSql"] for panel in DASHBOARD["panels"] for target in panel["targets"]}
SOURCE = {"type": "grafana-postgresql-datasource", "uid": "${datasource}"}
DOCUMENTED = {
    name: set(re.findall(r"^\| `(\w+)`", rows, re.MULTILINE))
    for name, rows in re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
}
PANELS = pytest.mark.parametrize("title", QUERIES)
FROM, TO = "2026-03-01T00:00:00Z", "2026-04-30T00:00:00Z"


def test_every_panel_has_one_query_of_the_chosen_database() -> None:
    panels = DASHBOARD["panels"]
    assert len(QUERIES) == len(panels) == len({panel["id"] for panel in panels})
    assert VARIABLES["datasource"]["query"] == SOURCE["type"]
    assert all(panel["datasource"] == SOURCE == panel["targets"][0]["datasource"] for panel in panels)
    assert (DASHBOARD["schemaVersion"], DASHBOARD["timezone"]) == (38, "utc")


@PANELS
def test_a_panel_names_documented_views_and_columns(title: str) -> None:
    """Keywords are in capitals, titles in quotes: what else is written is a view, a column or a function."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|\$\w+", " ", QUERIES[title])
    views = set(re.findall(r"\b(?:FROM|JOIN) (\w+)", bare))
    assert len(views) == 1, "a column is looked for in its own view"
    [view] = views
    assert set(re.findall(r"\b[a-z]\w*\b(?! *\()", bare)) - {view} <= DOCUMENTED[view]


@PANELS
def test_a_panel_leaves_simulated_nights_out_unless_nothing_else_is_in(title: str) -> None:
    assert " AND simulated = '$simulated' AND table_name IN ($table)" in QUERIES[title]
    assert VARIABLES["simulated"]["current"]["value"] == "false"
    assert {option["value"] for option in VARIABLES["simulated"]["options"]} == {"false", "true"}


@PANELS
def test_a_panel_is_limited_to_the_chosen_time_or_states_that_it_is_not(title: str) -> None:
    [panel] = [one for one in DASHBOARD["panels"] if one["title"] == title]
    assert ("$__timeFilter(" in QUERIES[title]) != ("Not limited to the chosen time." in panel["description"])


def test_the_installation_has_the_files() -> None:
    build = tomllib.loads((FILES.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"]["shared-data"] == {"grafana": "share/pitwarden-console/grafana"}
    assert {file.name for file in FILES.iterdir()} == {"pit-console.json", "reader.sql", "extract.sql"}


def replaced(query: str, *, simulated: str = "false", tables: Sequence[str] = ()) -> str:
    """Return a query as Grafana sends it. Without `tables` it is that of All, whose value is sent as it is."""
    chosen = ",".join(f"'{name}'" for name in tables) or VARIABLES["table"]["allValue"]
    query = query.replace("$simulated", simulated).replace("$table", chosen)
    query = re.sub(r"\$__timeFilter\(([^)]*)\)", rf"\1 BETWEEN '{FROM}' AND '{TO}'", query)
    assert "$" not in query, "a variable or a macro that this test does not know"
    return query


@pytest.fixture(scope="module")
def reader(shared_postgresql: "PostgresqlServer") -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Yield a connection of the reader's role to a store with a history."""
    host, name = shared_postgresql.environment["PGHOST"], shared_postgresql.new_database()
    night = simulated_night()
    asyncio.run(store_reported_history(f"postgresql+asyncpg://pit@/{name}?host={host}", night))
    with psycopg.connect(host=host, user="pit", dbname=name, autocommit=True) as owner:
        owner.execute((FILES / "reader.sql").read_bytes())
    with psycopg.connect(host=host, user="report_reader", dbname=name, autocommit=True) as connection:
        connection.execute("SET TIME ZONE 'America/New_York'")  # it must not move a day
        yield connection


def at(ms: int) -> datetime:
    return datetime.fromtimestamp(ms // 1_000, UTC) + timedelta(milliseconds=ms % 1_000)


def day(of: date) -> datetime:
    return datetime(of.year, of.month, of.day)  # noqa: DTZ001  a gaming day has no time zone


OPENED = at(ENDED.opened_ms)
EXPECTED: Mapping[str, Sequence[tuple[object, ...]]] = {
    "Open irregularities now": [(1, 1)],
    "Ended unseen, not reviewed": [(1,)],
    "Overdue duties now": [(1,)],
    "Open irregularities": [
        (1, OPENED, "bj-1", "CB-14", "13:69F-51.7(e), 13:69F-51.8", "HOLD", "floorperson", "shoe", None)
    ],
    "Irregularities by clause and month": [
        (day(date(2026, 3, 1)), "13:69F-36.14(b)", 1), (day(date(2026, 3, 1)), "13:69F-51.7(e)", 1),
        (day(date(2026, 3, 1)), "13:69F-51.8", 1), (day(date(2026, 3, 1)), "no clause", 1),
        (day(date(2026, 4, 1)), "13:69F-36.14(b)", 1),
    ],
    "Time to acknowledge": [(day(MARCH), 20, 20), (day(APRIL), 4, 4)],
    "Time to end": [(day(MARCH), 45, 150), (day(APRIL), 90, 90)],
    "Irregularities that name a device, for 1,000 rounds": [(day(MARCH), 5), (day(APRIL), None)],
    "Stopped by priority 1, minutes": [(day(MARCH), 2), (day(APRIL), 1)],
    "Late duties": [(day(MARCH), 2)],
    "By table and gaming day": [
        (APRIL, "bj-1", 0, 0, 0, None, 0), (APRIL, "bj-2", 0, 1, 1, None, 1),
        (MARCH, "bj-1", 300, 3, 2, Decimal("6.67"), 2), (MARCH, "bj-2", 100, 0, 0, 0, 0),
    ],
}  # fmt: skip
"""Rows of each panel about the real tables."""


def asked(reader: psycopg.Connection[tuple[object, ...]], query: str) -> Sequence[tuple[object, ...]]:
    return reader.execute(query.encode()).fetchall()


@PANELS
def test_a_panel_shows_the_real_tables(reader: psycopg.Connection[tuple[object, ...]], title: str) -> None:
    assert asked(reader, replaced(QUERIES[title])) == EXPECTED[title]


@PANELS
def test_a_panel_has_the_same_for_the_same_tables_by_name(
    reader: psycopg.Connection[tuple[object, ...]], title: str
) -> None:
    everything = asked(reader, replaced(QUERIES[title]))
    assert asked(reader, replaced(QUERIES[title], tables=("bj-1", "bj-2", SIMULATED))) == everything
    assert asked(reader, replaced(QUERIES[title], tables=(SIMULATED,))) in ([], [(0,)], [(0, 0)])


def test_a_simulated_night_is_shown_when_it_is_chosen(reader: psycopg.Connection[tuple[object, ...]]) -> None:
    found = {title: asked(reader, replaced(query, simulated="true")) for title, query in QUERIES.items()}
    assert found["Irregularities by clause and month"] == [(day(date(2026, 3, 1)), "13:69F-36.14(b)", 1)]
    [(gaming_day, table, rounds, irregularities, *_)] = found["By table and gaming day"]
    assert (gaming_day, table, rounds, irregularities) == (MARCH, SIMULATED, 2, 1)


def test_the_choice_of_tables_has_those_of_the_chosen_nights(reader: psycopg.Connection[tuple[object, ...]]) -> None:
    query = VARIABLES["table"]["query"]
    assert asked(reader, replaced(query)) == [("bj-1",), ("bj-2",)]
    assert asked(reader, replaced(query, simulated="true")) == [(SIMULATED,)]


def test_the_days_are_within_the_time_that_is_chosen() -> None:
    """Else a panel could show nothing, rightly."""
    assert datetime.fromisoformat(FROM) < at(MARCH_MS) < at(MARCH_MS + 24 * HOUR_MS) < datetime.fromisoformat(TO)
