"""Acts of two persons: each signs as themselves, and nothing is sent before both have."""

import asyncio
import re
from dataclasses import replace

import pytest

from pitwarden_client.events.base import Position
from pitwarden_client.events.floor import Ack
from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.status import PartStatus
from pitwarden_console.acts.choices import ActChoice
from pitwarden_console.acts.keying import Sheet
from pitwarden_console.acts.second_person import CONFIRM_MS, MAX_OVER, WaitingActs
from pitwarden_console.errors import StoreError
from pitwarden_console.people.accounts import Account
from pitwarden_console.people.audit import Audit
from testkit.pages.people import KEY, PASSWORD, People, audited, kinds

TEN = "ten_destroyed..0"


@pytest.fixture
def demanding(people: People) -> People:
    """Return a console whose table demands two persons for the destruction of a 10, and takes a name."""
    people.table.view.judge_half = PartStatus(online=True, run="r", two_persons=("ft.ten_destroyed", "refute"))
    people.table.view.field_half = PartStatus(online=True, run="r", second_person="name")
    return people


async def asked(people: People, login: str = "floor") -> tuple[str, dict[str, str]]:
    """Return cookie and fields of a first person who has signed."""
    cookie = await people.cookie(login)
    fields = await people.fields(cookie, TEN)
    assert (await people.act(cookie, fields)).status == 303
    assert people.link.keyed == [], "it waits for the second person"
    return cookie, fields


def step(name: str, fields: dict[str, str], csrf: str = "", **more: str) -> dict[str, str]:
    return {"csrf": csrf or fields["csrf"], "step": name, "input": fields["input"], **more}


async def csrf_of(people: People, cookie: str) -> str:
    found: list[str] = re.findall(r'name="csrf" value="([^"]*)"', (await people.get(people.address, cookie)).text)
    return found[0]


async def test_the_second_person_signs_on_the_same_page(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    page = (await demanding.get(demanding.address, cookie)).text
    assert "waits for a second person until" in page
    wrong = step("sign", fields, login="supervisor", password=f"not {PASSWORD}")
    assert (await demanding.act(cookie, wrong)).status == 403
    assert demanding.link.keyed == []
    signed = await demanding.act(cookie, step("sign", fields, login="supervisor", password=PASSWORD))
    assert signed.status == 303
    [(_, wanted)] = demanding.link.keyed
    assert (wanted.person, wanted.witness, wanted.id) == ("p0", "p1", fields["input"])
    shown = (await demanding.get(signed.headers["location"], cookie)).text
    assert re.search(r"ft.ten_destroyed by p0 and p1:\s*<b>accepted as row 120", shown)
    assert "waits for a second person" not in shown
    assert (await kinds(demanding.database))[-4:] == ["second-asked", "refused-sign-in", "act", "answer"]
    assert '"witness":"p1"' in (await audited(demanding.database))[-2]
    assert "second person p1" in (await demanding.get("/audit", cookie)).text


async def test_the_second_person_signs_in_a_session_of_their_own(demanding: People) -> None:
    _, fields = await asked(demanding)
    other = await demanding.cookie("supervisor")
    assert "Sign as p1" in (await demanding.get(demanding.address, other)).text
    assert (await demanding.act(other, step("sign", fields, await csrf_of(demanding, other)))).status == 303
    [(_, wanted)] = demanding.link.keyed
    assert (wanted.person, wanted.witness) == ("p0", "p1")
    again = await demanding.act(other, step("sign", fields, await csrf_of(demanding, other)))
    assert (again.status, len(demanding.link.keyed)) == (409, 1), "a second tap signs nothing more"
    assert "A supervisor, p1, has signed for this act already" in again.text


async def test_of_two_second_persons_one_signs_and_the_other_reads_who_did(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    await demanding.add("supervisor-2", "p92", "supervisor")
    signs = [step("sign", fields, login=login, password=PASSWORD) for login in ("supervisor", "supervisor-2")]
    answers = await asyncio.gather(*(demanding.act(cookie, each) for each in signs))
    assert sorted(answer.status for answer in answers) == [303, 409]
    [late] = [answer for answer in answers if answer.status == 409]
    assert "has signed for this act already. It was sent once" in late.text
    assert len(demanding.link.keyed) == 1
    assert (await kinds(demanding.database)).count("act") == 1


async def test_a_signature_and_a_withdrawal_at_the_same_time_are_one_of_both(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    other = await demanding.cookie("supervisor")
    sign = step("sign", fields, await csrf_of(demanding, other))
    signed, withdrawn = await asyncio.gather(
        demanding.act(other, sign), demanding.act(cookie, step("withdraw", fields))
    )  # fmt: skip
    assert sorted((signed.status, withdrawn.status)) == [303, 409]
    sent = len(demanding.link.keyed) == 1
    assert sent == (signed.status == 303)
    late = withdrawn if sent else signed
    assert ("has signed for this act already" if sent else "has withdrawn this act") in late.text
    assert ((await kinds(demanding.database)).count("second-withdrawn") == 0) == sent


async def test_two_taps_at_the_same_time_ask_once(demanding: People) -> None:
    cookie = await demanding.cookie("floor")
    fields = await demanding.fields(cookie, TEN)
    answers = await asyncio.gather(demanding.act(cookie, fields), demanding.act(cookie, fields))
    assert [answer.status for answer in answers] == [303, 303]
    assert (await kinds(demanding.database))[-1:] == ["second-asked"]
    assert (await kinds(demanding.database)).count("second-asked") == 1


async def test_a_wait_whose_end_cannot_be_recorded_goes_on(demanding: People, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie, fields = await asked(demanding)
    other = await demanding.cookie("supervisor")
    signed = step("sign", fields, await csrf_of(demanding, other))

    async def full(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Audit, "add", full)
        for who, form in ((cookie, step("withdraw", fields)), (other, signed)):
            assert (await demanding.act(who, form)).status == 503, form["step"]
    assert demanding.link.keyed == []
    sign = step("sign", fields, login="supervisor", password=PASSWORD)
    assert (await demanding.act(cookie, sign)).status == 303
    assert len(demanding.link.keyed) == 1


async def test_an_ended_wait_is_not_renewed(demanding: People) -> None:
    _, fields = await asked(demanding)
    acts = WaitingActs(demanding.clock)
    sheet = Sheet("silent", "tab-shielded", demanding.ref, fields["input"], Position(epoch="e", number=1))
    first = Account(1, "floor", "A floor", "p0", "floor")
    made, _ = acts.ask(sheet, ActChoice("x", "x", {"act": "ack"}), Ack(irregularity="1"), first)
    assert acts.end(made, "signed")
    assert not acts.renew(made), "it would wait again after it was sent"
    assert (acts.end(made, "withdrawn"), acts.outcome(fields["input"])) == (False, "signed")
    for number in range(MAX_OVER):
        other = replace(sheet, input_id=str(number))
        acts.end(acts.ask(other, made.choice, made.act, first)[0], "signed")
    assert "no longer waits" in acts.outcome(fields["input"]), "what is remembered is bounded"


async def test_nobody_is_both_persons(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    alone = await demanding.act(cookie, step("sign", fields))
    by_password = await demanding.act(cookie, step("sign", fields, login="floor", password=PASSWORD))
    for answer in (alone, by_password):
        assert (answer.status, "another one than the first" in answer.text) == (403, True)
    assert demanding.link.keyed == []
    assert (await kinds(demanding.database)).count("second-refused") == 2


@pytest.mark.parametrize("role", ["surveillance", "compliance", "technician", "display"])
async def test_a_role_that_keys_nothing_is_no_second_person(demanding: People, role: str) -> None:
    _, fields = await asked(demanding)
    other = await demanding.cookie(role)
    assert "Sign as" not in (await demanding.get(demanding.address, other)).text
    assert (await demanding.act(other, step("sign", fields, await csrf_of(demanding, other)))).status == 403
    assert demanding.link.keyed == []


async def test_an_act_that_waited_too_long_has_expired(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    demanding.clock.step(CONFIRM_MS - 1_000)
    assert (await demanding.act(cookie, step("renew", fields))).status == 303
    demanding.clock.step(CONFIRM_MS - 1_000)
    assert "waits for a second person" in (await demanding.get(demanding.address, cookie)).text
    demanding.clock.step(2_000)
    late = await demanding.act(cookie, step("sign", fields, login="supervisor", password=PASSWORD))
    assert (late.status, "A floor, p0, has to ask again" in late.text) == (409, True)
    assert "waits for a second person" not in (await demanding.get(demanding.address, cookie)).text
    assert demanding.link.keyed == []
    assert (await kinds(demanding.database))[-1] == "second-expired"


async def test_only_the_first_person_withdraws(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    other = await demanding.cookie("supervisor")
    for name in ("withdraw", "renew"):
        refused = await demanding.act(other, step(name, fields, await csrf_of(demanding, other)))
        assert (refused.status, "Only the person who asked" in refused.text) == (403, True)
    assert (await demanding.act(cookie, step("withdraw", fields))).status == 303
    late = await demanding.act(other, step("sign", fields, await csrf_of(demanding, other)))
    assert (late.status, "A floor, p0, has withdrawn this act" in late.text) == (409, True)
    assert demanding.link.keyed == []
    assert (await kinds(demanding.database))[-1] == "second-withdrawn"


async def test_a_later_sheet_replaces_the_one_that_waits(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    assert (await demanding.act(cookie, fields)).status == 303, "a double tap"
    assert (await kinds(demanding.database)).count("second-asked") == 1
    newer = await demanding.fields(cookie, TEN)
    await demanding.act(cookie, newer)
    assert (await demanding.act(cookie, step("sign", fields, login="supervisor", password=PASSWORD))).status == 409
    assert (await demanding.act(cookie, step("sign", newer, login="supervisor", password=PASSWORD))).status == 303
    assert [wanted.id for _, wanted in demanding.link.keyed] == [newer["input"]]


async def test_where_another_login_is_demanded_both_key_it(demanding: People) -> None:
    demanding.table.view.field_half = PartStatus(online=True, run="r", second_person="login")
    waiting = InputReply(id="any", accepted=False, reason="p1 must key the same act at another login")

    def answer(wanted: TerminalInput) -> InputReply:
        reply = waiting if wanted.person == "p0" else InputReply(id="any", accepted=True, number=121)
        return reply.model_copy(update={"id": wanted.id})

    demanding.answer_with = answer
    cookie, fields = await asked(demanding)
    signed = await demanding.act(cookie, step("sign", fields, login="supervisor", password=PASSWORD))
    first, second = [wanted for _, wanted in demanding.link.keyed]
    assert (first.person, first.witness) == (second.witness, second.person) == ("p0", "p1")
    assert (first.act, first.as_of) == (second.act, second.as_of)
    assert first.id != second.id
    assert "accepted as row 121" in (await demanding.get(signed.headers["location"], cookie)).text


async def test_a_table_that_takes_a_name_gets_no_second_input(demanding: People) -> None:
    demanding.reply = InputReply(id="any", accepted=False, reason="nothing is open")
    cookie, fields = await asked(demanding)
    await demanding.act(cookie, step("sign", fields, login="supervisor", password=PASSWORD))
    assert [(wanted.person, wanted.witness) for _, wanted in demanding.link.keyed] == [("p0", "p1")]


async def test_two_of_one_role_cannot_confirm_at_another_login(demanding: People) -> None:
    demanding.table.view.field_half = PartStatus(online=True, run="r", second_person="login")
    await demanding.add("floor-2", "p91", "floor")
    cookie, fields = await asked(demanding)
    refused = await demanding.act(cookie, step("sign", fields, login="floor-2", password=PASSWORD))
    assert (refused.status, "at another login only, and both of you are floor" in refused.text) == (403, True)
    assert demanding.link.keyed == []
    demanding.table.view.field_half = PartStatus(online=True, run="r", second_person="name")
    assert (await demanding.act(cookie, step("sign", fields, login="floor-2", password=PASSWORD))).status == 303
    assert [wanted.witness for _, wanted in demanding.link.keyed] == ["p91"]


async def test_nothing_is_signed_at_a_table_that_is_not_live_or_where_the_right_was_lost(demanding: People) -> None:
    cookie, fields = await asked(demanding)
    demanding.table.reasons = ("the judge is offline",)
    demanding.board.refresh()
    sign = step("sign", fields, login="supervisor", password=PASSWORD)
    assert (await demanding.act(cookie, sign)).status == 409
    demanding.table.reasons = ()
    state = demanding.table.view.state
    assert state is not None
    demanding.table.view.state = state.model_copy(update={"irregularities": ()})
    demanding.board.mark(KEY)
    demanding.board.refresh()
    assert (await demanding.act(cookie, sign)).status == 409
    assert demanding.link.keyed == []


async def test_a_second_person_is_offered_where_the_table_publishes_no_switch(people: People) -> None:
    cookie = await people.cookie("floor")
    page = (await people.get(people.address, cookie)).text
    assert "with a second person" in page
    fields = {**await people.fields(cookie, TEN), "second": "yes"}
    assert (await people.act(cookie, fields)).status == 303
    assert people.link.keyed == []
    people.table.view.judge_half = PartStatus(online=True, run="r", two_persons=())
    assert "with a second person" not in (await people.get(people.address, cookie)).text


async def test_what_was_written_is_shown_to_the_second_person(demanding: People) -> None:
    cookie = await demanding.cookie("floor")
    fields = {**await demanding.fields(cookie, "refute"), "words": "seen by the floor, no other"}
    assert (await demanding.act(cookie, fields)).status == 303
    other = await demanding.cookie("supervisor")
    assert "reason: seen by the floor, no other" in (await demanding.get(demanding.address, other)).text
