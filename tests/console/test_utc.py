"""UTC on demand: a person's browser shows it next to the local time on every page, and no other browser does."""

import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, expect

from pitwarden_client import Item
from pitwarden_console.site_time import SiteTime
from pitwarden_console.web.hub import LiveHub
from testkit.pages.application import application
from testkit.pages.asgi import request
from testkit.pages.chromium import opened
from testkit.pages.people import FORM, People
from testkit.pages.pictured import pictured_pit
from testkit.pages.stored_tables import HARBOR, night_items, sqlite_url, store_night

TABLE = "tab-shielded"
RANGE = "first=2026-03-02&last=2026-03-02&simulated=yes"


@pytest.fixture(scope="module")
def items() -> tuple[Item, ...]:
    return night_items(TABLE, "2", 2, "stray_ten")


@pytest.mark.parametrize(
    ("utc_ms", "clock", "moment"),
    [
        (1_772_474_460_000, "18:01:00 UTC", "Mon 02 Mar 2026 18:01:00 UTC"),
        (1_772_424_059_999, "04:00:59 UTC", "Mon 02 Mar 2026 04:00:59 UTC"),
        (1_772_427_660_000, "05:01:00 UTC", "Mon 02 Mar 2026 05:01:00 UTC"),
    ],
)
def test_utc_has_its_day_where_it_is_not_the_local_one(utc_ms: int, clock: str, moment: str) -> None:
    is_another_day = HARBOR.local(utc_ms).day != 2
    assert HARBOR.clock_utc(utc_ms) == (f"02 Mar {clock}" if is_another_day else clock)
    assert HARBOR.moment_utc(utc_ms) == moment
    assert SiteTime(ZoneInfo("UTC"), HARBOR.day_start).clock_utc(utc_ms) == clock


async def test_the_choice_is_a_cookie_of_the_browser_and_leads_back(people: People) -> None:
    cookie = await people.cookie("compliance")
    page = f"/history?{RANGE}"
    shown = (await people.get(page, cookie)).text
    assert 'name="next" value="/history?first=2026-03-02&amp;last=2026-03-02&amp;simulated=yes"><button' in shown
    answer = await people.post("/utc", cookie, {"utc": "shown", "next": page})
    assert (answer.status, answer.headers["location"]) == (303, page)
    kept = answer.headers["set-cookie"]
    assert kept.startswith("__Host-utc=shown; ")
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Secure"} == set(kept.split("; ")[1:]), "until the browser closes"
    off = await people.post("/utc", f"{cookie}; __Host-utc=shown", {"next": "//evil.example"})
    assert (off.status, off.headers["location"]) == (303, "/")
    assert 'utc=""; ' in off.headers["set-cookie"]
    assert "Max-Age=0" in off.headers["set-cookie"]


async def test_every_time_of_every_page_has_its_utc(people: People, tmp_path: Path, items: tuple[Item, ...]) -> None:
    await store_night(sqlite_url(tmp_path), TABLE, items)
    cookie = await people.cookie("supervisor")
    for address in (
        "/", f"/table/silent/{TABLE}", people.address, f"/history?{RANGE}", f"/report/silent/{TABLE}/{people.ref}",
        "/shift-report?simulated=yes", "/unseen", "/audit", "/reports", "/technician", "/people",
    ):  # fmt: skip
        for chosen in (False, True):
            answer = await people.get(address, f"{cookie}; __Host-utc=shown" if chosen else cookie)
            page = re.sub(r"<option.*?</option>", "", answer.text)
            assert ('data-utc="shown"' in page) is chosen, address
            local = re.findall(r"\d\d:\d\d:\d\d E[SD]T", page)
            assert local or answer.status == 403, address
            both = re.findall(
                r"\d\d:\d\d:\d\d E[SD]T(?:</span>)?<span class=\"in-utc\"[^>]*> \([^)]*\d\d:\d\d:\d\d UTC\)</span>",
                page,
            )
            assert len(both) == len(local), address


async def test_where_no_one_signs_in_the_choice_needs_a_form_of_the_console(people: People, tmp_path: Path) -> None:
    file = tmp_path / "open.toml"
    text = (tmp_path / "console.toml").read_text()
    file.write_text(
        text.replace("[keying]\nfloor = {}\nsupervisor = {}\n", "").replace("[web]", "[web]\nsign_in = false")
    )
    app = application(file, people.database, people.board, LiveHub(people.board), people.clock)
    assert 'action="/utc"' in (await request(app, "/")).text
    for origin, status in (("https://localhost", 303), ("https://evil.example", 403)):
        headers = {**FORM, "origin": origin}
        answer = await request(app, "/utc", method="POST", headers=headers, body=b"utc=shown")
        assert answer.status == status


@pytest.mark.full
@pytest.mark.slow
async def test_a_browser_sees_utc_once_it_is_chosen(tmp_path: Path, items: tuple[Item, ...], chromium: Browser) -> None:
    async with pictured_pit(tmp_path, {TABLE: items}, {}) as address, opened(chromium, address) as page:
        await expect(page.locator("#clock-utc")).to_be_hidden()
        await page.get_by_role("button", name="UTC").click()
        await expect(page.locator("#clock-utc")).to_be_visible()
        await expect(page.locator("#clock-utc")).to_have_text(re.compile(r"UTC\)"))
        await expect(page.locator("#live")).to_have_text("LIVE")
        # A beat of the console has set it since.
        await expect(page.locator("#clock-utc")).to_have_text(" (Mon 02 Mar 2026 18:01:00 UTC)")
        await page.get_by_role("button", name="UTC").click()
        await expect(page.locator("#clock-utc")).to_be_hidden()
