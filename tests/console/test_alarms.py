"""Alarm management: what sounds, who silenced it, what is shelved until when, and what a flood is."""

import re

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.sound import SILENCE_MS, SilenceBook
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.roles import ROLES
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.shelves import MAX_SHELF_MS, ShelfBook
from testkit.pages.fed_tables import FedTable
from testkit.pages.people import KEY, People, audited, kinds
from testkit.pages.stored_tables import SteppedClock

MINUTE_MS = 60_000
REASON = {"minutes": "15", "reason": "the technician is on the way"}


@pytest.fixture
def noted(ten: TableState) -> TableState:
    """Return a state with an irregularity of priority 3."""
    return ten.model_copy(
        update={"irregularities": (ten.irregularities[0].model_copy(update={"verdicts": ("ALERT",)}),)}
    )


async def shelve(people: People, state: TableState, fields: dict[str, str] | None = None) -> str:
    people.show(state)
    cookie = await people.cookie("floor")
    answer = await people.post(f"{people.address}/shelve", cookie, fields or REASON)
    assert answer.status == 303, answer.text
    return cookie


def alarm(page: str) -> tuple[str, str]:
    [(priority, names)] = re.findall(r'id="alarm" class="alarm" data-priority="(\d)" data-names="([^"]*)"', page)
    return priority, names


async def test_what_is_shelved_is_listed_and_returns_unacknowledged_at_its_end(
    people: People, noted: TableState
) -> None:
    cookie = await shelve(people, noted)
    page = (await people.get("/", cookie)).text
    assert "the technician is on the way" in page
    assert "<b>1</b> shelved" in page
    assert alarm(page) == ("0", "")
    assert "acknowledged" not in page.partition("Shelved")[0]

    people.clock.step(15 * MINUTE_MS - 1)
    await people.watch.check()
    people.board.refresh()
    assert "<b>1</b> shelved" in (await people.get("/", cookie)).text
    people.clock.step(1)
    await people.watch.check()
    people.board.refresh()
    page = (await people.get("/", cookie)).text
    assert "<b>0</b> shelved" in page
    assert "back from the shelf" in page
    assert alarm(page)[0] == "3", "it sounds again"

    cookie = await people.cookie("floor")
    assert (await people.post(f"{people.address}/unshelve", cookie, {})).status == 303
    people.board.refresh()
    assert "back from the shelf" not in (await people.get("/", cookie)).text
    assert (await kinds(people.database))[-3:] == ["shelve", "sign-in", "seen"]
    assert '"text":"the technician is on the way"' in (await audited(people.database))[-3]


async def test_what_is_lifted_returns_as_it_was(people: People, noted: TableState) -> None:
    seen = noted.irregularities[0].model_copy(update={"status": "acknowledged", "by": "f9"})
    cookie = await shelve(people, noted.model_copy(update={"irregularities": (seen,)}))
    assert (await people.post(f"{people.address}/unshelve", cookie, {})).status == 303
    people.board.refresh()
    page = (await people.get("/", cookie)).text
    assert "acknowledged by f9" in page
    assert alarm(page)[0] == "0"
    assert (await kinds(people.database))[-1] == "unshelve"
    assert (await people.post(f"{people.address}/unshelve", cookie, {})).status == 409


async def test_a_shelf_survives_a_restart_and_ends_with_its_irregularity(people: People, noted: TableState) -> None:
    await shelve(people, noted)
    again = ShelfBook()
    await again.load(people.database)
    kept = again.of(1, people.ref)
    assert kept is not None
    assert (kept.person, kept.ends_ms - kept.started_ms) == ("p0", 15 * MINUTE_MS)
    people.table.reasons = ("the judge is offline",)
    people.show(noted.model_copy(update={"irregularities": ()}))
    await people.watch.check()
    assert people.board.shelves.of(1, people.ref) is not None, "of a table that is not live nothing is known"
    people.table.reasons = ()
    people.board.refresh()
    await people.watch.check()
    assert people.board.shelves.of(1, people.ref) is None
    after = ShelfBook()
    await after.load(people.database)
    assert after.of(1, people.ref) is None


async def test_a_shelf_does_not_outlast_the_shift(people: People, noted: TableState) -> None:
    # The gaming day of the test's console ends at 06:00; the clock is stepped to 05:40 of the next morning.
    people.clock.step((16 * 60 + 39) * MINUTE_MS)
    await shelve(people, noted, {**REASON, "minutes": "60"})
    kept = people.board.shelves.of(1, people.ref)
    assert kept is not None
    assert kept.ends_ms - kept.started_ms == 20 * MINUTE_MS


async def test_a_word_that_stops_the_table_takes_it_from_the_shelf(people: People, noted: TableState) -> None:
    cookie = await shelve(people, noted)
    worse = noted.irregularities[0].model_copy(update={"verdicts": ("HOLD",)})
    people.show(noted.model_copy(update={"irregularities": (worse,)}))
    page = (await people.get("/", cookie)).text
    assert alarm(page)[0] == "1"
    assert "<b>0</b> shelved" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"minutes": "0"}, "1 to 60 minutes"), ({"minutes": "61"}, "1 to 60 minutes"),
        ({"minutes": "\u0663"}, "1 to 60 minutes"), ({"reason": "why  not"}, "10 to 500 characters"),
        ({"reason": "x" * 501}, "10 to 500 characters"), ({"reason": "it was the king of hearts"}, "name none"),
    ],
)  # fmt: skip
async def test_a_shelf_without_an_end_or_a_reason_is_refused(
    people: People, noted: TableState, fields: dict[str, str], words: str
) -> None:
    people.show(noted)
    answer = await people.post(f"{people.address}/shelve", await people.cookie("floor"), {**REASON, **fields})
    assert (answer.status, words in answer.text) == (409, True)
    assert people.board.shelves.of(1, people.ref) is None
    assert "shelve" not in await kinds(people.database)


async def test_a_stop_cannot_be_shelved_and_nothing_twice(people: People, ten: TableState, noted: TableState) -> None:
    cookie = await people.cookie("floor")
    answer = await people.post(f"{people.address}/shelve", cookie, REASON)
    assert (answer.status, "Only priority 3" in answer.text) == (409, True)
    await shelve(people, noted)
    assert (await people.post(f"{people.address}/shelve", cookie, REASON)).status == 409
    people.table.reasons = ("the judge is offline",)
    people.board.refresh()
    assert (await people.post(f"{people.address}/shelve", cookie, REASON)).status == 409
    assert ten.irregularities


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_does_what_it_may(people: People, noted: TableState, role: str) -> None:
    people.show(noted)
    cookie = await people.cookie(role)
    floor, notes = role in {"floor", "supervisor"}, role in {"floor", "supervisor", "surveillance"}
    page = (await people.get(people.address, cookie)).text
    assert ("Shelve</button>" in page, "Silence 60 s" in page, "Add the note" in page) == (floor, floor, notes)
    for address, fields, allowed in (
        ("/silence", {}, floor), ("/shift", {"device": "tablet 4"}, floor),
        (f"{people.address}/shelve", REASON, floor), (f"{people.address}/unshelve", {}, floor),
        (f"/report/silent/tab-shielded/{people.ref}/note", {"text": "camera 4 has it"}, notes),
        (f"/report/silent/tab-shielded/{people.ref}/look", {}, floor),
    ):  # fmt: skip
        answer = await people.post(address, cookie, fields)
        assert answer.status == (303 if allowed else 403), address


async def test_silence_is_recorded_lasts_a_minute_and_does_not_cover_a_new_alarm(
    people: People, ten: TableState
) -> None:
    cookie = await people.cookie("floor")
    name = f"silent/tab-shielded/{people.ref}"
    assert alarm((await people.get("/", cookie)).text) == ("1", name)
    assert (await people.post("/silence", cookie, {})).status == 303
    page = (await people.get("/", cookie)).text
    assert alarm(page) == ("0", "")
    assert "Silenced by p0 until" in page
    assert f'"alarms":["tab-shielded {people.ref}"]' in (await audited(people.database))[-1]
    assert (await people.post("/silence", cookie, {})).status == 409, "nothing sounds"

    newer = ten.irregularities[0].model_copy(update={"ref": "another"})
    people.show(ten.model_copy(update={"irregularities": (*ten.irregularities, newer)}))
    assert alarm((await people.get("/", cookie)).text) == ("1", "silent/tab-shielded/another")
    people.clock.step(SILENCE_MS)
    assert alarm((await people.get("/", cookie)).text)[1].split() == [name, "silent/tab-shielded/another"]


async def test_an_acknowledged_alarm_that_stays_open_sounds_again(people: People, ten: TableState) -> None:
    cookie = await people.cookie("floor")
    case = ten.irregularities[0]
    seen = case.model_copy(update={"status": "acknowledged", "by": "p0"})
    people.table.progress.open = {case.ref: acknowledged_incident(case.ref, people.clock.utc)}
    people.show(ten.model_copy(update={"irregularities": (seen,)}))
    assert alarm((await people.get("/", cookie)).text)[0] == "0"
    people.clock.step(10 * MINUTE_MS)
    assert alarm((await people.get("/", cookie)).text)[0] == "1"


def acknowledged_incident(ref: str, at_ms: int) -> Incident:
    at = Position(epoch="e", number=1)
    return Incident(
        ref, "irregularity", "TAB-37", (), ("HOLD",), 1, "acknowledged", "floorperson", "A 10.", at_ms, at,
        simulated=False, last_output=1, acknowledged_ms=at_ms, acknowledged_by="p0",
    )  # fmt: skip


async def test_a_simulated_table_sounds_only_where_no_real_one_is(ten: TableState) -> None:
    clock = SteppedClock()
    board = PitBoard(clock, load_priorities())
    tables = [FedTable(TableKey("Pit A", "silent", f"bj-{number}")) for number in range(2)]
    for table in tables:
        table.view.state = ten
        board.add(table)
    silences = SilenceBook()
    assert len(silences.sounding(board.in_pit(None), 0).names) == 2
    tables[0].view.state = ten.model_copy(update={"simulated": False})
    board.mark(tables[0].key)
    board.refresh()
    assert [name.key.name for name in silences.sounding(board.in_pit(None), 0).names] == ["bj-0"]
    tables[0].reasons = ("the judge is offline",)
    board.refresh()
    [quiet] = silences.sounding(board.in_pit(None), 0).names
    assert (quiet.key.name, quiet.ref) == ("bj-0", "not-live")


@pytest.mark.parametrize(
    "text", ["he held the 10H then", "the seven of hearts", "5 \N{BLACK SPADE SUIT} it was", "a King of spades"]
)
async def test_no_text_names_a_card_while_the_table_is_not_live(people: People, noted: TableState, text: str) -> None:
    people.show(noted.model_copy(update={"in_round": False}))
    people.table.reasons = ("the judge is offline",)
    people.board.mark(KEY)
    people.board.refresh()
    cookie, address = await people.cookie("floor"), f"/report/silent/tab-shielded/{people.ref}/note"
    refused = await people.post(address, cookie, {"text": text})
    assert (refused.status, "While the table is not live" in refused.text) == (409, True)
    people.table.reasons = ()
    people.board.mark(KEY)
    people.board.refresh()
    assert (await people.post(address, cookie, {"text": text})).status == 303, "between rounds all cards are known"
    assert (await kinds(people.database)).count("note") == 1


async def test_the_start_of_a_shift_names_person_pit_and_device(people: People) -> None:
    cookie = await people.cookie("floor")
    fields = {"pit": "Pit A", "device": " tablet  4 ", "sound": "played"}
    answer = await people.post("/shift", cookie, fields)
    assert (answer.status, answer.headers["location"]) == (303, "/pit/Pit%20A")
    assert '"pit":"Pit A","device":"tablet 4","sound":"played"' in (await audited(people.database))[-1]
    assert (await people.post("/shift", cookie, {**fields, "pit": "//evil.example"})).status == 409
    assert (await people.post("/shift", cookie, {**fields, "device": " "})).status == 409
    assert (await people.post("/shift", cookie, {**fields, "device": "tablet 7 of clubs"})).status == 409
    page = (await people.get("/audit", cookie)).text
    assert "tablet 4, Pit A, tone played" in page


def test_an_hour_is_the_longest_shelf() -> None:
    assert MAX_SHELF_MS == 60 * MINUTE_MS
