"""Passkeys in a real Chromium with a virtual authenticator: made, used, refused, removed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, CDPSession, Page, expect

from testkit.brokers.mosquitto import MosquittoBroker
from testkit.pages.chromium import opened
from testkit.pages.running_console import PASSWORD, RunningConsole, running_console, sign_in

pytestmark = [pytest.mark.broker, pytest.mark.full, pytest.mark.slow, pytest.mark.timeout(240)]
LIVE_MS = 30_000
ANY_KEY: Mapping[str, object] = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


async def authenticator(page: Page, **changed: object) -> tuple[CDPSession, str]:
    """Give a page a virtual authenticator; return the session in which it can be changed, and its id."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    made = await session.send("WebAuthn.addVirtualAuthenticator", {"options": {**ANY_KEY, **changed}})
    return session, str(made["authenticatorId"])


@asynccontextmanager
async def console(broker: MosquittoBroker, folder: Path) -> AsyncIterator[RunningConsole]:
    async with running_console(folder, broker.port, "rig", ["bj-1"], people=True) as made:
        yield made


async def add_passkey(page: Page, address: str, label: str) -> None:
    await page.goto(f"{address}/account")
    await page.get_by_label("Name of the device").fill(label)
    await page.get_by_role("button", name="Add a passkey").click()
    await expect(page.locator("ul.plain")).to_contain_text(label, timeout=LIVE_MS)


async def test_a_passkey_is_made_used_and_removed(broker: MosquittoBroker, tmp_path: Path, chromium: Browser) -> None:
    async with console(broker, tmp_path) as made, opened(chromium, made.named_address) as page:
        keys, ident = await authenticator(page)
        await sign_in(page, "floor", PASSWORD)
        await add_passkey(page, made.named_address, "the floor's <b>tablet</b>")
        await expect(page.locator("ul.plain")).to_contain_text("never used")
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.get_by_role("button", name="Sign out")).to_be_visible(timeout=LIVE_MS)
        await page.goto(f"{made.named_address}/account")
        await expect(page.locator("ul.plain")).to_contain_text("last used")
        await expect(page.locator("main")).to_contain_text("f17, floor")

        # An administrator removes it, and ends the session: the open page learns it by its stream.
        await page.goto(made.named_address)
        await expect(page.locator("#live")).to_have_text("LIVE", timeout=LIVE_MS)
        async with opened(chromium, made.named_address, dark=True) as office:
            await sign_in(office, "administrator", PASSWORD)
            await office.get_by_role("link", name="People").click()
            await office.get_by_role("button", name="Remove the floor's <b>tablet</b> of f17").click()
            await expect(office.locator("main")).not_to_contain_text("tablet")
            await office.get_by_role("button", name="End session of f17").click()
        await expect(page.locator("#band")).to_contain_text("You are signed out", timeout=LIVE_MS)
        await page.goto(f"{made.named_address}/sign-in")
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.get_by_role("alert")).to_contain_text("The passkey was not accepted", timeout=LIVE_MS)
        assert await keys.send("WebAuthn.getCredentials", {"authenticatorId": ident}), "the device has it still"


async def test_an_authenticator_that_does_not_verify_its_person_makes_none(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser
) -> None:
    async with console(broker, tmp_path) as made, opened(chromium, made.named_address) as page:
        await authenticator(page, isUserVerified=False)
        await sign_in(page, "supervisor", PASSWORD)
        async with page.expect_response("**/presence") as reported:
            await page.locator("main").click()
        assert (await reported.value).status == 204, "a touch of the page is reported"
        await page.goto(f"{made.named_address}/account")
        await page.get_by_label("Name of the device").fill("a lost key")
        add, told = page.get_by_role("button", name="Add a passkey"), page.locator("#passkey output")
        await page.route("**/passkey/options", lambda route: route.abort())
        await add.click()
        await expect(told).to_have_text("No passkey was made. The console does not answer: try again.", timeout=LIVE_MS)
        await page.unroute("**/passkey/options")
        await page.locator("#passkey [name=csrf]").evaluate("each => each.value = 'none'")
        await add.click()
        await expect(told).to_have_text("No passkey was made. The form is of another session. Load the page again.")
        await page.goto(f"{made.named_address}/account")
        await page.get_by_label("Name of the device").fill("a lost key")
        await add.click()
        await expect(told).to_have_text("No passkey was made.", timeout=LIVE_MS)
        await expect(add).to_be_enabled()
        await page.goto(f"{made.named_address}/account")
        await expect(page.locator("main")).not_to_contain_text("a lost key")


async def test_a_copied_authenticator_is_refused_by_its_counter(
    broker: MosquittoBroker, tmp_path: Path, chromium: Browser
) -> None:
    async with console(broker, tmp_path) as made, opened(chromium, made.named_address) as page:
        keys, ident = await authenticator(page)
        await sign_in(page, "supervisor", PASSWORD)
        await add_passkey(page, made.named_address, "office")
        [copied] = (await keys.send("WebAuthn.getCredentials", {"authenticatorId": ident}))["credentials"]
        for _ in range(2):
            await page.get_by_role("button", name="Sign out").click()
            await page.get_by_role("button", name="Sign in with a passkey").click()
            await expect(page.get_by_role("button", name="Sign out")).to_be_visible(timeout=LIVE_MS)
        await page.get_by_role("button", name="Sign out").click()
        await keys.send("WebAuthn.removeCredential", {
            "authenticatorId": ident, "credentialId": copied["credentialId"]
        })  # fmt: skip
        await keys.send("WebAuthn.addCredential", {"authenticatorId": ident, "credential": copied})
        await page.get_by_role("button", name="Sign in with a passkey").click()
        await expect(page.get_by_role("alert")).to_contain_text("The passkey was not accepted", timeout=LIVE_MS)
