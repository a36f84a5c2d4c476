"""The sound in a real Chromium: heard when a stray 10 opens, silenced by a person, and heard again."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from pitwarden_tools.simulation.halves import SITE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.consumers.broker_replay import replayed_table
from testkit.consumers.published_night import PublishedMessage, published_night, ten_is_open
from testkit.pages.chromium import opened
from testkit.pages.running_console import PASSWORD, running_console

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow]

TABLE = "tab-shielded"
LIVE_MS = 30_000


@pytest.fixture(scope="module")
def messages() -> tuple[PublishedMessage, ...]:
    """Played where no loop runs."""
    return published_night(TABLE, "2", 2, "stray_ten")


async def test_a_stop_is_heard_until_a_person_silences_it(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    (tmp_path / "table").mkdir()
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path / "table") as table,
        running_console(tmp_path, broker.port, SITE, [TABLE], people=True) as console,
        opened(chromium, console.address) as page,
    ):
        await page.get_by_label("Login").fill("floor")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in", exact=True).click()
        await page.get_by_role("link", name="Start shift").click()
        await page.get_by_label("Device").fill("tablet 4")
        await page.get_by_label("Pit").select_option("Pit A")
        await page.get_by_role("button", name="Start shift").click()
        await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)
        await expect(page.locator("#sound")).to_have_text("Sound on")
        await expect(page.get_by_role("button", name="Silence 60 s")).not_to_be_visible()

        await table.publish_next(until=ten_is_open)
        await expect(page.locator("#alarm")).to_contain_text("the most urgent of priority 1", timeout=LIVE_MS)
        await expect(page.locator("html[data-sounded='tone-1']")).to_be_attached()
        await page.get_by_role("button", name="Silence 60 s").click()
        await expect(page.locator("#alarm")).to_contain_text("Silenced by f17 until")
        await expect(page.locator("html[data-sounded]")).not_to_be_attached()
        await expect(page.get_by_role("button", name="Silence 60 s")).not_to_be_visible()

        await page.get_by_role("link", name="Acts").click()
        await expect(page.locator("tbody")).to_contain_text("tablet 4, Pit A, tone played")
        await expect(page.locator("tbody")).to_contain_text("silence")


async def test_a_browser_that_may_not_play_says_so(
    broker: MosquittoBroker, tmp_path: Path, messages: tuple[PublishedMessage, ...], chromium: Browser
) -> None:
    (tmp_path / "table").mkdir()
    async with (
        replayed_table(TABLE, messages, broker.port, tmp_path / "table") as table,
        running_console(tmp_path, broker.port, SITE, [TABLE]) as console,
        opened(chromium, console.address) as page,
    ):
        await table.publish_next(until=ten_is_open)
        await expect(page.locator("#alarm")).to_contain_text("priority 1", timeout=LIVE_MS)
        # Chromium without a head plays always: this one plays as a browser that no one has touched.
        await page.add_init_script("HTMLMediaElement.prototype.play = () => Promise.reject(new Error('not allowed'))")
        await page.reload()
        await expect(page.locator("#alarm")).to_contain_text("priority 1", timeout=LIVE_MS)
        await expect(page.locator("#sound")).to_have_text("SOUND OFF")
        await page.locator("#sound").click()
        await expect(page.locator("#sound")).to_have_text("SOUND OFF")
        await expect(page.locator("html[data-sounded]")).not_to_be_attached()
