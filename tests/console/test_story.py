"""The story of a stray 10 at a simulated night, in two browsers: seen, acknowledged, cleared, found, printed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import TABLES
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.pages.chromium import opened
from testkit.pages.floor_left_out import without_the_floor
from testkit.pages.running_console import PASSWORD, RunningConsole, running_console, sign_in
from testkit.processes.live_table import LiveTable, table
from testkit.secrecy.secret_search import files_of, holds
from testkit.secrecy.secret_search import opened as opened_secrets

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]

TABLE = "tab-shielded"
LIVE_MS = 30_000
"""What a service, a console, a broker and two browsers take to start on a busy machine."""


@asynccontextmanager
async def night(broker: MosquittoBroker, folder: Path) -> AsyncIterator[tuple[LiveTable, RunningConsole]]:
    """Yield a table at which a 10 is found, and a console with people."""
    (folder / "table").mkdir()
    async with (
        table(TABLES[TABLE], broker, folder / "table", "2") as rig,
        running_console(folder, broker.port, "rig", [TABLE], people=True) as console,
    ):
        await rig.start()
        await rig.ready()
        faults = [fault for fault in load_faults() if fault.name == "stray_ten" and fault.table == TABLE]
        script = TableNight(rig.built.table, 2, faults).script()
        playing = asyncio.create_task(rig.people.play(without_the_floor(script)), name="night")
        try:
            yield rig, console
            await playing
        finally:
            playing.cancel()
            await asyncio.wait({playing})


def assert_no_hidden_card(rig: LiveTable, folder: Path, pages: list[str]) -> None:
    """No seal that is closed can be opened from what the console stored, logged or showed."""
    secrets = opened_secrets(rig.recorder.rows.values(), folder / "table" / "keys", "rig", TABLE)
    public = b"".join(body for said in rig.recorder.outputs.values() for body in said)
    hidden = [blind for blind in secrets.blinds.values() if blind.hex().encode() not in public]
    assert len(secrets.blinds) > 20
    assert secrets.keys, "what opens every seal of the log"
    ours = {name: raw for name, raw in files_of(folder).items() if name.startswith("console.")}
    assert any(name.endswith("sqlite") for name in ours)
    ours |= {f"page {number}": page.encode() for number, page in enumerate(pages)}
    for name, raw in ours.items():
        assert not any(holds(raw, secret) for secret in (*hidden, *secrets.keys)), name


async def test_a_stray_ten_is_seen_acknowledged_cleared_found_and_printed(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser
) -> None:
    async with (
        night(broker, tmp_path) as (rig, console),
        opened(chromium, console.address, width=390) as floor,
        opened(chromium, console.address, dark=True) as other,
    ):
        await sign_in(floor, "floor", PASSWORD)
        await sign_in(other, "surveillance", PASSWORD)
        for page in (floor, other):
            await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)
            await page.locator(".needs").get_by_role("link", name="TAB-37").click(timeout=LIVE_MS)
            await expect(page.locator("#incident")).to_contain_text("A 10 was found in the shoe", timeout=LIVE_MS)
        await expect(other.locator(".acts")).to_contain_text("The role surveillance can read, and key nothing.")
        assert await other.locator(".acts button").count() == 0

        await floor.get_by_role("button", name="Acknowledge").click()
        await expect(floor.locator(".answer")).to_contain_text("accepted as row", timeout=LIVE_MS)
        for page in (floor, other):
            await expect(page.locator("#incident")).to_contain_text("acknowledged by f17", timeout=LIVE_MS)

        await floor.get_by_role("button", name="The 10 is destroyed").click()
        await expect(floor.locator(".answer")).to_contain_text("accepted as row", timeout=LIVE_MS)
        for page in (floor, other):
            await expect(page.locator("#incident")).to_contain_text("It has ended", timeout=LIVE_MS)
        await expect(floor.locator(".acts")).not_to_be_visible()

        await other.get_by_role("link", name="History").click()
        await other.get_by_label("simulated too").check()
        await other.get_by_role("button", name="Search").click()
        await expect(other.locator("tbody")).to_contain_text("TAB-37 DESTROY HOLD")
        await other.get_by_role("link", name="report on TAB-37").click()
        report = other.locator(".report")
        for words in ("by f17", "ft.ten_destroyed", "intact", "SIMULATED"):
            await expect(report).to_contain_text(words)
        await expect(report).not_to_contain_text("CHANGED OR INCOMPLETE")
        pages = [await page.content() for page in (floor, other)]
        assert (await other.pdf()).startswith(b"%PDF"), "it can be printed"
        keyed = [row for row in rig.recorder.rows.values() if b'"terminal":"console"' in row]
        assert [b'"person":"f17"' in row for row in keyed] == [True, True], "each act is one row of the table"

        assert_no_hidden_card(rig, tmp_path, pages)

        await other.get_by_role("link", name="Acts").click()
        await expect(other.locator("tbody")).to_contain_text("accepted as row")
        await other.get_by_role("button", name="Sign out").click()
        await expect(other.get_by_role("button", name="Sign in", exact=True)).to_be_visible()
