"""The pages in a real Chromium: a verdict is painted, and a page that is not live reports so within its bound."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, Route, expect

from pitwarden_client.events.codec import encode
from pitwarden_client.events.status import PartStatus
from pitwarden_tools.simulation.halves import SITE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import ReplayedTable, replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night, ten_is_open
from testkit.pages.chromium import opened
from testkit.pages.running_console import RunningConsole, running_console

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow]

TABLE = "tab-shielded"
STREAM = "text/event-stream"
TILE = f"#tile-{SITE}-{TABLE}"
LIVE_MS = 15_000
"""What a page may take to be live: a console, a broker and a browser start on a busy machine."""
SILENCE_MS = 5_000
"""Two seconds without a beat, and what a busy machine adds."""


@pytest.fixture(scope="module")
def messages() -> tuple[PublishedMessage, ...]:
    return published_night(TABLE, "2", 2, "stray_ten")


@asynccontextmanager
async def scene(
    broker: MosquittoBroker, folder: Path, messages: tuple[PublishedMessage, ...]
) -> AsyncIterator[tuple[ReplayedTable, RunningConsole]]:
    (folder / "table").mkdir()
    async with (
        replayed_table(TABLE, messages, broker.port, folder / "table") as table,
        running_console(folder, broker.port, SITE, [TABLE, "bj-9"]) as console,
    ):
        yield table, console


async def is_live(page: Page) -> None:
    await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)


async def is_not_live(page: Page, within_ms: int = SILENCE_MS) -> None:
    """Check the band, the words, and the absence of the last state's color."""
    await expect(page.locator("#band")).to_be_visible(timeout=within_ms)
    await expect(page.locator("#live")).to_have_text("NOT LIVE")
    await expect(page.locator("#band")).to_contain_text("NOT LIVE since")
    before = await page.locator(".claim").first.evaluate("each => getComputedStyle(each, '::before').content")
    assert before == '"was: "'


async def test_a_stray_ten_is_painted_and_goes(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (table, console), opened(chromium, console.address) as page:
        await is_live(page)
        await expect(page.locator(f"#tile-{SITE}-bj-9")).to_contain_text("NOT LIVE")
        await table.publish_next(until=ten_is_open)
        await expect(page.locator(TILE)).to_contain_text("DESTROY HOLD", timeout=LIVE_MS)
        await expect(page.locator(TILE)).to_have_class("tile p1 unacknowledged simulated")
        await expect(page.locator(".needs")).to_contain_text("TAB-37 DESTROY HOLD")
        await expect(page.locator(".simulated-group")).to_contain_text("SIMULATED")
        await expect(page.get_by_role("alert")).to_contain_text("TAB-37")
        await page.locator(TILE).get_by_role("link").click()
        await is_live(page)
        await expect(page.locator("#table")).to_contain_text("cleared when the floorperson destroys the 10")
        await expect(page.locator("#table")).to_contain_text("13:69F-36.14(b)")
        await table.publish_next()
        await expect(page.locator("#table")).to_contain_text("No irregularity and no duty.")
        await page.go_back()
        await is_live(page)
        await expect(page.locator(TILE)).to_contain_text("may deal", timeout=LIVE_MS)


async def test_a_frozen_and_a_killed_console_leave_no_page_that_seems_live(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with (
        scene(broker, tmp_path, messages) as (table, console),
        opened(chromium, console.address) as page,
        opened(chromium, f"{console.address}/table/{SITE}/{TABLE}", dark=True) as other,
    ):
        await table.publish_next(until=ten_is_open)
        for each in (page, other):
            await is_live(each)
        console.send(signal.SIGSTOP)
        for each in (page, other):
            await is_not_live(each)
        console.send(signal.SIGCONT)
        for each in (page, other):
            await is_live(each)
        await console.end(signal.SIGKILL)
        for each in (page, other):
            await is_not_live(each)
        await console.start()
        for each in (page, other):
            await is_live(each)
        await expect(page.locator(TILE)).to_contain_text("DESTROY HOLD", timeout=LIVE_MS)
        assert await console.end() == 0, console.log
        await is_not_live(page)


async def test_a_frozen_broker_and_a_dead_controller_make_the_table_unknown(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (table, console), opened(chromium, console.address) as page:
        await table.publish_next(until=ten_is_open)
        tile = page.locator(TILE)
        await expect(tile).to_contain_text("DESTROY HOLD", timeout=LIVE_MS)
        await table.publish(table.topics.status("field"), encode(PartStatus(online=False, run="told")), retain=True)
        await expect(tile).to_contain_text("the table's controller is offline")
        await expect(tile).to_contain_text("was: dealing withheld, round 2, TAB-37 DESTROY HOLD")
        await expect(tile).to_have_class("tile unknown simulated")
        await expect(page.locator(".needs li").first).to_contain_text("NOT LIVE")
        await is_live(page)
        await table.publish(table.topics.status("field"), encode(PartStatus(online=True, run="told")), retain=True)
        await expect(tile).to_have_class("tile p1 unacknowledged simulated", timeout=LIVE_MS)
        broker.kill()
        await expect(tile).to_contain_text("NOT LIVE", timeout=LIVE_MS)
        await is_live(page)  # the console itself is there: only the tables are unknown


async def test_a_page_that_returns_from_the_background_begins_again(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (table, console), opened(chromium, console.address) as page:
        await table.publish_next(until=ten_is_open)
        await is_live(page)
        opens = asyncio.Event()
        page.on("request", lambda request: opens.set() if request.url.endswith("/stream") else None)
        shown = await page.evaluate(
            "document.dispatchEvent(new Event('visibilitychange')), document.documentElement.dataset.live"
        )
        assert shown == "no", "not live until the first new beat"
        await opens.wait()
        await is_live(page)


async def answered(body: str, route: Route) -> None:
    await route.fulfill(body=body, content_type=STREAM)


async def test_a_page_that_cannot_show_what_arrives_does_not_look_live(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (_, console), opened(chromium, console.address) as page:
        await is_live(page)
        build = await page.locator("body").get_attribute("data-build")
        beat = json.dumps({"build": build, "ms": 1, "moment": "now", "clock": "19:02:03"})
        for parts in ("no JSON", '{"summary": ""}'):
            body = f"event: beat\ndata: {beat}\n\nevent: parts\ndata: {parts}\n\n"
            await page.route("**/stream", partial(answered, body))
            await page.reload()
            await expect(page.get_by_role("alert")).to_contain_text("load it again", timeout=LIVE_MS)
            await expect(page.locator("#live")).to_have_text("NOT LIVE")
            await page.unroute("**/stream")


async def test_a_refused_stream_is_tried_again_ever_more_slowly(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (_, console), opened(chromium, console.address) as page:
        await is_live(page)
        tries, enough = list[float](), asyncio.Event()

        async def refuse(route: Route) -> None:
            tries.append(asyncio.get_running_loop().time())
            if len(tries) > 4:
                enough.set()
            await route.fulfill(status=503, body="too many pages are open")

        await page.route("**/stream", refuse)
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await enough.wait()
        gaps = [after - before for before, after in pairwise(tries)]
        assert gaps[-1] > 2 * gaps[0], gaps
        await page.unroute("**/stream")
        await is_live(page)


async def test_the_pages_fit_a_phone_and_a_wall(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    async with scene(broker, tmp_path, messages) as (table, console):
        await table.publish_next(until=ten_is_open)
        for width, dark in ((320, False), (360, True), (3_840, True)):
            for address in (console.address, f"{console.address}/table/{SITE}/{TABLE}"):
                async with opened(chromium, address, width=width, dark=dark) as page:
                    await is_live(page)
                    assert await page.evaluate("document.documentElement.scrollWidth") <= width, "nothing is cut off"
