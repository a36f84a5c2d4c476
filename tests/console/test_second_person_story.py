"""A 10 that two persons destroy, at a table that takes the second one at another login only: two browsers."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from pitwarden_client.events.codec import decode
from pitwarden_client.events.envelope import LogEvent
from pitwarden_client.events.inputs import InputLogged
from pitwarden_simulators.faults.catalogue import load_faults
from pitwarden_simulators.table.night import TableNight
from pitwarden_simulators.table.setup import TABLES
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.pages.chromium import opened
from testkit.pages.floor_left_out import without_the_floor
from testkit.pages.running_console import PASSWORD, running_console, sign_in
from testkit.processes.live_table import table

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]

TABLE = "tab-shielded"
LIVE_MS = 30_000


def demand_two_persons(file: Path) -> None:
    """Let the table demand two persons for the destruction of a 10, each at a login of their own."""
    text = file.read_text(encoding="utf-8")
    for section, line in (("rules", 'two_persons = ["ft.ten_destroyed"]'), ("inputs", 'second_person = "login"')):
        head = f"[{section}]\n"
        text = text.replace(head, f"{head}{line}\n") if head in text else f"{text}\n{head}{line}\n"
    file.write_text(text, encoding="utf-8")


async def test_both_persons_sign_at_their_own_devices(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser
) -> None:
    (tmp_path / "table").mkdir()
    async with (
        table(TABLES[TABLE], broker, tmp_path / "table", "2") as rig,
        running_console(tmp_path, broker.port, "rig", [TABLE], people=True) as console,
        opened(chromium, console.address, width=390) as floor,
        opened(chromium, console.address, dark=True) as supervisor,
    ):
        demand_two_persons(rig.folder / "table.toml")
        await rig.start()
        await rig.ready()
        faults = [fault for fault in load_faults() if fault.name == "stray_ten" and fault.table == TABLE]
        script = without_the_floor(TableNight(rig.built.table, 2, faults).script())
        playing = asyncio.create_task(rig.people.play(script), name="night")
        try:
            for page, role in ((floor, "floor"), (supervisor, "supervisor")):
                await sign_in(page, role, PASSWORD)
                await page.locator(".needs").get_by_role("link", name="TAB-37").click(timeout=LIVE_MS)
            await floor.get_by_role("button", name="The 10 is destroyed").click(timeout=LIVE_MS)
            await expect(floor.locator(".second")).to_contain_text("waits for a second person until")
            # The other page learns by itself that a second person is asked for.
            await expect(supervisor.locator(".second")).to_contain_text("has signed", timeout=LIVE_MS)
            await supervisor.get_by_role("button", name="Sign as s02").click()
            await expect(supervisor.locator(".answer")).to_contain_text("by f17 and s02", timeout=LIVE_MS)
            await expect(supervisor.locator(".answer")).to_contain_text("accepted as row", timeout=LIVE_MS)
            for page in (floor, supervisor):
                await expect(page.locator("#incident")).to_contain_text("It has ended", timeout=LIVE_MS)
            # It was rendered before the table's answer or after it.
            if await floor.get_by_role("link", name="Look again").is_visible():
                await floor.get_by_role("link", name="Look again").click()
            await expect(floor.locator(".answer")).to_contain_text("accepted as row", timeout=LIVE_MS)
            await playing
        finally:
            playing.cancel()
            await asyncio.wait({playing})
        keyed = [decode(LogEvent, row).data for row in rig.recorder.rows.values() if b'"terminal":"console"' in row]
    [row] = keyed
    assert isinstance(row, InputLogged)
    assert (row.act.act, {row.person, row.witness}) == ("ft.ten_destroyed", {"f17", "s02"})
    assert (row.terminal, row.confirmed_at) == ("console", "console"), "at the console's login of each role"
