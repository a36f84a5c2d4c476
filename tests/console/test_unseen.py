"""Notes and reviews: what ended unseen stays listed until a person has seen it."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from pitwarden_client.events.base import Position
from pitwarden_client.events.outputs import TableState
from pitwarden_console.store.incidents import Incident
from pitwarden_console.store.migrations.versions import v0010_unseen
from pitwarden_console.store.projection import insert_incidents
from pitwarden_console.store.remarks import RemarkBook
from pitwarden_console.store.schema import incident
from testkit.pages.migrated_again import migrated_again
from testkit.pages.people import KEY, People, kinds
from testkit.pages.stored_tables import HARBOR, night_items, sqlite_url, store_night

MINUTE_MS = 60_000


async def test_a_note_and_a_look_stand_in_the_report(people: People, ten: TableState) -> None:
    cookie = await people.cookie("surveillance")
    address = f"/report/silent/tab-shielded/{people.ref}"
    sent = await people.post(f"{address}/note", cookie, {"text": "camera 4 has\nit from 19:02"})
    assert sent.status == 303
    assert (await people.post("/report/silent/tab-shielded/none/note", cookie, {"text": "no such thing"})).status == 409
    refused = await people.post(f"{address}/note", cookie, {"text": "he held the 10H then"})
    assert (refused.status, ten.in_round) == (409, True)
    assert (await kinds(people.database)).count("note") == 1


def ended_by_itself(ref: str, opened_ms: int) -> Incident:
    """Return an irregularity that no one acknowledged and no one's act ended."""
    return Incident(
        ref, "irregularity", "TAB-37", (), ("HOLD",), 1, "cleared", "floorperson", "A 10.", opened_ms,
        Position(epoch="e", number=1), simulated=False, last_output=1, ended_ms=opened_ms + MINUTE_MS,
    )  # fmt: skip


async def stored(people: People, ref: str, *, opened_ms: int) -> None:
    async with people.database.writing() as connection:
        await insert_incidents(connection, 1, [ended_by_itself(ref, opened_ms)], HARBOR)


async def test_what_ended_unseen_stays_listed_until_a_person_has_seen_it_however_old(people: People) -> None:
    year_ms = 365 * 24 * 60 * MINUTE_MS
    await stored(people, "old", opened_ms=people.clock.utc - year_ms)
    cookie = await people.cookie("floor")
    page = (await people.get("/unseen", cookie)).text
    assert "1 ended unseen" in page
    assert "Sun 02 Mar 2025" in page, "a time of day names no day"
    address = "/report/silent/tab-shielded/old/look"
    assert (await people.post(address, cookie, {"next": "/unseen"})).status == 303
    assert "0 ended unseen" in (await people.get("/unseen", cookie)).text
    assert (await people.post(address, cookie, {})).status == 303
    assert (await kinds(people.database)).count("seen") == 1, "the first one is recorded"


async def test_what_a_person_has_seen_while_it_was_open_does_not_end_unseen(people: People, tmp_path: Path) -> None:
    await store_night(sqlite_url(tmp_path), "tab-shielded", night_items("tab-shielded", "2", 2, "stray_ten"))
    opened_ms = people.clock.utc
    is_open = {"status": "open", "acknowledged_ms": None, "ended_ms": None, "ended_by": None}
    async with people.database.writing() as connection:
        await connection.execute(update(incident).where(incident.c.ref == people.ref).values(is_open))
    cookie = await people.cookie("floor")
    report = f"/report/silent/tab-shielded/{people.ref}"
    assert "It acknowledges nothing at the table." in (await people.get(report, cookie)).text
    assert (await people.post(f"{report}/look", cookie, {})).status == 303
    page = (await people.get(report, cookie)).text
    assert "Seen by <b>p0</b>" in page
    assert "It had ended" not in page
    assert people.board.snapshots[KEY].open[0].state == "unacknowledged", "the alarm goes on"
    async with people.database.writing() as connection:
        await connection.execute(delete(incident))
    await stored(people, people.ref, opened_ms=opened_ms)
    assert "0 ended unseen" in (await people.get("/unseen", cookie)).text


@pytest.mark.parametrize(
    ("change", "unnoticed"),
    [
        ({}, True), ({"ended_ms": None}, False), ({"ended_by": "f1"}, False), ({"acknowledged_ms": 1}, False),
        ({"status": "refuted"}, False), ({"kind": "duty"}, False),
    ],
)  # fmt: skip
def test_one_predicate_says_what_ended_unnoticed(change: dict[str, object], unnoticed: bool) -> None:  # noqa: FBT001
    assert replace(ended_by_itself("r", 0), **change).ended_unnoticed is unnoticed  # type: ignore[arg-type]


async def test_a_store_of_the_version_before_gets_its_unseen_ones_marked(people: People) -> None:
    """The migration uses the predicate of the projection, with the reviews that were stored."""
    for ref in ("kept", "reviewed"):
        await stored(people, ref, opened_ms=people.clock.utc)
    await RemarkBook(people.database).add_look(1, "reviewed", people.clock.utc, "p0")
    without = ("DROP INDEX ix_incident_unseen", "ALTER TABLE incident DROP COLUMN unseen")
    await migrated_again(people.database, v0010_unseen.upgrade, *without)
    found, count = await RemarkBook(people.database).unseen(simulated=False)
    assert ([one.incident.ref for one in found], count) == (["kept"], 1)
