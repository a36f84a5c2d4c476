"""Floods of alarms: more than a person can handle, told by their likely causes."""

import re

from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.floods import FLOOD, GROUPED, FloodWatch, Opening, grouped
from pitwarden_console.board.pit_board import PitBoard, ranked
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from testkit.pages.fed_tables import FedTable
from testkit.pages.people import KEY, People
from testkit.pages.stored_tables import SteppedClock

MINUTE_MS = 60_000


async def test_a_flood_is_told_with_its_likely_cause_and_priority_1_stays_apart(
    people: People, ten: TableState
) -> None:
    await people.watch.check()
    case = ten.irregularities[0]
    several = tuple(
        case.model_copy(update={"ref": f"r{number}", "verdicts": ("SHUFFLE",), "device": None, "deck": "B"})
        for number in range(FLOOD)
    )
    people.show(ten.model_copy(update={"irregularities": (case, *several)}))
    await people.watch.check()
    cookie = await people.cookie("display")
    page = (await people.get("/", cookie)).text
    assert "Flood in" not in page, "the first one was open when the console started"
    people.show(ten.model_copy(update={"irregularities": (case, *several, case.model_copy(update={"ref": "r-new"}))}))
    await people.watch.check()
    page = (await people.get("/", cookie)).text
    assert "<b>Flood in Pit A:</b> 11 new in 10 minutes" in page
    assert re.search(rf"<b>{FLOOD}</b> likely from one cause: <b>deck B of tab-shielded</b>", page)
    assert page.count('<li class="p1 unacknowledged">') == 2
    people.clock.step(10 * MINUTE_MS)
    await people.watch.check()
    assert "Flood in" not in (await people.get("/", cookie)).text


async def test_chatter_is_one_line_with_a_count(people: People, ten: TableState) -> None:
    await people.watch.check()
    case = ten.irregularities[0].model_copy(update={"verdicts": ("SHUFFLE",)})
    for number in range(3):
        people.show(
            ten.model_copy(update={"irregularities": (case.model_copy(update={"ref": f"r{number}"}),)})
        )  # fmt: skip
        await people.watch.check()
    page = (await people.get("/", await people.cookie("display"))).text
    assert "3 times in 10 minutes" in page


def test_a_pit_is_flooded_by_more_than_ten_openings_within_the_window() -> None:
    floods = FloodWatch()
    for number in range(FLOOD + 1):
        assert floods.flooded("Pit A") == ()
        floods.opened(Opening(number, KEY, "TAB-37"))
    assert floods.flooded(None) == floods.flooded("Pit A") == ("Pit A",)
    assert floods.flooded("Pit B") == ()
    floods.forget(600_000)
    assert floods.flooded(None) == ()
    assert floods.times(KEY, "TAB-37") == FLOOD


def test_a_kind_of_device_at_many_tables_is_one_cause(ten: TableState) -> None:
    board = PitBoard(SteppedClock(), load_priorities())
    case = ten.irregularities[0].model_copy(update={"verdicts": ("DEV_OUT",), "deck": None})
    for number in range(GROUPED):
        table = FedTable(TableKey("Pit A", "silent", f"bj-{number}"))
        table.view.state = ten.model_copy(
            update={"irregularities": (case.model_copy(update={"device": f"shoe-{number}"}),), "duties": ()}
        )
        board.add(table)
    [group] = grouped(ranked(board.in_pit(None)))
    assert (group.cause, group.priority, len(group.alarms)) == ("devices of the kind shoe", 2, GROUPED)
    assert [one.cause for one in grouped(ranked(board.in_pit(None))[: GROUPED - 1])] == ["", ""]
