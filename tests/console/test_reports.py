"""Reports and figures: a shift, the trends, and a PDF of one page that is numbered, frozen and proves its record."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from pitwarden_client import Item
from pitwarden_client.events.codec import digest
from pitwarden_console.people.pseudonyms import Pseudonyms, pseudonymize
from pitwarden_console.roles import ROLES
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.figures import FigureReader, times_taken
from pitwarden_console.store.schema import incident, log_row, report, table_day
from pitwarden_console.web.printer import Printer, PrintError
from testkit.pages.people import People, audited
from testkit.pages.stored_tables import HARBOR, night_items, sqlite_url, store_night

if TYPE_CHECKING:
    from testkit.installation.postgresql import PostgresqlServer

TABLE = "tab-shielded"
DAY = date(2026, 3, 2)


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    return night_items(TABLE, "2", 2, "stray_ten")


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.full, pytest.mark.slow])])
async def database(
    request: pytest.FixtureRequest, tmp_path: Path, items: tuple[Item, ...]
) -> AsyncIterator[HistoryDatabase]:
    """Yield a store with a night, in both databases."""
    url = sqlite_url(tmp_path)
    if request.param == "postgresql":
        server: PostgresqlServer = request.getfixturevalue("shared_postgresql")
        url = f"postgresql+asyncpg://pit@/{server.new_database()}?host={server.environment['PGHOST']}"
    await store_night(url, TABLE, items)
    async with open_database(url) as opened:
        yield opened


async def test_a_shift_counts_what_opened_in_it_and_hands_over_what_is_open(database: HistoryDatabase) -> None:
    starts_ms, ends_ms = HARBOR.day_range_ms(DAY)
    figures = await FigureReader(database).shift([TABLE], starts_ms, ends_ms, simulated=True)
    assert (figures.tables, figures.rounds) == (1, 2)
    assert figures.by_catalogue["TAB-37"] == figures.by_priority[1] == 1
    assert figures.ended.count == 1
    assert figures.open == []
    async with database.writing() as connection:
        await connection.execute(update(incident).where(incident.c.catalogue == "TAB-37").values(ended_ms=None))
    left = (await FigureReader(database).shift([TABLE], starts_ms, ends_ms, simulated=True)).open
    assert [one.incident.catalogue for one in left] == ["TAB-37"]
    for tables, begins, simulated in (
        ([TABLE], starts_ms, False),
        (["another"], starts_ms, True),
        ([TABLE], ends_ms, True),
    ):
        none = await FigureReader(database).shift(tables, begins, ends_ms, simulated=simulated)
        assert (none.tables, none.rounds, none.by_catalogue.total()) == (0, 0, 0)


async def test_trends_are_by_month_and_leave_simulated_nights_out(database: HistoryDatabase) -> None:
    reader = FigureReader(database)
    assert (await reader.trends(DAY, DAY)).months == []
    trends = await reader.trends(DAY, DAY, simulated=True)
    [month] = trends.months
    assert (month.month, month.rounds, month.ended.count, month.device_faults) == ((2026, 3), 2, 1, 0)
    assert dict(trends.by_catalogue) == {"TAB-37": {(2026, 3): 1}}
    assert (await reader.trends(DAY, DAY, simulated=True, clause="36.14(b)")).by_catalogue == trends.by_catalogue
    assert (await reader.trends(DAY, DAY, simulated=True, clause="%")).by_catalogue == []
    async with database.writing() as connection:
        changed = update(incident).where(incident.c.catalogue == "TAB-37")
        await connection.execute(changed.values(device="shoe", status="refuted", simulated=False))
        await connection.execute(update(table_day).values(simulated=False))
    trends = await reader.trends(DAY, DAY)
    assert trends.months[0].faults_per_1000_rounds == 500.0
    assert trends.by_device == [(TABLE, "shoe", 1, 1)]


async def test_rounds_of_a_day_are_those_of_its_rows_in_whatever_batches(
    tmp_path: Path, items: tuple[Item, ...]
) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items, batch=7)
    async with open_database(sqlite_url(tmp_path)) as database, database.reading() as connection:
        [row] = (await connection.execute(select(table_day))).all()
        times = (await connection.execute(select(log_row.c.at_ms, log_row.c.kind))).all()
    assert row.rows == len(times)
    assert row.rounds == sum(kind == "kp.round_end" for _, kind in times) == 2
    assert (row.first_ms, row.last_ms) == (min(at for at, _ in times), max(at for at, _ in times))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [({}, (0, None, None)), ({7: 1}, (1, 7, 7)), ({1: 5, 100: 5}, (10, 1, 100)), ({1: 9, 50: 1}, (10, 1, 1))],
)
def test_percentiles_of_counted_seconds(seconds: dict[int, int], expected: tuple[int, int | None, int | None]) -> None:
    made = times_taken(seconds)
    assert (made.count, made.median_s, made.most_s) == expected


async def frozen(people: People) -> list[tuple[int, str, bytes, str]]:
    async with people.database.reading() as connection:
        rows = await connection.execute(select(report).order_by(report.c.id))
        return [(row.id, row.hash, bytes(row.body), row.subject) for row in rows]


@pytest.mark.pango
async def test_an_incident_is_frozen_on_one_page_with_hashes_and_proof(
    people: People, tmp_path: Path, items: tuple[Item, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items)
    printed: list[str] = []
    layout = Printer.pdf

    async def noted(self: Printer, html: str) -> bytes:
        printed.append(html)
        return await layout(self, html)

    monkeypatch.setattr(Printer, "pdf", noted)
    cookie = await people.cookie("compliance")
    address = f"/report/silent/{TABLE}/{people.ref}"
    assert "Freeze as numbered PDF" in (await people.get(address, cookie)).text
    for _ in range(2):
        assert (await people.post(f"{address}/freeze", cookie, {})).status == 303
    made = await frozen(people)
    assert [number for number, *_ in made] == [1, 2]
    for _, own, body, subject in made:
        assert body.startswith(b"%PDF")
        assert own == digest(body)
        assert subject.startswith("TAB-37 at tab-shielded")
    async with people.database.reading() as connection:
        hashes = (await connection.execute(select(log_row.c.hash).where(log_row.c.person == "f1"))).scalars().all()
    assert any(one in printed[0] for one in hashes)
    assert "<b>intact</b>" in printed[0]
    assert "Signatures were not checked." in printed[0]
    assert "pseudonyms" not in printed[0]
    assert "SIMULATED" in printed[0]
    from weasyprint import HTML  # noqa: PLC0415  it needs Pango, which not every machine has

    assert len(HTML(string=printed[0]).render().pages) == 1
    answer = await people.get("/reports/1.pdf", cookie)
    assert (answer.body, answer.headers["content-type"]) == (made[0][2], "application/pdf")
    listed = (await people.get("/reports", cookie)).text
    assert made[0][1] in listed
    assert f'"number":1,"subject":"TAB-37 at tab-shielded, {people.ref}","hash":"{made[0][1]}"' in " ".join(
        await audited(people.database)
    )
    async with people.database.writing() as connection:
        await connection.execute(update(report).where(report.c.id == 1).values(body=b"%PDF-changed"))
    assert (await people.get("/reports/1.pdf", cookie)).status == 404, "bytes that were changed are not shown"


async def test_a_report_states_where_pseudonyms_have_replaced_numbers(
    people: People, tmp_path: Path, items: tuple[Item, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items)
    people.clock.step(86_400_000)
    await pseudonymize(people.database, Pseudonyms(b"k" * 32), people.clock.utc, people.clock)
    printed: list[str] = []

    async def noted(_self: Printer, html: str) -> bytes:
        printed.append(html)
        return b"%PDF"

    monkeypatch.setattr(Printer, "pdf", noted)
    cookie = await people.cookie("compliance")
    address = f"/report/silent/{TABLE}/{people.ref}"
    page = (await people.get(address, cookie)).text
    assert re.search(r"<b>row \d+</b> \S+ \S+ with pseudonyms since, bytes now", page)
    assert (await people.post(f"{address}/freeze", cookie, {})).status == 303
    assert re.search(r"log: in \d+, pseudonyms have replaced employee numbers since", printed[0])


@pytest.mark.pango
async def test_a_shift_report_is_shown_and_frozen_and_names_its_shift(
    people: People, tmp_path: Path, items: tuple[Item, ...]
) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items)
    cookie = await people.cookie("supervisor")
    page = (await people.get("/shift-report?simulated=yes", cookie)).text
    assert "TAB-37 1" in page
    assert "SIMULATED" in page
    answer = await people.post("/shift-report", cookie, {"simulated": "yes", "shift": "1", "day": "2026-03-02"})
    assert answer.status == 303
    [(_, _, body, subject)] = await frozen(people)
    assert (body[:4], subject) == (b"%PDF", "shift 1 of 2026-03-02, all pits")
    assert (
        "Shift 1 of 1 of the gaming day Mon 02 Mar 2026"
        in (await people.get("/shift-report?day=2026-03-02", cookie)).text
    )
    named = (await people.get("/reports/1.pdf", cookie)).headers["content-disposition"]
    assert named == 'inline; filename="SIMULATED-report-1.pdf"'
    assert (await people.post("/shift-report", cookie, {"shift": "1", "day": "2026-03-02"})).status == 303
    named = (await people.get("/reports/2.pdf", cookie)).headers["content-disposition"]
    assert named == 'inline; filename="report-2.pdf"'
    for query in ("shift=9", "pit=none", "day=28.11.2026", "shift=x&day=0"):
        assert (await people.get(f"/shift-report?{query}", cookie)).status == 400, query


@pytest.mark.parametrize("role", ROLES)
async def test_who_may_not_freeze_is_refused(people: People, role: str) -> None:
    may = role in {"floor", "supervisor", "surveillance", "compliance"}
    answer = await people.post("/report/silent/tab-shielded/none/freeze", await people.cookie(role), {})
    assert answer.status == (404 if may else 403)
    assert await frozen(people) == []


async def test_the_other_pages_answer_and_escape(people: People) -> None:
    cookie = await people.cookie("technician")
    for address in ("/trends", "/technician", "/reports", "/unseen", "/shift-report"):
        assert (await people.get(address, cookie)).status == 200, address
    page = (await people.get("/trends?clause=%3Cscript%3Ex", cookie)).text
    assert "&lt;script&gt;x" in page
    assert not re.search(r"<script(?![^>]*src=)", page)
    for query in ("first=2020-01-01", "first=2026-03-03&last=2026-03-02", "first=x"):
        assert (await people.get(f"/trends?{query}", cookie)).status == 400, query


@pytest.mark.pango
async def test_a_layout_fetches_nothing() -> None:
    asked: list[str] = []

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append("a connection")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        page = f'<html lang="en"><title>t</title><img src="http://127.0.0.1:{port}/x.png" alt="x"><p>kept'
        assert (await Printer().pdf(page)).startswith(b"%PDF")
        assert asked == []
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await reader.read()
        writer.close()
        assert asked == ["a connection"], "the server would have noted it"


class Layout:
    """Layout process that takes until it is released."""

    running = most = 0
    killed = False

    def __init__(self, release: asyncio.Event) -> None:
        self.release = release
        self.returncode: int | None = None

    async def communicate(self, _html: bytes) -> tuple[bytes, bytes]:
        Layout.running += 1
        Layout.most = max(Layout.most, Layout.running)
        await self.release.wait()
        Layout.running -= 1
        self.returncode = 0
        return b"%PDF", b""

    def kill(self) -> None:
        Layout.killed = True

    async def wait(self) -> int:
        Layout.running -= 1
        return -9


async def test_one_layout_runs_at_a_time_and_none_for_one_who_left(monkeypatch: pytest.MonkeyPatch) -> None:
    release = asyncio.Event()

    async def begun(*_words: str, **_pipes: int) -> Layout:
        return Layout(release)

    monkeypatch.setattr(Layout, "running", 0)
    monkeypatch.setattr(Layout, "most", 0)
    monkeypatch.setattr("asyncio.create_subprocess_exec", begun)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: True)
    printer = Printer()
    left, *others = (asyncio.create_task(printer.pdf("<p>")) for _ in range(3))
    await asyncio.sleep(0)
    left.cancel()
    assert isinstance((await asyncio.gather(left, return_exceptions=True))[0], asyncio.CancelledError)
    assert Layout.killed
    release.set()
    assert await asyncio.gather(*others) == [b"%PDF", b"%PDF"]
    assert Layout.most == 1


async def test_without_the_library_the_page_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(PrintError, match=r"the extra pitwarden-console\[reports\]"):
        await Printer().pdf("<p>")


@pytest.mark.pango
async def test_without_pango_the_page_names_the_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weasyprint.py").write_text("raise OSError(\"cannot load library 'pango-1.0-0'\")", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(PrintError, match=r"apt-get install libpango-1\.0-0 libpangoft2-1\.0-0 libharfbuzz-subset0"):
        await Printer().pdf("<p>")
