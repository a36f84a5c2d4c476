"""Screens as people see them: the pictures of the documents, taken here and compared with a tolerance.

`PITWARDEN_TAKE_PICTURES=1` takes them again, after a change that is meant. See each with your own eyes before a commit.
"""

import io
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import reduce
from itertools import product
from math import ceil
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.async_api import Browser, Page, expect

from pitwarden_client import Item
from pitwarden_client.events.outputs import TableState
from testkit.consumers.published_night import published_night
from testkit.pages.chromium import opened
from testkit.pages.fed_tables import states
from testkit.pages.pictured import pictured_pit

pytestmark = [pytest.mark.full, pytest.mark.slow]

PICTURES = Path(__file__).parents[2] / "docs" / "images"
DAY = "first=2026-03-02&last=2026-03-02&simulated=yes"
SCREENS = {
    "console-pit": ("/", 1_280, False),
    "console-pit-phone": ("/", 390, True),
    "console-trends": ("/trends?simulated=yes", 1_280, False),
    "console-history": (f"/history?{DAY}", 1_280, False),
}
FAINT = 48
"""Difference, of 255, up to which two pixels are the same: edges of letters are drawn a little differently."""
SQUARE = 16
TOLERANCE = 8
"""Pixels that may differ in a square of `SQUARE` by `SQUARE`: fewer than of one changed letter."""
Box = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def shown(ten: TableState) -> dict[str, TableState]:
    """Return a state for each table: a stop, an overdue duty, an alert that is shelved, and two quiet ones."""
    stub = [one for one in states(published_night("cb-manual", "1", 6, "stub_overdue")) if one.irregularities][-1]
    alert = ten.irregularities[0].model_copy(
        update={"verdicts": ("ALERT",), "catalogue": "TAB-13", "sentence": "The shuffler was opened between rounds."}
    )
    free = ten.permit.model_copy(update={"granted": True, "reasons": ()})
    quiet = ten.model_copy(update={"simulated": False, "irregularities": (), "duties": (), "permit": free})
    return {
        "tab-shielded": ten.model_copy(update={"simulated": False}),
        "cb-manual": stub.model_copy(update={"simulated": False}),
        "bj-03": quiet.model_copy(update={"irregularities": (alert,)}),
        "bj-04": quiet, "bj-05": quiet,
    }  # fmt: skip


@pytest.fixture
async def address(
    tmp_path: Path, nights: dict[str, tuple[Item, ...]], shown: dict[str, TableState]
) -> AsyncIterator[str]:
    async with pictured_pit(tmp_path, nights, shown) as found:
        yield found


def strongest_difference(kept: Image.Image, now: Image.Image, ages: Sequence[Box]) -> int:
    """Return how many pixels differ in the square of `SQUARE` pixels in which most do, without the ages.

    A share of the complete page would hide a changed number: its pixels are few among a million.
    """
    bands = ImageChops.difference(kept.convert("RGB"), now.convert("RGB")).split()
    differing = reduce(ImageChops.lighter, bands).point(lambda value: int(value > FAINT))
    for box in ages:
        differing.paste(0, box)
    places = product(range(0, kept.width, SQUARE), range(0, kept.height, SQUARE))
    return max(differing.crop((x, y, x + SQUARE, y + SQUARE)).histogram()[1] for x, y in places)


def stored(picture: Image.Image) -> Image.Image:
    """Return a picture with few colors, each near its own: a third of the bytes."""
    return picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


async def taken(page: Page) -> tuple[Image.Image, list[Box]]:
    """Return a picture of the page, and where ages stand, which advance with each second."""
    found = [await each.bounding_box() for each in await page.locator("[data-since]").all()]
    ages = [(int(a["x"]), int(a["y"]), ceil(a["x"] + a["width"]), ceil(a["y"] + a["height"])) for a in found if a]
    return Image.open(io.BytesIO(await page.screenshot(full_page=True))), ages


@asynccontextmanager
async def screen(browser: Browser, address: str, name: str) -> AsyncIterator[Page]:
    path, width, dark = SCREENS[name]
    async with opened(browser, address + path, width=width, dark=dark) as page:
        await page.emulate_media(reduced_motion="reduce")
        if await page.locator("#live").count():
            # A machine without a sound card plays sometimes: this browser plays always.
            await page.add_init_script("HTMLMediaElement.prototype.play = () => Promise.resolve()")
            await page.reload()
            await expect(page.locator("#live")).to_have_text("LIVE", timeout=30_000)
            await expect(page.locator("#sound")).to_have_text("Sound on")
        yield page


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_is_as_the_documents_show_it(address: str, chromium: Browser, name: str) -> None:
    async with screen(chromium, address, name) as page:
        now, ages = await taken(page)
    file = PICTURES / f"{name}.png"
    if os.environ.get("PITWARDEN_TAKE_PICTURES"):
        stored(now).save(file, optimize=True)
    with Image.open(file) as kept:
        assert now.size == kept.size
        assert strongest_difference(kept, now, ages) <= TOLERANCE
    pages = "\n".join(each.read_text(encoding="utf-8") for each in (PICTURES.parent / "how-to").rglob("*.md"))
    assert f"images/{name}.png" in pages, "a picture that no page shows"


@pytest.mark.parametrize(
    ("selector", "change"),
    [
        ("main h1, main h2", "one => one.textContent = one.textContent.replace(/.$/, 'x')"),
        ("main a", "one => one.style.color = 'rgb(200, 30, 30)'"),
        ("main", "one => one.style.paddingTop = '1px'"),
    ],
)
async def test_a_changed_screen_would_be_found(address: str, chromium: Browser, selector: str, change: str) -> None:
    async with screen(chromium, address, "console-history") as page:
        before, ages = await taken(page)
        kept = stored(before)
        assert strongest_difference(kept, before, ages) == 0
        await page.locator(selector).first.evaluate(change)
        after, _ = await taken(page)
    assert strongest_difference(kept, after, ages) > TOLERANCE
