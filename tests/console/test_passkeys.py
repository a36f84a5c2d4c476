"""Passkeys without a browser: answers that are none, ceremonies of somebody else, and who removes one."""

import json
from urllib.parse import urlencode

import pytest
from sqlalchemy import update

from pitwarden_console.people.accounts import Account
from pitwarden_console.people.passkeys import CEREMONY_MS, PasskeyBook, PasskeyError
from pitwarden_console.store.schema import passkey
from testkit.pages.asgi import request
from testkit.pages.people import FORM, People

ANSWER = json.dumps({
    "id": "AAAA", "rawId": "AAAA", "type": "public-key",
    "response": {"authenticatorData": "AAAA", "clientDataJSON": "AAAA", "signature": "AAAA"},
})  # fmt: skip


@pytest.mark.parametrize("answer", ["", "{}", "[]", "null", "not JSON", ANSWER, ANSWER.replace("AAAA", "!")])
async def test_an_answer_that_is_none_signs_nobody_in(people: People, answer: str) -> None:
    book = PasskeyBook(people.database, people.clock, "https://console.example", "Harbor")
    assert await book.owner_of(book.assertion().name, answer) is None
    assert await book.owner_of("no ceremony", answer) is None


async def test_a_ceremony_is_of_one_person_and_ends(people: People) -> None:
    book = PasskeyBook(people.database, people.clock, "https://console.example", "Harbor")
    floor, other = Account(1, "floor", "A floor", "p0", "floor"), Account(2, "supervisor", "A", "p1", "supervisor")
    begun = await book.registration(floor)
    with pytest.raises(PasskeyError, match="took too long"):
        await book.register(other, begun.name, ANSWER, "x")
    begun = await book.registration(floor)
    people.clock.step(CEREMONY_MS + 1)
    with pytest.raises(PasskeyError, match="took too long"):
        await book.register(floor, begun.name, ANSWER, "x")
    with pytest.raises(PasskeyError, match="must not name a card"):
        await book.register(floor, begun.name, ANSWER, "the queen of hearts")
    begun = await book.registration(floor)
    with pytest.raises(PasskeyError, match="answer was refused"):
        await book.register(floor, begun.name, ANSWER, "x")


async def test_guessing_passkeys_ends_with_the_address(people: People) -> None:
    body = urlencode({"ceremony": "x", "credential": ANSWER}).encode()
    tries = [await request(people.app, "/sign-in/passkey", method="POST", headers=FORM, body=body) for _ in range(21)]
    assert {each.status for each in tries[:20]} == {403}
    assert tries[20].status == 429
    assert (await people.sign_in("floor")).status == 429, "all ways to sign in share the count of an address"


async def test_only_an_administrator_removes_anothers_passkey(people: People) -> None:
    async with people.database.writing() as connection:
        values = {"account_id": 1, "credential": "AAAA", "public_key": b"x", "sign_count": 0, "label": "tablet"}
        await connection.execute(passkey.insert().values(**values, created_ms=1))
    for login, status in (("supervisor", 403), ("administrator", 303)):
        cookie = await people.cookie(login)
        assert (await people.get("/people", cookie)).status == (200 if status == 303 else 403)
        fields = {"csrf": await people.csrf(cookie, "/account"), "account": "1", "passkey": "1"}
        answer = await people.post("/people/passkey/remove", cookie, fields)
        assert answer.status == status, login
    async with people.database.writing() as connection:
        changed = update(passkey).where(passkey.c.removed_by == "p6", passkey.c.removed_ms.is_not(None))
        assert (await connection.execute(changed.values(used_ms=5))).rowcount == 1


async def test_browsers_behind_a_proxy_of_this_machine_are_counted_apart(people: People) -> None:
    body = urlencode({"ceremony": "x", "credential": ANSWER}).encode()

    async def tried(address: str) -> int:
        headers = {**FORM, "x-real-ip": address}
        return (await request(people.app, "/sign-in/passkey", method="POST", headers=headers, body=body)).status

    assert [await tried("192.0.2.7") for _ in range(21)][-1] == 429
    assert await tried("192.0.2.8") == 403
    assert await tried("no address") == 403
