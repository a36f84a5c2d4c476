"""Sign-in, sessions, and forms of another site: each refusal has one answer."""

from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from pitwarden_console.people.accounts import AccountBook
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.sessions import SHIFT_MS
from pitwarden_console.store.schema import session
from pitwarden_console.web.session_guard import local_path
from testkit.pages.asgi import request
from testkit.pages.people import FORM, People, kinds


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
