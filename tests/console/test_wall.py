"""The wall display: a pit in large letters, nothing to touch, and not live within two seconds of the last beat."""

import re
import signal
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from pitwarden_client import Cursor
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.floods import FLOOD, Opening
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.store.writer import TableProgress
from pitwarden_console.web.wall_pages import MAX_LINES
from pitwarden_tools.simulation.halves import SITE
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.pages.chromium import opened
from testkit.pages.fed_tables import FedTable
from testkit.pages.people import KEY, People
from testkit.pages.running_console import running_console

NOT_LIVE_MS = 2_000


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.partition("<main")[2]))


async def wall(people: People, address: str = "/wall") -> str:
    people.board.refresh()
    answer = await people.get(address, await people.cookie("display"))
    assert answer.status == 200
    return answer.text


def add(people: People, name: str, state: TableState | None, pit: str = "Pit A") -> FedTable:
    table = FedTable(TableKey(pit, "silent", name), TableProgress(9, Cursor(), 0, simulated=False))
    table.view.state = state
    people.board.add(table)
    return table


async def test_a_wall_display_has_nothing_to_touch_and_shows_what_needs_someone(
    people: People, ten: TableState
) -> None:
    people.show(ten.model_copy(update={"simulated": False}))
    page = await wall(people)
    assert re.findall(r"<(?:button|input|form|audio|a)\b[^>]*>", page) == ['<a class="skip" href="#main">']
    assert 'data-stream="/stream/wall"' in page
    assert 'data-wall="yes"' in page
    words = text_of(page)
    assert "1 of 1 tables live" in words
    assert "tab-shielded DESTROY HOLD" in words
    assert ten.irregularities[0].sentence in words
    quiet = ten.model_copy(update={"simulated": False, "irregularities": (), "duties": ()})
    people.show(quiet)
    assert "Nothing is open." in text_of(await wall(people))


async def test_what_does_not_fit_is_counted_and_the_most_urgent_comes_first(people: People, ten: TableState) -> None:
    case = ten.irregularities[0]
    minor = [case.model_copy(update={"ref": f"r{n}", "verdicts": ("ALERT",)}) for n in range(MAX_LINES + 2)]
    people.show(ten.model_copy(update={"simulated": False, "irregularities": (*minor, case), "duties": ()}))
    for number in range(FLOOD + 1):
        people.watch.floods.opened(Opening(number, KEY, "TAB-37"))
    dark = add(people, "bj-2", ten.model_copy(update={"simulated": False}))
    dark.reasons = ("the judge is offline",)
    words = text_of(await wall(people))
    assert words.index("bj-2 NOT LIVE") < words.index("DESTROY HOLD") < words.index(" ALERT ")
    assert "and 4 more" in words
    assert "Flood in Pit A" in words
    assert "1 of 2 tables live" in words


async def test_simulated_tables_are_shown_only_where_no_real_one_is(people: People, ten: TableState) -> None:
    assert ten.simulated
    assert "SIMULATED" in text_of(await wall(people))
    add(people, "bj-2", ten.model_copy(update={"simulated": False, "irregularities": (), "duties": ()}))
    words = text_of(await wall(people))
    assert "SIMULATED" not in words
    assert "Nothing is open." in words


async def test_a_wall_display_of_a_pit_has_its_tables_alone(people: People, ten: TableState) -> None:
    add(people, "bj-2", ten.model_copy(update={"simulated": False}), pit="Pit B")
    page = await wall(people, "/wall/pit/Pit%20A")
    assert "tab-shielded" in text_of(page)
    assert "bj-2" not in text_of(page)
    assert "bj-2" in text_of(await wall(people))
    assert re.search(r'data-stream="/stream/wall/pit/Pit(?: |%20)A"', page)
    assert (await people.get("/wall/pit/none", await people.cookie("display"))).status == 404
    assert (
        '<a class="more" href="/wall/pit/Pit%20B">' in (await people.get("/shift", await people.cookie("floor"))).text
    )


_NOTED = """() => {
  window.last = performance.now();
  window.took = null;
  new MutationObserver(() => { window.last = performance.now(); })
    .observe(document.getElementById("clock"), { childList: true, characterData: true, subtree: true });
  new MutationObserver(() => {
    if (document.documentElement.dataset.live === "no") window.took = performance.now() - window.last;
  }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-live"] });
}"""
"""Notes how long after the last beat, which sets the clock, the page was marked as not live."""


@pytest.mark.broker
@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("address", ["/wall", "/"])
async def test_a_frozen_console_is_seen_within_two_seconds(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, address: str
) -> None:
    async with (
        running_console(tmp_path, broker.port, SITE, ["bj-9"]) as console,
        opened(chromium, f"{console.address}{address}", width=1_920) as page,
    ):
        await expect(page.locator("#live")).to_have_text("LIVE", timeout=15_000)
        await page.evaluate(_NOTED)
        console.send(signal.SIGSTOP)
        await page.wait_for_function("() => window.took !== null")
        took: float = await page.evaluate("() => window.took")
        await expect(page.locator("#band")).to_be_visible()
        console.send(signal.SIGCONT)
        await expect(page.locator("#live")).to_have_text("LIVE", timeout=15_000)
    assert took <= NOT_LIVE_MS
