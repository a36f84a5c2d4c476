"""The history: an incident is found by each of its sides, its report proves itself, and a changed byte is found."""

import csv
import io
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from sqlalchemy import select, update
from starlette.types import ASGIApp

from pitwarden_client import Item
from pitwarden_client.events.codec import digest
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.chain_check import ChainReport, check_chains
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.history import PAGE, HistoryReader, HistorySearch
from pitwarden_console.store.schema import gaming_table, incident, judge_output, log_row
from pitwarden_console.web.hub import LiveHub
from testkit.pages.application import application, readable_console_file
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.stored_tables import SteppedClock, sqlite_url, store_night

DAY = date(2026, 3, 2)


@pytest.fixture
async def database(tmp_path: Path, nights: dict[str, tuple[Item, ...]]) -> AsyncIterator[HistoryDatabase]:
    for table, items in nights.items():
        await store_night(sqlite_url(tmp_path), table, items)
    async with open_database(sqlite_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
def app(tmp_path: Path, database: HistoryDatabase) -> ASGIApp:
    file = tmp_path / "console.toml"
    file.write_text(readable_console_file(("tab-shielded", "Pit A")))
    clock = SteppedClock()
    board = PitBoard(clock, load_priorities())
    return application(file, database, board, LiveHub(board), clock)


async def reports(database: HistoryDatabase, table: str) -> tuple[ChainReport, ChainReport]:
    async with database.reading() as connection:
        ident = (await connection.execute(select(gaming_table.c.id).where(gaming_table.c.name == table))).scalar_one()
    log, outputs = await check_chains(database, ident, DAY, DAY)
    return log, outputs


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, {"TAB-13", "TAB-37", "CB-14"}),
        ({"table": "tab-shielded"}, {"TAB-13", "TAB-37"}),
        ({"catalogue": "CB-14"}, {"CB-14"}),
        ({"clause": "36.14(b)"}, {"TAB-37"}),
        ({"clause": "%"}, set()),
        ({"person": "f1", "table": "tab-shielded"}, {"TAB-37"}),
        ({"person": "f2' OR 1=1 --"}, set()),
        ({"status": "cleared"}, {"TAB-37", "CB-14"}),
        ({"status": "refuted"}, set()),
        ({"unacknowledged": True}, {"TAB-13", "TAB-37", "CB-14"}),
        ({"simulated": False}, set()),
        ({"first": DAY + timedelta(days=1), "last": DAY + timedelta(days=9)}, set()),
    ],
)
async def test_an_incident_is_found_by_each_of_its_sides(
    database: HistoryDatabase, query: dict[str, object], found: set[str]
) -> None:
    wanted = TypeAdapter(HistorySearch).validate_python({"first": DAY, "last": DAY, "simulated": True, **query})
    page = await HistoryReader(database).search(wanted)
    assert {each.incident.catalogue for each in page.found} == found
    assert page.count == len(page.found)


async def test_a_search_is_read_page_by_page_without_a_gap(database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        [one] = (await connection.execute(select(incident).where(incident.c.catalogue == "TAB-37"))).mappings().all()
        copies = [
            {**{key: value for key, value in one.items() if key != "id"}, "ref": f"copy-{number}"}
            for number in range(2 * PAGE + 5)
        ]  # all opened in the same millisecond
        await connection.execute(incident.insert(), copies)
    reader, after, refs = HistoryReader(database), None, list[str]()
    for _ in range(3):
        page = await reader.search(HistorySearch(DAY, DAY, catalogue="TAB-37", simulated=True, after=after))
        refs += [each.incident.ref for each in page.found]
        after = page.more
    assert after is None
    assert len(refs) == len(set(refs)) == page.count == 2 * PAGE + 6


async def test_what_was_received_is_intact(database: HistoryDatabase, nights: dict[str, tuple[Item, ...]]) -> None:
    for table, items in nights.items():
        log, outputs = await reports(database, table)
        assert log.is_intact
        assert outputs.is_intact
        assert log.count + outputs.count == len(items)
        assert log.first.endswith("/1")


async def test_one_changed_byte_is_found(database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        row = (await connection.execute(select(log_row).where(log_row.c.kind == "kp.boxes"))).mappings().first()
        assert row is not None
        body = bytearray(row["body"])
        body[body.index(b'"time":"2026') + 8] = ord("3")
        await connection.execute(update(log_row).where(log_row.c.id == row["id"]).values(body=bytes(body)))
    found = [report for table in ("tab-shielded", "cb-manual") for report in await reports(database, table)]
    [fault] = [report for report in found if not report.is_intact]
    assert any("its bytes are not those that arrived" in line for line in fault.faults)


async def test_a_changed_byte_with_its_hash_is_found_by_the_next_row(database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        row = (await connection.execute(select(judge_output).order_by(judge_output.c.id))).mappings().all()[5]
        body = row["body"].replace(b'"simulated":true', b'"simulated":false')
        changed = update(judge_output).where(judge_output.c.id == row["id"]).values(body=body, hash=digest(body))
        await connection.execute(changed)
    found = [report for table in ("tab-shielded", "cb-manual") for report in await reports(database, table)]
    assert any("it names another predecessor" in line for report in found for line in report.faults)


async def test_a_missing_row_is_found(database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        rows = (await connection.execute(select(log_row).order_by(log_row.c.id))).mappings().all()
        await connection.execute(log_row.delete().where(log_row.c.id == rows[20]["id"]))
    found = [report for table in ("tab-shielded", "cb-manual") for report in await reports(database, table)]
    assert any("it follows" in line for report in found for line in report.faults)


async def get(app: ASGIApp, address: str) -> PageAnswer:
    return await request(app, address)


RANGE = f"first={DAY}&last={DAY}"


async def test_the_pages_lead_from_a_search_to_a_report_with_its_proof(app: ASGIApp) -> None:
    assert "Nothing was found" in (await get(app, f"/history?{RANGE}")).text, "simulated tables are left out"
    page = (await get(app, f"/history?{RANGE}&simulated=yes&clause=36.14(b)")).text
    assert "1 found" in page
    assert "SIMULATED" in page
    address = page.partition('href="/report/')[2].partition('"')[0]
    report = (await get(app, f"/report/{address}")).text
    for words in ("Incident report: TAB-37 at tab-shielded", "13:00:43 EST", "by f1", "ft.ten_destroyed", "intact"):
        assert words in report
    assert "basis: text" in report
    assert report.count('class="ribbon"') == 1
    assert "&#34;kind&#34;:&#34;irregularity&#34;" in report, "the bytes are in the appendix"


async def test_a_csv_opens_as_text_in_a_spreadsheet(app: ASGIApp, database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        await connection.execute(update(incident).values(sentence="=HYPERLINK(1)"))
    answer = await get(app, f"/history.csv?{RANGE}&simulated=yes")
    assert "history-with-SIMULATED.csv" in answer.headers["content-disposition"]
    assert "history.csv" in (await get(app, f"/history.csv?{RANGE}")).headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert answer.headers["content-type"].startswith("text/csv")
    assert {row["sentence"] for row in rows} == {"'=HYPERLINK(1)"}
    assert {row["simulated"] for row in rows} == {"SIMULATED"}


async def test_the_check_page_reports_each_chain(app: ASGIApp) -> None:
    assert "intact" not in (await get(app, "/check")).text.rpartition("<form")[2]
    page = (await get(app, f"/check?table=cb-manual&{RANGE}")).text
    assert page.count("<b>intact</b>") == 2


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/history?first=28.11.2026", "A day is written as 2026-11-28."),
        ("/history?first=2026-03-02&last=2026-03-01", "The last day is before the first."),
        ("/history?status=none", "There is no such status."),
        ("/check?table=cb-manual&first=2026-01-01&last=2026-03-02", "Check at most 31 days at once."),
    ],
)
async def test_a_query_that_cannot_be_read_is_refused_with_a_sentence(
    app: ASGIApp, address: str, sentence: str
) -> None:
    answer = await get(app, address)
    assert answer.status == 400
    assert sentence in answer.text


async def test_a_report_of_nothing_is_not_found(app: ASGIApp) -> None:
    assert (await get(app, "/report/silent/tab-shielded/none")).status == 404


async def test_a_lost_database_is_a_sentence_and_not_a_trace(app: ASGIApp, database: HistoryDatabase) -> None:
    async with database.writing() as connection:
        await connection.run_sync(incident.drop)
    answer = await get(app, f"/history?{RANGE}")
    assert answer.status == 503
    assert "the store cannot be read" in answer.text
