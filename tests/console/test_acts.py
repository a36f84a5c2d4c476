"""Acts from the console: each refusal sends nothing, and each act is recorded with its answer."""

import re

import pytest

from pitwarden_client.events.inputs import InputReply
from pitwarden_client.events.outputs import ClearingFact, TableState
from pitwarden_console.acts.choices import SheetError, choices, filled, further_choices
from pitwarden_console.acts.keying import Keying
from pitwarden_console.people.audit import Audit
from pitwarden_console.roles import ROLES
from testkit.pages.people import KEY, People, kinds


async def test_an_act_is_recorded_sent_once_answered_and_shown(people: People) -> None:
    cookie = await people.cookie("floor")
    page = (await people.get(people.address, cookie)).text
    assert re.search(r'class="act main".*?The 10 is destroyed', page, re.DOTALL)
    fields = await people.fields(cookie, "ten_destroyed..0")
    answer = await people.act(cookie, fields)
    again = await people.act(cookie, fields)  # a double tap
    assert (answer.status, again.headers["location"]) == (303, answer.headers["location"])
    shown = (await people.get(answer.headers["location"], cookie)).text
    assert "accepted as row 120" in shown
    state = people.table.view.state
    assert state is not None
    assert {(table, wanted.id, wanted.person, wanted.act.act, wanted.as_of) for table, wanted in people.link.keyed} == {
        ("tab-shielded", fields["input"], "p0", "ft.ten_destroyed", state.as_of)
    }
    assert (await kinds(people.database)).count("act") == (await kinds(people.database)).count("answer") == 1
    assert "accepted as row 120" in (await people.get("/audit", cookie)).text


async def test_the_position_is_that_which_the_page_showed(people: People) -> None:
    cookie = await people.cookie("floor")
    fields = await people.fields(cookie, "ack")
    state = people.table.view.state
    assert state is not None
    newer = state.as_of.model_copy(update={"number": state.as_of.number + 9})
    people.table.view.state = state.model_copy(update={"as_of": newer})
    people.board.mark(KEY)
    people.board.refresh()
    await people.act(cookie, fields)
    assert people.link.keyed[0][1].as_of == state.as_of


async def test_a_refusal_of_the_table_is_shown_in_its_words(people: People) -> None:
    people.reply = InputReply(id="any", accepted=False, reason="the state is too old")
    cookie = await people.cookie("floor")
    answer = await people.act(cookie, await people.fields(cookie, "ack"))
    assert "the state is too old" in (await people.get(answer.headers["location"], cookie)).text


async def test_a_card_that_may_lie_face_down_is_neither_sent_nor_recorded(people: People) -> None:
    cookie = await people.cookie("floor")
    fields = {**await people.fields(cookie, "refute"), "words": "it was the king of hearts"}
    state = people.table.view.state
    assert state is not None
    assert state.in_round
    answer = await people.act(cookie, fields)
    assert answer.status == 409
    assert "name none" in answer.text
    assert people.link.keyed == []
    assert "act" not in await kinds(people.database)
    people.table.view.state = state.model_copy(update={"in_round": False})
    people.board.mark(KEY)
    people.board.refresh()
    assert (await people.act(cookie, fields)).status == 303


@pytest.mark.parametrize("role", ROLES)
async def test_each_role_sees_and_sends_only_what_it_may(people: People, role: str) -> None:
    cookie = await people.cookie(role)
    page = (await people.get(people.address, cookie)).text
    acts = role in {"floor", "supervisor"}
    assert ("The 10 is destroyed" in page) == acts
    crafted = await people.fields(await people.cookie("supervisor"), "ack")
    csrf = re.findall(r'name="csrf" value="([^"]*)"', page)[0]
    answer = await people.act(cookie, {**crafted, "csrf": csrf})
    assert answer.status == (303 if acts else 403)
    assert len(people.link.keyed) == (1 if acts else 0)
    if not acts:
        assert "refused-act" in await kinds(people.database)


@pytest.mark.parametrize(("person", "status"), [(None, 303), ("p1", 403)])
async def test_nobody_rules_on_an_act_of_the_own_from_here(people: People, person: str | None, status: int) -> None:
    state = people.table.view.state
    assert state is not None
    rights = state.opened[0].model_copy(update={"may_clear": ("supervisor",), "not_by": person})
    before = await people.fields(await people.cookie("supervisor"), "ack")
    people.table.view.state = state.model_copy(update={"opened": (rights,)})
    people.board.mark(KEY)
    people.board.refresh()
    for login, expected in (("floor", 403), ("supervisor", status)):
        cookie = await people.cookie(login)
        page = (await people.get(people.address, cookie)).text
        assert ("Acknowledge" in page) == (expected == 303), login
        assert "The 10 is destroyed" in page, "what the clause demands stays with whoever has the act"
        csrf = re.findall(r'name="csrf" value="([^"]*)"', page)[0]
        answer = await people.act(cookie, {**before, "csrf": csrf})
        assert answer.status == expected, login
    assert len(people.link.keyed) == (status == 303)
    assert "refused-act" in await kinds(people.database)


async def test_nothing_leaves_from_a_table_that_is_not_live_or_a_case_that_ended(people: People) -> None:
    cookie = await people.cookie("floor")
    fields = await people.fields(cookie, "ack")
    people.table.reasons = ("the judge is offline",)
    people.board.refresh()
    refused = await people.act(cookie, fields)
    assert (refused.status, "the judge is offline" in refused.text) == (409, True)
    people.table.reasons = ()
    state = people.table.view.state
    assert state is not None
    people.table.view.state = state.model_copy(update={"irregularities": ()})
    people.board.mark(KEY)
    people.board.refresh()
    assert (await people.act(cookie, fields)).status == 409
    assert people.link.keyed == []


@pytest.mark.parametrize("change", [{"choice": "ft.recut"}, {"input": "x"}, {"number": "-1"}, {"epoch": "a/b"}])
async def test_a_crafted_sheet_is_refused(people: People, change: dict[str, str]) -> None:
    cookie = await people.cookie("floor")
    assert (await people.act(cookie, {**await people.fields(cookie, "ack"), **change})).status == 409
    assert people.link.keyed == []


async def test_an_answer_that_was_lost_is_awaited_after_a_restart(people: People, ten: TableState) -> None:

    audit = Audit(people.database, people.clock)
    await audit.add(
        "act", person="p0", role="floor", input_id="ab" * 12, site="silent", table="tab-shielded", ref=people.ref,
        as_of=ten.as_of.model_dump(), act={"act": "ack", "irregularity": people.ref},
    )  # fmt: skip
    keying = Keying({"floor": people.link}, audit, people.clock)
    await keying.resume()
    while "answer" not in await audit.of_input("ab" * 12):
        pass
    await keying.close()
    assert [wanted.id for _, wanted in people.link.keyed] == ["ab" * 12]
    await keying.resume()
    assert len(people.link.keyed) == 1, "what has an answer is not sent again"


def test_words_and_counts_are_asked_for(ten: TableState) -> None:
    case = ten.irregularities[0].model_copy(
        update={
            "clears_facts": (
                (ClearingFact(kind="counted", subject="A"), ClearingFact(kind="noted")),
                (ClearingFact(kind="burned"),),
            )
        }
    )
    counted, noted = choices(case)
    assert filled(counted, "", "384").act == "ft.deck_verified"
    for count in ("", "x", "12345", "-1", "\u0663"):
        with pytest.raises(SheetError, match="number that was counted"):
            filled(counted, "", count)
    assert filled(noted, "  seen by\nthe  floor ", "").act == "ft.settle_note"
    with pytest.raises(SheetError, match="10 to 500 characters"):
        filled(noted, "ok       ok", "")
    assert [choice.act for choice in further_choices(case)] == ["ack", "refute"]
    seen = case.model_copy(update={"status": "acknowledged"})
    assert [choice.act for choice in further_choices(seen)] == ["refute"]
