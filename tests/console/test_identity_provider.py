"""The house's sign-in: OpenID Connect with a provider that its maker has certified, in a real Chromium."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from pitwarden_simulators.ports.free import FreePort
from testkit.brokers.mosquitto import MosquittoBroker
from testkit.installation.node import Js
from testkit.pages.chromium import opened
from testkit.pages.running_console import PASSWORD, RunningConsole, running_console, sign_in

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]

LIVE_MS = 30_000
SECRET = "a secret of the tests, and of nothing else"  # noqa: S105
SECTION = """
[provider]
issuer = "http://localhost:{port}"
client_id = "pit-console"
client_secret_file = "provider.secret"
roles = {{ "pit-floor" = "floor", "pit-managers" = "supervisor", "it" = "administrator" }}
"""
PEOPLE: Mapping[str, Mapping[str, object]] = {
    "ann": {"name": "Ann Marsh", "employee_number": "f31", "groups": ["everybody", "pit-floor"]},
    "bob": {"name": "Bob Reed", "employee_number": "s31", "groups": ["pit-managers"]},
    "cleo": {"name": "Cleo Hart", "employee_number": "x31", "groups": ["kitchen"]},
    "dan": {"name": "Dan Frost", "groups": ["pit-floor"]},
    "eve": {"name": "Eve Lane", "employee_number": "e31", "groups": ["it", "pit-floor"]},
    "fay": {"name": "Fay Snow", "employee_number": "f31", "groups": ["pit-floor"]},
}


@dataclass
class House:
    """A house with its provider and its console."""

    console: RunningConsole
    provider: asyncio.subprocess.Process
    people: Path

    def change(self, sub: str, **claims: object) -> None:
        """Change what the provider states about a person."""
        known = json.loads(self.people.read_text())
        self.people.write_text(json.dumps({**known, sub: {**known[sub], **claims}}))


@asynccontextmanager
async def house(broker: MosquittoBroker, folder: Path, js: Js, more: str = "") -> AsyncIterator[House]:
    free, people = FreePort(), folder / "people.json"
    people.write_text(json.dumps(PEOPLE))
    (folder / "provider.secret").touch(0o600)
    (folder / "provider.secret").write_text(f"{SECRET}\n")
    text = SECTION.format(port=free.number) + more
    async with running_console(folder, broker.port, "rig", ["bj-1"], people=True, more=text) as console:
        command = js.command("oidc_provider.mjs", str(free.number), str(people), console.named_address)
        with (folder / "provider.log").open("wb") as log:
            provider = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=log)
        try:
            assert provider.stdout is not None
            assert b"listening" in await provider.stdout.readline(), (folder / "provider.log").read_text()
            yield House(console, provider, people)
        finally:
            if provider.returncode is None:
                provider.kill()
            await provider.wait()


async def through_the_provider(page: Page, address: str, sub: str) -> None:
    """Go to the provider, sign in there, and come back."""
    await page.goto(f"{address}/sign-in")
    await page.get_by_role("link", name="Sign in with the house's sign-in").click()
    await page.locator("input[name=login]").fill(sub)
    await page.locator("input[name=password]").fill("any")
    await page.locator("button[type=submit]").click()
    await page.get_by_role("button", name="Continue").click()


async def test_people_come_with_the_role_of_their_group_and_leave(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, js: Js
) -> None:
    async with house(broker, tmp_path, js) as made:
        address = made.console.named_address
        async with opened(chromium, f"{address}/history") as page:
            await through_the_provider(page, f"{address}", "ann")
            await expect(page.locator("nav")).to_contain_text("f31 floor", timeout=LIVE_MS)
            await page.get_by_role("button", name="Sign out").click()
            await page.get_by_role("link", name="Sign out there too").click()
            await page.get_by_role("button", name="Yes, sign me out").click()
            await expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible(timeout=LIVE_MS)
        # The provider moved her to another group: so does the console, at the next sign-in.
        made.change("ann", groups=["pit-managers"])
        async with opened(chromium, address) as page:
            await through_the_provider(page, address, "ann")
            await expect(page.locator("nav")).to_contain_text("f31 supervisor", timeout=LIVE_MS)
        refused = {
            "cleo": "You have no role at this console", "dan": "states no employee number for you",
            "eve": "An administrator of this console never acts at a table",
            "fay": "The number f31 is somebody else's",
        }  # fmt: skip
        for sub, sentence in refused.items():
            async with opened(chromium, address) as page:
                await through_the_provider(page, address, sub)
                await expect(page.get_by_role("alert")).to_contain_text(sentence, timeout=LIVE_MS)
        assert SECRET not in made.console.log
        assert "id_token" not in made.console.log


async def test_a_provider_that_is_down_is_said_and_passwords_remain(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, js: Js
) -> None:
    async with house(broker, tmp_path, js) as made, opened(chromium, made.console.named_address) as page:
        made.provider.kill()
        await made.provider.wait()
        await page.get_by_role("link", name="Sign in with the house's sign-in").click()
        await expect(page.get_by_role("alert")).to_contain_text("The house's sign-in does not answer")
        await sign_in(page, "floor", PASSWORD)
        await expect(page.locator("nav")).to_contain_text("f17 floor", timeout=LIVE_MS)


async def test_an_answer_of_another_browser_or_of_an_earlier_sign_in_is_refused(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, js: Js
) -> None:
    async with house(broker, tmp_path, js) as made:
        address = made.console.named_address
        async with opened(chromium, address) as page, opened(chromium, address) as thief:
            answers: list[str] = []
            page.on("request", lambda one: answers.append(one.url) if "/sign-in/provider/answer" in one.url else None)
            await through_the_provider(page, address, "bob")
            await expect(page.locator("nav")).to_contain_text("s31 supervisor", timeout=LIVE_MS)
            for browser in (thief, page):
                await browser.goto(answers[0])
                await expect(browser.get_by_role("alert")).to_contain_text("was not begun here, or took too long")
            await thief.goto(f"{address}/sign-in/provider?next=//evil.example/x")
            await thief.locator("input[name=login]").fill("bob")
            await thief.locator("input[name=password]").fill("any")
            await thief.locator("button[type=submit]").click()
            await thief.get_by_role("button", name="Continue").click()
            await expect(thief.locator("nav")).to_contain_text("s31 supervisor", timeout=LIVE_MS)
            assert thief.url.startswith(address), "a sign-in leads to a page of this console only"


async def test_where_passwords_are_off_nobody_signs_in_with_one(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser, js: Js
) -> None:
    async with (
        house(broker, tmp_path, js, "passwords = false\n") as made,
        opened(chromium, made.console.named_address) as page,
    ):
        assert await page.get_by_label("Password").count() == 0
        body = "new URLSearchParams({login: 'floor', password: 'correct horse'})"
        status = await page.evaluate(f"fetch('/sign-in', {{method: 'POST', body: {body}}}).then(one => one.status)")
        assert status == 403
