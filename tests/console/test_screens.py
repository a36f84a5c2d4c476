"""Screens as people see them: the pictures of the documents, taken here and compared with a tolerance.

`PITWARDEN_TAKE_PICTURES=1` takes them again, after a change that is meant. See each with your own eyes before a commit.
"""

import io
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.async_api import Browser, expect

from pitwarden_client import Item
from pitwarden_client.events.outputs import TableState
from testkit.consumers.published_night import published_night
from testkit.pages.chromium import opened
from testkit.pages.fed_tables import states
from testkit.pages.pictured import pictured_pit
from testkit.pages.stored_tables import night_items

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
TOLERANCE = 0.01
"""Share of pixels that may differ: an age that has advanced by a second."""


@pytest.fixture(scope="module")
def nights() -> dict[str, tuple[Item, ...]]:
    return {
        "tab-shielded": night_items("tab-shielded", "2", 2, "stray_ten"),
        "cb-manual": night_items("cb-manual", "1", 6, "stub_overdue"),
    }


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


def share_that_differs(one: Image.Image, other: Image.Image) -> float:
    difference = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    faint = difference.point(lambda value: 255 if value > FAINT else 0)
    return faint.histogram()[255] / (one.width * one.height)


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_is_as_the_documents_show_it(address: str, chromium: Browser, name: str) -> None:
    path, width, dark = SCREENS[name]
    async with opened(chromium, address + path, width=width, dark=dark) as page:
        await page.emulate_media(reduced_motion="reduce")
        if await page.locator("#live").count():
            await expect(page.locator("#live")).to_have_text("LIVE", timeout=30_000)
        taken = await page.screenshot(full_page=True)
    file = PICTURES / f"{name}.png"
    if os.environ.get("PITWARDEN_TAKE_PICTURES"):
        Image.open(io.BytesIO(taken)).convert("P", palette=Image.Palette.ADAPTIVE).save(file, optimize=True)
    with Image.open(file) as kept, Image.open(io.BytesIO(taken)) as now:
        assert now.size == kept.size
        assert share_that_differs(kept, now) <= TOLERANCE
    pages = "\n".join(each.read_text(encoding="utf-8") for each in (PICTURES.parent / "how-to").rglob("*.md"))
    assert f"images/{name}.png" in pages, "a picture that no page shows"
