"""Pages without a browser: what they contain, what they refuse, and how they answer."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pitwarden_console.web
from pitwarden_client import Cursor
from pitwarden_client.events.outputs import TableState
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.writer import TableProgress
from pitwarden_console.web.hub import QUEUE, LiveHub, LivePart
from pitwarden_console.web.rendering import StaticFiles
from pitwarden_console.web.security import CONTENT_POLICY
from pitwarden_console.web.stream import EventStream
from testkit.pages.application import application, readable_console_file
from testkit.pages.asgi import request
from testkit.pages.fed_tables import FedTable
from testkit.pages.stored_tables import HARBOR, SteppedClock, sqlite_url

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Scope


class Site:
    """Two tables: one with an open irregularity, and one that was never received."""

    def __init__(self, folder: Path, state: TableState, database: HistoryDatabase) -> None:
        file = folder / "console.toml"
        file.write_text(readable_console_file(("cb-manual", "Pit A"), ("never-seen", "Pit B")))
        self.clock = SteppedClock()
        self.board = PitBoard(self.clock, load_priorities())
        self.table = FedTable(TableKey("Pit A", "silent", "cb-manual"), TableProgress(1, Cursor(), 0, simulated=False))
        self.table.view.state = state
        self.missing = FedTable(
            TableKey("Pit B", "silent", "never-seen"), TableProgress(2, Cursor(), 0, simulated=False)
        )
        self.missing.reasons = ("there is no state of this table",)
        self.board.add(self.table)
        self.board.add(self.missing)
        self.hub = LiveHub(self.board)
        self.app: ASGIApp = application(file, database, self.board, self.hub, self.clock)


@pytest.fixture
async def site(tmp_path: Path, overdue: TableState) -> AsyncIterator[Site]:
    async with open_database(sqlite_url(tmp_path)) as database:
        yield Site(tmp_path, overdue, database)


async def test_the_grid_shows_marks_words_and_what_is_not_live(site: Site) -> None:
    page = (await request(site.app, "/")).text
    assert re.search(r'class="tile p1 unacknowledged simulated"', page)
    assert '<p class="ribbon">SIMULATED</p>' in page
    assert "The stub of deck A was last counted 6 rounds ago (limit 5)" in page
    assert re.search(r"never-seen</b> NOT LIVE: there is no state of this table", page)
    assert "1</b> of 2 tables live" in page
    assert '<html lang="en" data-live="no">' in page, "without a beat a page is not live"
    assert '<meta http-equiv="refresh" content="5">' in page


async def test_a_pit_and_a_table_have_addresses_of_their_own(site: Site) -> None:
    assert "never-seen" not in (await request(site.app, "/pit/Pit%20A")).text
    page = (await request(site.app, "/table/silent/cb-manual")).text
    assert "13:69F-51.7(e)" in page
    assert "dealer acts" in page
    missing = (await request(site.app, "/table/silent/never-seen")).text
    assert "nothing has been received from this table" in missing


@pytest.mark.parametrize(
    "address", ["/pit/None", "/table/silent/none", "/table/other/cb-manual", "/none", "/static/none.js"]
)
async def test_an_unknown_address_is_not_found_without_a_trace(site: Site, address: str) -> None:
    answer = await request(site.app, address)
    assert answer.status == 404
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("name", ["../settings.py", "..%2fsettings.py", "%2e%2e/templates/base.html"])
async def test_a_path_does_not_lead_out_of_the_static_files(site: Site, name: str) -> None:
    assert (await request(site.app, f"/static/{name}")).status == 404


async def test_every_answer_has_the_headers(site: Site) -> None:
    for address in ("/", "/none", "/static/live.js"):
        answer = await request(site.app, address)
        assert answer.headers["content-security-policy"] == CONTENT_POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert ("immutable" in answer.headers["cache-control"]) == (address == "/static/live.js")
        assert address == "/static/live.js" or answer.headers["cache-control"] == "no-store"
    assert "unsafe" not in CONTENT_POLICY


async def test_no_page_has_a_script_or_style_of_its_own(site: Site) -> None:
    for address in ("/", "/table/silent/cb-manual", "/none"):
        page = (await request(site.app, address)).text
        assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=|javascript:", page)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example:8080"])
async def test_another_host_name_is_refused(site: Site, host: str) -> None:
    assert (await request(site.app, "/", headers={"host": host})).status == 421


async def test_a_long_body_is_refused_before_it_is_read(site: Site) -> None:
    assert (await request(site.app, "/", method="POST", body=b"x" * 20_000)).status == 413
    assert (await request(site.app, "/", headers={"content-length": "-1"})).status == 413


MARKUP = '<img src=x onerror="x()"><script>x()</script>'


async def test_markup_in_every_text_of_a_table_is_data(site: Site, overdue: TableState) -> None:
    case = overdue.irregularities[0].model_copy(
        update={
            "sentence": MARKUP,
            "clears": MARKUP,
            "device": MARKUP,
            "catalogue": MARKUP,
            "clauses": (MARKUP,),
            "by": "f1",
        }
    )
    duty = overdue.duties[0].model_copy(update={"sentence": MARKUP, "subject": MARKUP})
    permit = overdue.permit.model_copy(update={"granted": False, "reasons": (MARKUP,)})
    site.table.view.state = overdue.model_copy(
        update={"irregularities": (case,), "duties": (duty,), "permit": permit, "rules_version": MARKUP, "game": MARKUP}
    )
    site.table.activity.step = site.table.activity.broken = MARKUP
    site.table.history = MARKUP
    site.missing.reasons = (MARKUP,)
    for table in (site.table, site.missing):
        site.board.mark(table.key)
    site.board.refresh()
    for address in ("/", "/table/silent/cb-manual", "/table/silent/never-seen"):
        page = (await request(site.app, address)).text
        assert "&lt;script&gt;" in page
        assert "<img" not in page
        assert "<script>" not in page


def stream(site: Site) -> EventStream:
    return EventStream(site.hub, site.clock, HARBOR, "build-1")


def parts(site: Site) -> LivePart:
    return LivePart("tile", frozenset({site.table.key}), lambda: f"<p>{site.table.history}</p>")


def read(event: bytes) -> tuple[str, dict[str, object]]:
    name, _, data = event.decode().partition("\ndata: ")
    return name.removeprefix("event: "), json.loads(data)


@pytest.mark.parametrize("changed", ["static/live.js", "templates/parts.html", "languages/de.po"])
def test_a_release_that_changes_any_part_of_a_page_has_another_build(changed: str, tmp_path: Path) -> None:
    """Open pages then ask for a reload: new parts do not fit into an old frame."""
    installed = Path(pitwarden_console.web.__file__).parent
    web = tmp_path / "web"
    shutil.copytree(installed, web)
    assert StaticFiles(web).build == StaticFiles().build
    with (web / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert StaticFiles(web).build != StaticFiles().build


async def test_a_stream_begins_with_a_beat_and_the_complete_page(site: Site) -> None:
    events = stream(site).events([parts(site)])
    assert await anext(events) == b"retry: 1000\n\n"
    name, beat = read(await anext(events))
    assert (name, beat["ms"], beat["build"]) == ("beat", site.clock.utc, "build-1")
    assert beat["clock"] == "13:01:00 EST"
    assert read(await anext(events)) == ("parts", {"tile": "<p></p>"})
    site.table.history = "later"
    site.hub.send(frozenset({site.table.key}))
    assert read(await anext(events)) == ("parts", {"tile": "<p>later</p>"})
    assert read(await anext(events))[0] == "beat", "a second without a change"
    assert site.hub.readers == 1
    await events.aclose()
    assert site.hub.readers == 0


async def test_a_part_that_did_not_change_is_not_sent(site: Site) -> None:
    reader = site.hub.subscribe([parts(site)])
    site.hub.send(frozenset({site.table.key}))
    site.hub.send(frozenset({site.table.key}))
    site.hub.send(frozenset({site.missing.key}))
    assert reader.queue.qsize() == 1
    site.hub.unsubscribe(reader)


async def test_a_page_receives_no_part_of_another_page(site: Site) -> None:
    def shown(key: TableKey, page: str) -> LivePart:
        return LivePart("table", frozenset({key}), lambda: f"<p>{page}</p>", page)

    ours, other = (
        site.hub.subscribe([shown(one.key, f"{one.key.name} {name}")])
        for one, name in ((site.table, "ours"), (site.missing, "other"))
    )
    third = site.hub.subscribe([shown(site.table.key, "an irregularity of it")])
    site.hub.send(frozenset({site.table.key, site.missing.key}))
    received = [reader.queue.get_nowait() for reader in (ours, other, third)]
    assert [each["table"] for each in received] == [
        "<p>cb-manual ours</p>", "<p>never-seen other</p>", "<p>an irregularity of it</p>",
    ]  # fmt: skip
    for reader in (ours, other, third):
        assert reader.queue.empty()
        site.hub.unsubscribe(reader)


async def test_a_reader_that_is_too_slow_is_ended_and_not_kept_waiting(site: Site) -> None:
    events = stream(site).events([parts(site)])
    for _ in range(3):
        await anext(events)
    for number in range(QUEUE + 1):
        site.table.history = str(number)
        site.hub.send(frozenset({site.table.key}))
    left = [event async for event in events]
    assert len(left) <= 1, "it ends at once: the next stream begins with the complete page"


async def test_streams_end_when_the_console_stops(site: Site) -> None:
    events = stream(site).events([parts(site)])
    site.hub.close()
    assert len([event async for event in events]) == 3


async def table_parts(app: "ASGIApp", query: str, heard: "asyncio.Queue[str]") -> None:
    """Put the table of each event of parts into `heard`, until the stream ends."""
    path = "/stream/table/silent/cb-manual"
    scope: Scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": [(b"host", b"localhost:8080")], "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8_080),
    }  # fmt: skip

    async def receive() -> "Message":
        return await asyncio.Future()

    async def send(message: "Message") -> None:
        _, found, data = message.get("body", b"").decode().partition("event: parts\ndata: ")
        if found:
            heard.put_nowait(json.loads(data)["table"])

    await app(scope, receive, send)


async def test_two_readers_of_a_table_each_get_their_language_and_its_updates(site: Site, overdue: TableState) -> None:
    address = "/table/silent/cb-manual"
    german = (await request(site.app, address, headers={"accept-language": "de"})).text
    assert f'data-stream="/stream{address}?language=de"' in german
    assert 'data-words-not-live="NICHT LIVE"' in german
    assert f'data-stream="/stream{address}"' in (await request(site.app, address)).text
    heard: list[asyncio.Queue[str]] = [asyncio.Queue(), asyncio.Queue(), asyncio.Queue()]
    async with asyncio.timeout(10), asyncio.TaskGroup() as readers:
        for query, queue in zip(("", "language=de", "language=../de"), heard, strict=True):
            readers.create_task(table_parts(site.app, query, queue))
        first = [await queue.get() for queue in heard]
        site.table.view.state = overdue.model_copy(update={"irregularities": (), "duties": ()})
        site.board.mark(site.table.key)
        site.board.refresh()
        site.hub.send(frozenset({site.table.key}))
        then = [await queue.get() for queue in heard]
        site.hub.close()
    for english, translated, unknown in (first, then):
        assert "Public cards of this round" in english
        assert "Öffentliche Karten dieser Runde" in translated
        assert "Public cards" not in translated
        assert unknown == english
    assert "No irregularity and no duty." in then[0]
    assert "Keine Unregelmäßigkeit und keine Pflicht." in then[1]
    assert 'lang="en">The stub of deck A' in first[1]
