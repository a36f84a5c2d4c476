"""Languages of the pages: which one a browser gets, complete catalogs, and English for what a table publishes."""

import re
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import get_args
from urllib.parse import urlencode

import pytest
from jinja2 import ChainableUndefined, nodes
from starlette.types import ASGIApp

from pitwarden_client.events.base import Role
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.priorities import load_priorities
from pitwarden_console.roles import ROLES
from pitwarden_console.store.database import open_database
from pitwarden_console.web.history_pages import STATUSES
from pitwarden_console.web.hub import LiveHub
from pitwarden_console.web.languages.catalog import read_catalog, translations
from pitwarden_console.web.languages.choice import ENGLISH, LANGUAGES, TRANSLATED, preferred
from pitwarden_console.web.rendering import environment
from testkit.pages.application import application, readable_console_file
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.people import FORM, People
from testkit.pages.stored_tables import SteppedClock, night_items, sqlite_url, store_night

SAID = ("Login or password is wrong.", "The passkey was not accepted.", "That was not accepted.",
        "This console has no identity provider.", "This console has no passkeys.")  # fmt: skip
"""Sentences of handlers that a translated page shows."""
OTHERS = [language for language in LANGUAGES if language != ENGLISH]


def sentences() -> frozenset[str]:
    """Return each sentence that a translated page, and the frame of it, marks for translation."""
    made, found = environment(ENGLISH), set[str]()
    folder = files("pitwarden_console.web") / "templates"
    for name in (*TRANSLATED, "base.html", "parts.html"):
        for call in made.parse((folder / name).read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "_" and isinstance(call.args[0], nodes.Const):
                found.add(call.args[0].value)
    return frozenset(found)


def known(language: str) -> dict[str, tuple[str, ...]]:
    """Return the forms of each sentence in a catalog, by the English one."""
    found = {}
    for one in read_catalog(language):
        english, forms = (one.id, one.string) if isinstance(one.id, str) else (one.id[0], one.string)
        if english:  # the header has none
            found[english] = (forms,) if isinstance(forms, str) else tuple(forms or ())
    return found


async def german(app: ASGIApp, address: str, **headers: str) -> PageAnswer:
    return await request(app, address, headers={"accept-language": "de-AT,de;q=0.9,en;q=0.5", **headers})


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("de", "de"), ("de-CH, en;q=0.8", "de"), ("en-US,en;q=0.9,de;q=0.8", "en"), ("fr, de;q=0.3", "de"),
        ("de;q=0, en;q=0.1", "en"), ("fr", "en"), ("de;q=nan", "en"), ("de;q=7", "en"), (";;,=,,", "en"),
        ("x" * 10_000 + ",de", "en"), ("DE", "de"),
    ],
)  # fmt: skip
def test_the_browser_prefers_one_of_our_languages(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


@pytest.mark.parametrize("language", OTHERS)
def test_each_sentence_of_a_translated_page_is_in_each_catalog(language: str) -> None:
    assert len(sentences()) > 40
    wanted = sentences() | {*SAID, *STATUSES, *ROLES, *get_args(Role)}
    assert not wanted - {sentence for sentence, forms in known(language).items() if all(forms)}


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_fields_of_its_sentence(language: str) -> None:
    for sentence, forms in known(language).items():
        for form in forms:
            assert sorted(re.findall(r"%\(\w+\)s", form)) == sorted(re.findall(r"%\(\w+\)s", sentence)), sentence


@pytest.mark.parametrize("name", sorted(TRANSLATED))
def test_a_translated_page_has_no_sentence_that_is_not_marked(name: str) -> None:
    text = (files("pitwarden_console.web") / "templates" / name).read_text(encoding="utf-8")
    bare = re.sub(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", " ", text, flags=re.DOTALL)
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"<[^>]*>", " ", bare))
    assert words == []


async def test_a_german_page_says_so_and_a_page_that_is_not_translated_is_english(people: People) -> None:
    page = (await german(people.app, "/sign-in")).text
    assert '<html lang="de"' in page
    assert "<h1>Anmelden</h1>" in page
    assert '<html lang="en"' in (await request(people.app, "/sign-in")).text
    cookie = await people.cookie("floor")
    page = (await german(people.app, "/unseen", cookie=cookie)).text
    assert '<html lang="en"' in page
    assert "Change person" in page


async def test_a_refusal_is_german_and_what_has_no_translation_says_its_language(people: People) -> None:
    headers = {**FORM, "accept-language": "de"}
    body = urlencode({"login": "floor", "password": "wrong"}).encode()
    page = (await request(people.app, "/sign-in", method="POST", headers=headers, body=body)).text
    assert 'role="alert">Anmeldename oder Passwort ist falsch.<' in page


def test_a_sentence_of_a_provider_is_data_in_every_language() -> None:
    for language in LANGUAGES:
        values = {
            "failed": "refused: 100 % <script>x()</script>",
            "moment_text": str,
            "moment_utc": str,
            "day_title": str,
        }
        made = environment(language).overlay(undefined=ChainableUndefined)
        page = made.get_template("sign_in.html").render(values)
        assert "100 % &lt;script&gt;" in page
        assert ('role="alert" lang="en"' in page) == (language != ENGLISH)


@pytest.fixture
async def history(tmp_path: Path) -> AsyncIterator[ASGIApp]:
    items = night_items("tab-shielded", "2", 2, "stray_ten")
    await store_night(sqlite_url(tmp_path), "tab-shielded", items)
    file = tmp_path / "console.toml"
    file.write_text(readable_console_file(("tab-shielded", "Pit A")))
    async with open_database(sqlite_url(tmp_path)) as database:
        clock = SteppedClock()
        board = PitBoard(clock, load_priorities())
        yield application(file, database, board, LiveHub(board), clock)


async def test_what_a_table_publishes_stays_english_in_a_german_page(history: ASGIApp) -> None:
    address = "/history?first=2026-03-02&last=2026-03-02&simulated=yes"
    page = (await german(history, address)).text
    assert '<html lang="de"' in page
    assert "Von Spieltag" in page
    assert "zu TAB-37 an tab-shielded, " in page
    assert "on TAB-37 at tab-shielded, " in (await request(history, address)).text, "a link is named after its incident"
    found = re.findall(r'<span class="quiet" lang="en">([^<]+)</span>', page)
    assert any("10 was found in the shoe" in each for each in found)
    assert re.search(r'<span lang="en">TAB-37 [A-Z ]+</span>', page)
    assert 'lang="en"' not in (await request(history, address)).text.replace('<html lang="en"', "")


def test_a_number_takes_its_form_and_a_sentence_without_a_translation_stays_english() -> None:
    german = translations("de")
    one, several = (german.ngettext("%(num)s of no table", "%(num)s of no tables", number) for number in (1, 2))
    assert (one, several) == ("%(num)s of no table", "%(num)s of no tables")
    assert german.gettext("A sentence that no page has.") == "A sentence that no page has."
