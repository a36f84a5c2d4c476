"""Sessions at shared devices: who is there is asked again, PINs, the end by time and by an administrator."""

from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from pitwarden_console.people.accounts import Account, AccountError
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pins import MAX_FAILURES, PinBook
from pitwarden_console.people.sessions import SHIFT_MS, SessionBook, SessionTimes
from pitwarden_console.store.schema import session
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.people import FORM, PASSWORD, People, audited, kinds

PIN = "4071"
ACT_MS = 15 * 60_000
IDLE_MS = 4 * 3_600_000


async def with_pin(people: People, login: str = "floor") -> str:
    """Return the cookie of a person who has set a PIN."""
    cookie = await people.cookie(login)
    fields = {"csrf": await people.csrf(cookie, "/account"), "pin": PIN}
    assert (await people.post("/account/pin", cookie, fields)).status == 303
    return cookie


async def again(people: People, cookie: str, **fields: str) -> PageAnswer:
    csrf = await people.csrf(cookie, "/again")
    return await people.post("/again", cookie, {"csrf": csrf, "next": people.address, **fields})


def cookie_of(answer: PageAnswer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


async def test_after_a_pause_an_act_asks_who_is_there_and_the_picture_stays(people: People) -> None:
    cookie = await with_pin(people)
    fields = await people.fields(cookie, "ack")
    people.clock.step(ACT_MS)
    page = (await people.get(people.address, cookie)).text
    assert "Say who you are" in page
    assert "A 10 was found in the shoe" in page
    assert "Acknowledge" not in page
    asked = await people.act(cookie, fields)
    assert asked.headers["location"].startswith("/again?next=/table/")
    assert people.link.keyed == []
    back = await again(people, cookie, login="floor", pin=PIN)
    assert (back.status, back.headers["location"]) == (303, people.address)
    fresh = cookie_of(back)
    assert fresh != cookie
    assert (await people.get("/", cookie)).status == 303, "the old token has ended"
    assert (await people.act(fresh, await people.fields(fresh, "ack"))).status == 303
    assert len(people.link.keyed) == 1


async def test_a_pin_takes_a_device_over_for_the_rest_of_its_shift(people: People) -> None:
    await with_pin(people, "supervisor")
    device = await people.cookie("floor")
    for _ in range(5):  # somebody uses it, so that it does not end before
        people.clock.step(2 * 3_600_000)
        device = cookie_of(await again(people, device, login="floor", password=PASSWORD))
    people.clock.step(3_600_000)
    taken = cookie_of(await again(people, device, login="supervisor", pin=PIN))
    await people.act(taken, await people.fields(taken, "ack"))
    assert [wanted.person for _, wanted in people.link.keyed] == ["p1"]
    people.clock.step(3_600_000)
    assert (await people.get("/", taken)).status == 303, "the shift began with the device's sign-in"


async def test_five_wrong_pins_need_a_complete_sign_in(people: People) -> None:
    cookie = await with_pin(people)
    people.clock.step(61_000)
    for _ in range(MAX_FAILURES):
        assert (await again(people, cookie, login="floor", pin="9173")).status == 403
    people.clock.step(61_000)
    assert (await again(people, cookie, login="floor", pin=PIN)).status == 403, "also the right one"
    assert "none that is accepted now" in (await people.get("/account", cookie)).text
    people.clock.step(61_000)
    assert (await again(people, cookie, login="floor", password=PASSWORD)).status == 303
    fresh = await people.cookie("floor")
    assert (await again(people, fresh, login="floor", pin=PIN)).status == 303
    assert (await kinds(people.database)).count("refused-sign-in") == MAX_FAILURES + 1


async def test_pins_share_the_count_of_tries_with_passwords(people: People) -> None:
    cookie = await with_pin(people)
    for _ in range(4):
        await people.sign_in("floor", f"not {PASSWORD}")
    assert (await again(people, cookie, login="floor", pin=PIN)).status == 429


async def test_a_pin_alone_signs_nobody_in(people: People) -> None:
    await with_pin(people)
    body = urlencode({"login": "floor", "pin": PIN, "password": PIN}).encode()
    for address in ("/sign-in", "/again"):
        answer = await request(people.app, address, method="POST", headers=FORM, body=body)
        assert answer.status in {401, 403}, address


@pytest.mark.parametrize("pin", ["", "123", "123456789", "1111", "4567", "7654", "12a4", "\u0661\u0662\u0663\u0667"])
async def test_a_pin_that_is_guessed_first_is_refused(people: People, pin: str) -> None:
    owner = Account(1, "floor", "A floor", "p0", "floor")
    with pytest.raises(AccountError, match="PIN"):
        await PinBook(people.database, PasswordChecker()).set(owner, pin)


async def test_who_came_by_pin_makes_no_new_credentials(people: People) -> None:
    cookie = cookie_of(await again(people, await with_pin(people), login="floor", pin=PIN))
    csrf = await people.csrf(cookie, "/account")
    for address in ("/account/pin", "/account/passkey/options"):
        answer = await people.post(address, cookie, {"csrf": csrf, "pin": "8305"})
        assert (answer.status, "Sign in completely first" in answer.text) == (403, True), address


async def test_a_session_without_a_touch_ends_and_that_of_a_wall_display_does_not(people: People) -> None:
    floor, wall, reader = [await people.cookie(login) for login in ("floor", "display", "surveillance")]
    led = {"cookie": reader, "sec-fetch-user": "?1"}
    for _ in range(IDLE_MS // ACT_MS):
        people.clock.step(ACT_MS - 1_000)
        assert (await request(people.app, "/", headers=led)).status == 200
    people.clock.step(ACT_MS)
    assert (await people.get("/", floor)).status == 303
    assert (await people.get("/", wall)).status == 200
    assert (await people.get("/", reader)).status == 200, "who reads has touched it"


async def test_a_request_after_a_pause_is_no_touch_before_the_person_has_said_who_they_are(people: People) -> None:
    for login in ("floor", "surveillance", "administrator"):
        cookie = await people.cookie(login)
        csrf = await people.csrf(cookie, "/account")
        people.clock.step(ACT_MS)
        for _ in range(3):
            led = {"cookie": cookie, "sec-fetch-user": "?1"}
            assert (await request(people.app, "/account", headers=led)).status == 200
            assert (await people.post("/presence", cookie, {"csrf": csrf})).status == 204
            refused = await people.post("/account/pin", cookie, {"csrf": csrf, "pin": PIN})
            assert (refused.status, "Sign in completely first" in refused.text) == (403, True), login
        people.clock.step(IDLE_MS - ACT_MS)
        assert (await people.get("/", cookie)).status == 303, "and none of it kept the session alive"


async def test_a_touch_that_the_page_reports_keeps_the_person_there(people: People) -> None:
    # A browser that does not state whether a person led to a page, as Safari.
    cookie = await people.cookie("floor")
    csrf = await people.csrf(cookie, "/account")
    for _ in range(IDLE_MS // ACT_MS + 2):
        people.clock.step(ACT_MS - 1_000)
        assert "presence.js" in (await people.get("/history", cookie)).text
        assert (await people.post("/presence", cookie, {"csrf": csrf})).status == 204
    assert (await people.act(cookie, await people.fields(cookie, "ack"))).status == 303
    assert len(people.link.keyed) == 1


DANGEROUS = ("/account/pin", "/account/passkey/options", "/account/passkey", "/account/passkey/remove",
             "/people/session/end", "/people/passkey/remove")  # fmt: skip


@pytest.mark.parametrize("way", ["pin", "pause"])
async def test_credentials_and_sessions_change_only_after_a_complete_sign_in(people: People, way: str) -> None:
    office = await with_pin(people, "administrator")
    if way == "pin":
        office = cookie_of(await again(people, office, login="administrator", pin=PIN))
    else:
        people.clock.step(ACT_MS)
    csrf, before = await people.csrf(office, "/people"), await kinds(people.database)
    for address in DANGEROUS:
        fields = {"csrf": csrf, "pin": "8305", "session": "1", "passkey": "1", "account": "1", "label": "phone"}
        answer = await people.post(address, office, fields)
        assert (answer.status, "Sign in completely first" in answer.text) == (403, True), address
    assert await kinds(people.database) == before


async def test_after_a_pause_every_act_of_the_console_asks_who_is_there(people: People) -> None:
    cookie = await people.cookie("supervisor")
    csrf, report = (
        await people.csrf(cookie, "/account"),
        people.address.replace("/table/", "/report/").replace("/incident", ""),
    )
    page = (await people.get(people.address, cookie)).text
    assert "Add the note" in page
    people.clock.step(ACT_MS)
    page, before = (await people.get(people.address, cookie)).text, await kinds(people.database)
    assert ("Add the note" in page, "Say who you are" in page) == (False, True)
    acts = {
        f"{people.address}/shelve": people.address, f"{people.address}/unshelve": people.address,
        f"{report}/note": report, f"{report}/look": report, f"{report}/freeze": report, "/silence": "/",
        "/shift": "/shift", "/shift-report": "/shift-report",
    }  # fmt: skip
    fields = {
        "csrf": csrf,
        "text": "a note that is long enough",
        "minutes": "5",
        "reason": "long enough",
        "device": "t",
    }
    for address, back in acts.items():
        answer = await people.post(address, cookie, fields)
        assert (answer.status, answer.headers["location"]) == (303, f"/again?next={back}"), address
    assert await kinds(people.database) == before


async def test_an_administrator_sees_and_ends_sessions_and_nobody_else_does(people: People) -> None:
    floor, office = await people.cookie("floor"), await people.cookie("administrator")
    assert ">p0 <" in (await people.get("/people", office)).text
    for login in ("supervisor", "compliance", "technician"):
        cookie = await people.cookie(login)
        fields = {"csrf": await people.csrf(cookie, "/account"), "session": "1"}
        assert (await people.get("/people", cookie)).status == 403
        assert (await people.post("/people/session/end", cookie, fields)).status == 403
    assert (await people.get("/", floor)).status == 200
    csrf = await people.csrf(office, "/people")
    assert (await people.post("/people/session/end", office, {"csrf": csrf, "session": "x"})).status == 400
    assert (await people.post("/people/session/end", office, {"csrf": csrf, "session": "1"})).status == 303
    assert (await people.get("/", floor)).status == 303
    async with people.database.reading() as connection:
        query = select(session.c.ended_by).where(session.c.id == 1)
        assert (await connection.execute(query)).scalar_one() == "p6"
    assert "session-ended" in await kinds(people.database)
    assert '"session":1,"whose":"p0"' in (await audited(people.database))[-1]
    assert "of p0" in (await people.get("/audit", office)).text
    ended = len(await kinds(people.database))
    await people.post("/people/session/end", office, {"csrf": csrf, "session": "1"})
    assert len(await kinds(people.database)) == ended, "what has ended does not end again"


async def test_the_audit_names_whose_account_was_tried_and_whose_device_was_taken_over(people: People) -> None:
    device = await with_pin(people)
    await people.sign_in("supervisor", f"not {PASSWORD}")
    await people.sign_in("no-one", PASSWORD)
    known, unknown = (await audited(people.database))[-2:]
    assert ('"whose":"p1"' in known, '"whose":null' in unknown, "no-one" in unknown) == (True, True, False)
    await again(people, device, login="supervisor", password=PASSWORD)
    taken = (await audited(people.database))[-1]
    assert ('"person":"p1"' in taken, '"whose":"p0"' in taken) == (True, True)


async def test_what_is_known_of_sessions_does_not_outlast_a_shift(people: People) -> None:
    book = SessionBook(people.database, people.clock, SessionTimes())
    owner = Account(1, "floor", "A floor", "p0", "floor")
    for _ in range(3):
        found = await book.find(await book.begin(owner, "password", "here"))
        assert found is not None
        await book.find(await book.begin(owner, "password", "here"))
        await book.end(found.ident, "p0")
        assert book.has_ended(found)
        people.clock.step(SHIFT_MS)
        assert book.has_ended(found)
        await book.begin(owner, "password", "here")
        assert (vars(book)["_ended"], vars(book)["_touched"]) == ({}, {})


async def test_an_administrator_acts_at_no_table(people: People) -> None:
    office = await people.cookie("administrator")
    page = (await people.get(people.address, office)).text
    assert "can read, and key nothing" in page
    fields = await people.fields(await people.cookie("supervisor"), "ack")
    answer = await people.act(office, {**fields, "csrf": await people.csrf(office, "/account")})
    assert (answer.status, people.link.keyed) == (403, [])
