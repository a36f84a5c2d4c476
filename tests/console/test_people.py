"""People: sign-in, sessions, roles and acts. Each refusal sends nothing, and each act is recorded with its answer."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlencode

import pytest
from sqlalchemy import select, update

from pitwarden_client import Cursor
from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import InputReply, TerminalInput, may_send
from pitwarden_client.events.outputs import ClearingFact, TableState
from pitwarden_console.acts.choices import SheetError, choices, filled, further_choices
from pitwarden_console.acts.keying import Keying
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.errors import ConsoleError
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.people.accounts import ROLES, Account, AccountBook, AccountError
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.demo_accounts import make_demo_accounts, refuse_demo_accounts
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.sessions import SHIFT_MS
from pitwarden_console.priorities import load_priorities
from pitwarden_console.settings import load_settings
from pitwarden_console.store.database import HistoryDatabase, open_database
from pitwarden_console.store.schema import account, audit_entry, session
from pitwarden_console.store.writer import TableProgress
from pitwarden_console.web.hub import LiveHub
from pitwarden_console.web.session_guard import local_path
from testkit.consumers.published_night import published_night
from testkit.pages.application import AnsweringLink, application
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.fed_tables import FedTable, states
from testkit.pages.stored_tables import SteppedClock, sqlite_url

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from pitwarden_client.events.base import Role
    from pitwarden_console.acts.input_link import RoleInputLink

FILE = """
[site]
name = "{site}"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
[broker]
host = "{host}"
[keying]
floor = {{}}
supervisor = {{}}
[[table]]
name = "tab-shielded"
pit = "Pit A"
"""
PASSWORD = "a long enough one"  # noqa: S105  of accounts that a test makes
HASHED = PasswordChecker().hashed(PASSWORD)
KEY = TableKey("Pit A", "silent", "tab-shielded")
FORM = {"content-type": "application/x-www-form-urlencoded", "origin": "https://localhost"}


@pytest.fixture(scope="module")
def ten() -> TableState:
    return next(one for one in states(published_night("tab-shielded", "2", 2, "stray_ten")) if one.irregularities)


class People:
    """A table with a stray 10, an account for each role, and a table that answers."""

    def __init__(self, folder: Path, database: HistoryDatabase, state: TableState) -> None:
        file = folder / "console.toml"
        file.write_text(FILE.format(site="silent", host="127.0.0.1"))
        self.database, self.clock = database, SteppedClock()
        self.reply: InputReply | None = InputReply(id="any", accepted=True, number=120)
        self.link = AnsweringLink(self.answer)
        self.table = FedTable(KEY, TableProgress(1, Cursor(), 0, simulated=True))
        self.table.view.state = state
        self.board = PitBoard(self.clock, load_priorities())
        self.board.add(self.table)
        links: dict[Role, RoleInputLink] = {"floor": self.link, "supervisor": self.link}
        self.app: ASGIApp = application(file, database, self.board, LiveHub(self.board), self.clock, links=links)
        self.ref = state.irregularities[0].ref
        self.address = f"/table/silent/tab-shielded/incident/{self.ref}"

    def answer(self, wanted: TerminalInput) -> InputReply | None:
        return None if self.reply is None else self.reply.model_copy(update={"id": wanted.id})

    async def sign_in(self, login: str, password: str = PASSWORD, *, address: str = "/sign-in") -> PageAnswer:
        body = urlencode({"login": login, "password": password}).encode()
        return await request(self.app, address, method="POST", headers=FORM, body=body)

    async def cookie(self, login: str) -> str:
        answer = await self.sign_in(login)
        assert answer.status == 303
        return answer.headers["set-cookie"].partition(";")[0]

    async def get(self, address: str, cookie: str) -> PageAnswer:
        return await request(self.app, address, headers={"cookie": cookie})

    async def fields(self, cookie: str, choice: str) -> dict[str, str]:
        """Return the hidden fields of a sheet, as the page has them."""
        page = (await self.get(self.address, cookie)).text
        made = dict(re.findall(r'name="(csrf|input|epoch|number)" value="([^"]*)"', page))
        return {**made, "choice": choice}

    async def act(self, cookie: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> PageAnswer:
        sent = {**FORM, "cookie": cookie, **(headers or {})}
        return await request(self.app, self.address, method="POST", headers=sent, body=urlencode(fields).encode())


@pytest.fixture
async def people(tmp_path: Path, ten: TableState) -> AsyncIterator[People]:
    async with open_database(sqlite_url(tmp_path)) as database:
        async with database.writing() as connection:
            for number, role in enumerate(ROLES):
                values = {"login": role, "name": f"A {role}", "person": f"p{number}", "role": role, "created_ms": 1}
                await connection.execute(account.insert().values(**values, password=HASHED))
        yield People(tmp_path, database, ten)


async def kinds(database: HistoryDatabase) -> list[str]:
    async with database.reading() as connection:
        return list((await connection.execute(select(audit_entry.c.kind).order_by(audit_entry.c.id))).scalars())


async def test_pages_need_a_session(people: People) -> None:
    for address in ("/", people.address, "/history", "/audit", "/check"):
        answer = await request(people.app, address)
        assert (answer.status, answer.headers["location"].partition("?")[0]) == (303, "/sign-in")
    assert (await request(people.app, "/stream")).status == 401
    assert (await people.act("", {})).status == 401
    assert (await people.get("/", "__Host-pit=forged")).status == 303


async def test_a_cookie_is_strict_and_new_at_each_sign_in(people: People) -> None:
    answer = await people.sign_in("floor")
    sent = answer.headers["set-cookie"]
    for part in ("__Host-pit=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
        assert part in sent
    assert sent.partition(";")[0] != await people.cookie("floor")
    async with people.database.reading() as connection:
        tokens = (await connection.execute(select(session.c.token))).scalars().all()
    assert all(token not in sent for token in tokens), "the store has its hash alone"


async def test_a_wrong_pair_has_one_answer_and_guessing_ends(people: People) -> None:
    wrong = [await people.sign_in(login, "wrong") for login in ("floor", "no-one")]
    assert [each.status for each in wrong] == [403, 403]
    assert wrong[0].text == wrong[1].text
    for _ in range(4):
        await people.sign_in("floor", "wrong")
    assert (await people.sign_in("floor")).status == 429, "also with the right password"
    people.clock.step(61_000)
    assert (await people.sign_in("floor")).status == 303
    assert "refused-sign-in" in await kinds(people.database)


async def test_a_session_ends_by_sign_out_by_time_and_with_its_account(people: People) -> None:
    cookie = await people.cookie("floor")
    fields = await people.fields(cookie, "ack")
    out = await request(
        people.app, "/sign-out", method="POST", headers={**FORM, "cookie": cookie}, body=urlencode(fields).encode()
    )
    assert (out.status, (await people.get("/", cookie)).status) == (303, 303)
    cookie = await people.cookie("floor")
    people.clock.step(SHIFT_MS)
    assert (await people.get("/", cookie)).status == 303
    cookie = await people.cookie("floor")
    assert (await people.get("/", cookie)).status == 200
    await AccountBook(people.database, PasswordChecker()).close("floor", 5)
    assert (await people.get("/", cookie)).status == 303
    assert (await people.sign_in("floor")).status == 403


async def test_a_form_of_another_site_or_session_is_refused(people: People) -> None:
    cookie, other = await people.cookie("floor"), await people.cookie("supervisor")
    fields = await people.fields(cookie, "ack")
    theirs = await people.fields(other, "ack")
    assert (await people.act(cookie, fields, {"origin": "https://evil.example"})).status == 403
    for headers in ({"origin": "", "sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert (await people.act(cookie, fields, headers)).status == 403
    assert (await people.act(cookie, fields, {"content-type": "text/plain"})).status == 403
    assert (await people.act(cookie, {**fields, "csrf": theirs["csrf"]})).status == 403
    assert (await people.act(cookie, {**fields, "csrf": ""})).status == 403
    assert people.link.keyed == []


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x()", "/a\nb", ""]
)
def test_a_sign_in_leads_to_a_page_of_this_console_only(target: str) -> None:
    assert local_path(target) == "/"
    assert local_path("/table/silent/ta01") == "/table/silent/ta01"


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


async def test_the_second_person_is_sent_and_recorded(people: People) -> None:
    cookie = await people.cookie("floor")
    assert 'name="witness"' in (await people.get(people.address, cookie)).text
    fields = {**await people.fields(cookie, "ten_destroyed..0"), "witness": " p7 "}
    assert (await people.act(cookie, {**fields, "witness": "p7 and p8"})).status == 409
    assert people.link.keyed == []
    assert (await people.act(cookie, fields)).status == 303
    [(_, wanted)] = people.link.keyed
    assert (wanted.person, wanted.witness) == ("p0", "p7")
    assert '"witness":"p7"' in (await audited(people.database))[-2]


async def audited(database: HistoryDatabase) -> list[str]:
    async with database.reading() as connection:
        found = (await connection.execute(select(audit_entry.c.body).order_by(audit_entry.c.id))).scalars()
        return [each if isinstance(each, str) else each.decode() for each in found]


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


def test_roles_have_the_rights_of_the_contract() -> None:
    names = [model.model_fields["act"].default for model in get_args(FloorAct)]
    for role in ROLES:
        person = Account(1, role, role, "p1", role)
        for act in names:
            own = role if role in {"floor", "supervisor"} else None
            assert person.may(act) == (own is not None and may_send(own, act))


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


async def test_a_changed_audit_is_found(people: People) -> None:
    audit = Audit(people.database, people.clock)
    for number in range(5):
        await audit.add("sign-in", person=f"p{number}", role="floor")
    assert (await audit.check()).broken_at is None
    async with people.database.writing() as connection:
        body = (await connection.execute(select(audit_entry.c.body).where(audit_entry.c.id == 3))).scalar_one()
        changed = body.replace(b'"p2"', b'"p9"')
        await connection.execute(update(audit_entry).where(audit_entry.c.id == 3).values(body=changed))
    assert (await audit.check()).broken_at == 3


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


async def test_accounts_are_never_used_again(people: People) -> None:
    book = AccountBook(people.database, PasswordChecker())
    await book.close("floor", 9)
    for login, person in (("floor", "p99"), ("other", "p0")):
        with pytest.raises(AccountError, match="is in use"):
            await book.add(login, PASSWORD, name="Another", person=person, role="floor", now_ms=9)
    with pytest.raises(AccountError, match="10 to 200 characters"):
        await book.add("new", "short", name="New", person="p77", role="floor", now_ms=9)
    with pytest.raises(AccountError, match="no account with the login none"):
        await book.set_password("none", PASSWORD)
    await book.set_password("supervisor", "another long one")
    assert await book.checked("supervisor", PASSWORD) is None
    assert await book.checked("supervisor", "another long one") is not None
    async with people.database.reading() as connection:
        stored = (await connection.execute(select(account.c.password))).scalars().all()
    assert all(each.startswith("$argon2id$") for each in stored)


@pytest.mark.parametrize(
    ("site", "host"), [("harbor", "127.0.0.1"), ("demo-1", "broker.example"), ("demo-1", "10.0.0.1")]
)
async def test_demo_accounts_refuse_to_exist_elsewhere(tmp_path: Path, site: str, host: str) -> None:
    file = tmp_path / "console.toml"
    file.write_text(FILE.format(site=site, host=host))
    async with open_database(sqlite_url(tmp_path)) as database:
        with pytest.raises(ConsoleError, match="demo accounts refuse to exist here"):
            await make_demo_accounts(load_settings(file), database, 1)
        await refuse_demo_accounts(database)


async def test_a_store_of_a_demo_is_refused_outside_of_one(tmp_path: Path) -> None:
    file = tmp_path / "console.toml"
    file.write_text(FILE.format(site="demo-1", host="127.0.0.1"))
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(sqlite_url(tmp_path)))
        await make_demo_accounts(load_settings(file), database, 1)
        await make_demo_accounts(load_settings(file), database, 2)
        with pytest.raises(ConsoleError, match="the store is of a demo"):
            await refuse_demo_accounts(database)
