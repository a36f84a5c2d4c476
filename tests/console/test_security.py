"""The console against people who mean harm: every address by every role, foreign forms, injected texts, and redirects.

The addresses come from the application itself: a new one fails here until its rights are written down.
"""

import re
from urllib.parse import quote, urlencode

import pytest

from pitwarden_client.events.outputs import TableState
from pitwarden_console.roles import ROLES
from testkit.pages.asgi import request
from testkit.pages.people import FORM, People, kinds
from testkit.pages.routes import filled, routes

FLOOR = frozenset({"floor", "supervisor"})
EVERYONE = frozenset(ROLES)
INCIDENT, REPORT = "/table/{site}/{name}/incident/{ref}", "/report/{site}/{name}/{ref}"
POSTS = {
    "/sign-out": EVERYONE,
    INCIDENT: FLOOR,
    f"{INCIDENT}/shelve": FLOOR, f"{INCIDENT}/unshelve": FLOOR,
    f"{REPORT}/note": FLOOR | {"surveillance"}, f"{REPORT}/look": FLOOR,
    f"{REPORT}/freeze": FLOOR | {"surveillance", "compliance"},
    "/shift-report": FLOOR | {"surveillance", "compliance"},
    "/silence": FLOOR, "/shift": FLOOR,
    "/utc": EVERYONE,
}  # fmt: skip
"""Addresses that change something, and who may."""
OPEN = {"/sign-in", "/static/{name}"}
"""Addresses that need no session."""
ELSEWHERE = {
    "/sign-in/passkey", "/sign-in/passkey/options", "/sign-in/provider", "/sign-in/provider/answer", "/signed-out",
    "/again", "/account/pin", "/account/passkey", "/account/passkey/options", "/account/passkey/remove",
    "/people", "/people/session/end", "/people/passkey/remove", "/presence",
}  # fmt: skip
"""Addresses of the own sign-in and of an administrator, whose rights are in `test_rights.py`."""
BAD = ("' OR 1=1 --", '"><script>x()</script>', "../../etc/passwd", "%00", "\u202e", "x" * 300, "${7*7}", "{{7*7}}")


def addresses(people: People, method: str) -> set[str]:
    return {path for each, path in routes(people.app) if each == method}


async def test_every_address_that_changes_something_has_its_rights_written_here(people: People) -> None:
    assert addresses(people, "POST") - OPEN - ELSEWHERE == set(POSTS)


@pytest.mark.parametrize("role", [None, *ROLES])
async def test_every_page_needs_a_session_and_is_read_by_every_role(people: People, role: str | None) -> None:
    cookie = "" if role is None else await people.cookie(role)
    for path in sorted(addresses(people, "GET") - OPEN - ELSEWHERE):
        if path.startswith("/stream") and role is not None:
            continue  # it does not end
        status = (await people.get(filled(people, path), cookie)).status
        expected = {200, 404} if role is not None else {401} if path.startswith("/stream") else {303}
        assert status in expected, path


@pytest.mark.parametrize("role", ROLES)
async def test_no_role_does_what_it_must_not(people: People, role: str) -> None:
    cookie = await people.cookie(role)
    for path, allowed in sorted(POSTS.items(), reverse=True):  # the sign-out comes late
        if path == "/sign-out":
            continue
        answer = await people.post(filled(people, path), cookie, {"next": "/", "choice": "ack"})
        assert (answer.status == 403) == (role not in allowed), (path, answer.status)
    if role not in FLOOR:
        assert people.link.keyed == []
        assert not {"shelve", "silence", "shift"} & set(await kinds(people.database))


async def test_a_form_without_session_token_or_own_origin_changes_nothing(people: People) -> None:
    cookie = await people.cookie("supervisor")
    before = await kinds(people.database)
    csrf = re.findall(r'name="csrf" value="([^"]*)"', (await people.get("/shift", cookie)).text)[0]
    other = await people.cookie("floor")
    before = [*before, "sign-in"]
    for path in POSTS:
        address = filled(people, path)
        body = urlencode({"csrf": csrf, "device": "tablet", "text": "words enough"}).encode()
        for headers, sent, status in (
            ({**FORM}, body, 401),
            ({**FORM, "cookie": cookie}, urlencode({"device": "tablet"}).encode(), 403),
            ({**FORM, "cookie": other}, body, 403),
            ({**FORM, "cookie": cookie, "origin": "https://evil.example"}, body, 403),
            ({**FORM, "cookie": cookie, "origin": "null", "sec-fetch-site": "cross-site"}, body, 403),
            ({**FORM, "cookie": cookie, "content-type": "text/plain"}, body, 403),
        ):
            answer = await request(people.app, address, method="POST", headers=headers, body=sent)
            assert answer.status == status, (path, headers)
    assert await kinds(people.database) == before


async def test_a_session_that_was_planted_before_the_sign_in_is_not_taken_over(people: People) -> None:
    planted = "__Host-pit=" + "a" * 43
    body = urlencode({"login": "floor", "password": "a long enough one"}).encode()
    answer = await request(people.app, "/sign-in", method="POST", headers={**FORM, "cookie": planted}, body=body)
    assert answer.status == 303
    assert not answer.headers["set-cookie"].startswith(planted)
    assert (await people.get("/", planted)).status == 303, "the planted one is no session"


@pytest.mark.parametrize("bad", BAD)
async def test_no_query_and_no_path_breaks_a_page_or_comes_back_as_markup(people: People, bad: str) -> None:
    cookie = await people.cookie("compliance")
    pages = {
        "/history": ("first", "last", "table", "catalogue", "clause", "person", "device", "status", "after"),
        "/history.csv": ("table", "clause"), "/check": ("table", "first"), "/trends": ("first", "clause"),
        "/shift-report": ("day", "shift", "pit"), "/audit": ("first",), "/unseen": ("simulated",),
    }  # fmt: skip
    for page, names in pages.items():
        for name in names:
            answer = await people.get(f"{page}?{urlencode({name: bad})}", cookie)
            assert answer.status in {200, 400}, (page, name)
            assert "<script>x()" not in answer.text
    for path in (f"/report/silent/tab-shielded/{quote(bad, safe='')}", f"/table/silent/{quote(bad, safe='')}"):
        answer = await people.get(path, cookie)
        assert answer.status == 404
        assert "<script>x()" not in answer.text
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    "target",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x()", "/\t/evil.example", "\\\\e"],
)
async def test_no_form_leads_to_another_site(people: People, target: str) -> None:
    cookie = await people.cookie("floor")
    for address, fields in (
        ("/silence", {}), (f"/report/silent/tab-shielded/{people.ref}/note", {"text": "camera 4 has it"}),
    ):  # fmt: skip
        answer = await people.post(address, cookie, {**fields, "next": target})
        assert (answer.status, answer.headers["location"]) == (303, "/")


async def test_texts_of_people_are_data_on_every_page_that_shows_them(people: People, ten: TableState) -> None:
    markup = '<img src=x onerror="x()"><script>x()</script>'
    cookie = await people.cookie("floor")
    note = ten.irregularities[0].model_copy(update={"verdicts": ("ALERT",)})
    people.show(ten.model_copy(update={"irregularities": (note,)}))
    assert (await people.post(f"{people.address}/shelve", cookie, {"minutes": "5", "reason": markup})).status == 303
    sent = await people.post(f"/report/silent/tab-shielded/{people.ref}/note", cookie, {"text": markup})
    assert sent.status == 303
    assert (await people.post("/shift", cookie, {"device": markup})).status == 303
    for address in ("/", people.address, "/audit", "/table/silent/tab-shielded"):
        page = (await people.get(address, cookie)).text
        assert "&lt;img" in page, address
        assert "<img" not in page
        assert "<script>" not in page
