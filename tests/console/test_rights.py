"""Every role at every address, and every form without its proof: from another site, another session, or none."""

from collections.abc import Mapping
from typing import Final

import pytest

from pitwarden_console.roles import ROLES
from testkit.pages.asgi import request
from testkit.pages.people import FORM, People, kinds
from testkit.pages.routes import filled, routes

OPEN: Final = frozenset({
    "/sign-in", "/sign-in/passkey", "/sign-in/passkey/options", "/sign-in/provider", "/sign-in/provider/answer",
    "/signed-out", "/static/{name}",
})  # fmt: skip
"""Addresses that need no session. A further one has to be added here on purpose."""
ONLY: Final[Mapping[str, frozenset[str]]] = {"/people": frozenset({"administrator"})}
"""Pages that not every role may read."""
NOT_STORED: Final = frozenset({"/report/{site}/{name}/{ref}", "/reports/{number:int}.pdf"})
"""Pages of an incident and of a report that are not stored here: the answer to everyone who may read."""


async def test_without_a_session_only_the_sign_in_is_open(people: People) -> None:
    checked = 0
    for method, path in routes(people.app):
        if path in OPEN:
            continue
        answer = await request(
            people.app, filled(people, path), method=method, headers=FORM if method == "POST" else {}
        )
        leads = answer.headers.get("location", "").partition("?")[0]
        assert answer.status == 401 or (answer.status, leads) == (303, "/sign-in"), f"{method} {path}"
        checked += 1
    assert checked > 20


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
        {"origin": "null"},
        {"content-type": "text/plain"},
        {"content-type": "multipart/form-data; boundary=x"},
    ],
)
async def test_no_form_of_another_site_is_taken(people: People, headers: dict[str, str]) -> None:
    cookie = await people.cookie("supervisor")
    before = await kinds(people.database)
    for method, path in routes(people.app):
        if method == "POST":
            sent = {**FORM, "cookie": cookie, **headers}
            answer = await request(people.app, filled(people, path), method="POST", headers=sent, body=b"login=floor")
            assert answer.status == 403, path
    assert await kinds(people.database) == before
    assert people.link.keyed == []


async def test_no_form_of_another_session_is_taken(people: People) -> None:
    ours, theirs = await people.cookie("administrator"), await people.cookie("supervisor")
    csrf = await people.csrf(theirs, "/account")
    before = await kinds(people.database)
    for method, path in routes(people.app):
        if method == "POST" and path not in OPEN:
            for token in (csrf, "none", csrf[:-1]):
                answer = await people.post(filled(people, path), ours, {"csrf": token})
                assert answer.status == 403, path
    assert await kinds(people.database) == before


async def test_reading_changes_nothing(people: People) -> None:
    cookie = await people.cookie("supervisor")
    before = await kinds(people.database)
    for method, path in routes(people.app):
        if method == "GET" and path not in OPEN and not path.startswith("/stream"):
            answer = await request(people.app, filled(people, path), headers={"cookie": cookie})
            assert answer.status in {200, 403} or path in NOT_STORED, path
    assert "as it was recorded" in (await people.get("/audit?pseudonyms=check", cookie)).text
    assert await kinds(people.database) == before
    for path in ("/sign-out", "/account/pin", "/people/session/end"):
        assert (await people.get(path, cookie)).status == 405


async def test_each_role_reads_what_it_may(people: People) -> None:
    cookies = {role: await people.cookie(role) for role in ROLES}
    for method, path in routes(people.app):
        if method != "GET" or path in OPEN or path.startswith("/stream"):
            continue
        for role in ROLES:
            answer = await request(people.app, filled(people, path), headers={"cookie": cookies[role]})
            may = role in ONLY.get(path, ROLES)
            assert answer.status == (404 if path in NOT_STORED else 200 if may else 403), f"{role} {path}"


async def test_a_token_that_was_given_before_the_sign_in_is_not_adopted(people: People) -> None:
    known = "__Host-pit=chosen-by-another-site"
    body = b"login=floor&password=a+long+enough+one"
    answer = await request(people.app, "/sign-in", method="POST", headers={**FORM, "cookie": known}, body=body)
    assert answer.status == 303
    assert "chosen-by-another-site" not in answer.headers["set-cookie"]
    assert (await people.get("/", known)).status == 303


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x()"])
async def test_no_sign_in_leads_away(people: People, target: str) -> None:
    form = {"login": "floor", "password": "a long enough one", "next": target}
    cookie = await people.cookie("floor")
    again = await people.post("/again", cookie, form)
    assert (again.status, again.headers["location"]) == (303, "/")
    page = (await request(people.app, f"/sign-in?next={target}")).text
    assert "evil.example" not in page
    assert "javascript:" not in page
