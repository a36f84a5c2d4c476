"""A real browser: the system's Chromium under Playwright, and the fixture `chromium`.

Under the console's content policy `wait_for_function` does not work, since it evaluates a string in the page; locators
and `evaluate` do. Playwright waits on its own and never sleeps for a guessed time.
"""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright

PROGRAM = "/usr/bin/chromium"


def missing_chromium() -> str:
    """Return why there is no browser; empty when there is one."""
    return "" if shutil.which(PROGRAM) else f"no {PROGRAM}: apt-get install chromium fonts-dejavu-core"


@pytest.fixture
async def chromium() -> AsyncIterator[Browser]:
    """Yield a headless Chromium; skip where there is none."""
    reason = missing_chromium()
    if reason:
        pytest.skip(reason)
    # Chromium's own sandbox does not work as root, and must be used by anyone else.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=PROGRAM, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def opened(
    browser: Browser, address: str, *, width: int = 1_280, height: int = 800, dark: bool = False
) -> AsyncIterator[Page]:
    """Yield a page at `address`. A script error or a violation of the content policy fails the block."""
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page = await context.new_page()
    faults: list[str] = []

    def noted(message: ConsoleMessage) -> None:
        # A lost console is told by the browser as a failed request: that is what some tests are about.
        if message.type == "error" and "Failed to load resource" not in message.text and "net::ERR" not in message.text:
            faults.append(message.text)

    page.on("console", noted)
    page.on("pageerror", lambda error: faults.append(str(error)))
    try:
        await page.goto(address)
        yield page
        assert faults == []
    finally:
        await context.close()
