"""The pages under axe-core: nothing against WCAG 2.2 AA, in both themes, narrow and wide, live and not live."""

import signal
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from pitwarden_tools.simulation.halves import SITE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night
from testkit.installation.node import Js
from testkit.pages.running_console import PASSWORD, running_console, sign_in

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(300)]

TABLE = "cb-manual"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LIVE_MS = 30_000
HISTORY = "/history?first=2026-03-02&last=2026-03-02&simulated=yes"


@pytest.fixture(scope="module")
def messages() -> tuple[PublishedMessage, ...]:
    return published_night(TABLE, "1", 6, "stub_overdue")


async def findings(page: Page, script: str) -> list[str]:
    """Return what axe-core finds on the page, one line a rule."""
    await page.evaluate(script)
    found: dict[str, Any] = await page.evaluate("tags => axe.run(document, {runOnly: tags})", TAGS)
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found["violations"]]


@pytest.fixture
def axe(js: Js) -> str:
    return (js.folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


async def test_axe_finds_nothing(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser, axe: str
) -> None:
    (tmp_path / "table").mkdir()
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path / "table") as table,
        running_console(tmp_path, broker.port, SITE, [TABLE, "bj-9"]) as console,
    ):
        await table.publish_next(until=lambda said: said.channel.name == "state" and b"CB-14" in said.payload)
        # axe-core is put into the page as a string, which the pages' content policy forbids: in no other test.
        context = await chromium.new_context(bypass_csp=True)
        page = await context.new_page()
        found: dict[str, list[str]] = {}
        for path in ("/", "/wall", f"/table/{SITE}/{TABLE}", HISTORY, "/check", "/none"):
            await page.goto(console.address + path)
            if path in {"/", "/wall"} or path.startswith("/table"):
                await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)
            for width, theme in ((320, "dark"), (1_280, "light")):
                await page.set_viewport_size({"width": width, "height": 900})
                await page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                found[f"{path} {width} {theme}"] = await findings(page, axe)
        await page.goto(console.address)
        await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)
        console.send(signal.SIGSTOP)
        await expect(page.locator("#band")).to_be_visible(timeout=LIVE_MS)
        found["not live"] = await findings(page, axe)
        await context.close()
    assert {path: lines for path, lines in found.items() if lines} == {}


async def test_axe_finds_nothing_on_the_pages_about_people(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, axe: str
) -> None:
    async with running_console(tmp_path, broker.port, SITE, ["bj-9"], people=True) as console:
        context = await chromium.new_context(bypass_csp=True)
        page = await context.new_page()
        found: dict[str, list[str]] = {}
        address = console.named_address
        await page.goto(f"{address}/signed-out")
        found["signed out"] = await findings(page, axe)
        await page.goto(f"{address}/sign-in")
        await page.get_by_label("Password").fill("wrong")
        await page.get_by_label("Login").fill("floor")
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await expect(page.get_by_role("alert")).to_be_visible()
        found["refused"] = await findings(page, axe)
        await sign_in(page, "administrator", PASSWORD)
        for path in ("/account", "/people", "/again?next=/", "/audit"):
            await page.goto(address + path)
            for width, theme in ((320, "dark"), (1_280, "light")):
                await page.set_viewport_size({"width": width, "height": 900})
                await page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                found[f"{path} {width} {theme}"] = await findings(page, axe)
                beyond = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert await page.evaluate(beyond) <= 0, f"{path} is wider than {width} px"
        await context.close()
    assert {path: lines for path, lines in found.items() if lines} == {}
