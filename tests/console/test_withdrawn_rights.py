"""The identity provider takes a group away, gives another one, or refuses: sessions end, and the audit says whose."""

import re
from collections.abc import Mapping

import pytest

from pitwarden_console.people.identity_provider import IdentityProvider, ProviderIdentity, ProviderRefusalError
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pins import PinBook
from pitwarden_console.people.provided_accounts import ProvidedAccounts
from pitwarden_console.settings.loading import load_settings
from testkit.pages.application import application
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.people import FILE, People, audited, kinds

PROVIDER = """
[provider]
issuer = "https://id.example"
client_id = "pit"
client_secret_file = "provider.secret"
roles = { "pit-floor" = "floor", "pit-managers" = "supervisor" }
"""
ANN: Mapping[str, object] = {"name": "Ann Marsh", "employee_number": "f31", "groups": ["pit-floor"]}
PIN = "4071"


class ProvidedPeople:
    """A console with a provider that states what a test sets in `claims`; None: it refuses."""

    def __init__(self, people: People, monkeypatch: pytest.MonkeyPatch) -> None:
        file = people.folder / "provided.toml"
        file.write_text(FILE.format(site="silent", host="127.0.0.1") + PROVIDER)
        (file.parent / "provider.secret").touch(0o600)
        (file.parent / "provider.secret").write_text("of a test")
        self.people = people
        self.claims: Mapping[str, object] | None = ANN
        self.section = load_settings(file).file.provider
        people.app = application(
            file, people.database, people.board, people.hub, people.clock, watch=people.watch
        )  # fmt: skip
        accounts: list[int | None] = []

        async def begin(_provider: IdentityProvider, _target: str, account_id: int | None = None) -> tuple[str, object]:
            accounts.append(account_id)
            raise ProviderRefusalError("The provider is not asked in this test.", None)

        async def finish(
            _provider: IdentityProvider, _answer: Mapping[str, str], _bound: str
        ) -> tuple[ProviderIdentity, str]:
            if self.claims is None:
                raise ProviderRefusalError("The house's sign-in refused: no.", accounts[-1])
            return ProviderIdentity("ann", self.claims), "/"

        monkeypatch.setattr(IdentityProvider, "begin", begin)
        monkeypatch.setattr(IdentityProvider, "finish", finish)

    async def come(self) -> PageAnswer:
        return await request(self.people.app, "/sign-in/provider/answer")

    async def cookie(self) -> str:
        answer = await self.come()
        assert answer.status == 200
        found = re.search("__Host-pit=[^;]+", answer.headers["set-cookie"])
        assert found is not None
        return found[0]


@pytest.fixture
def provided(people: People, monkeypatch: pytest.MonkeyPatch) -> ProvidedPeople:
    return ProvidedPeople(people, monkeypatch)


async def test_a_group_that_is_taken_away_ends_every_session_and_every_way_back(provided: ProvidedPeople) -> None:
    people = provided.people
    cookies = [await provided.cookie(), await provided.cookie()]
    csrf = await people.csrf(cookies[0], "/account")
    assert (await people.post("/account/pin", cookies[0], {"csrf": csrf, "pin": PIN})).status == 303
    device = await people.cookie("floor")
    provided.claims = {**ANN, "groups": ["kitchen"]}
    assert "You have no role" in (await provided.come()).text
    for cookie in cookies:
        assert (await people.get("/", cookie)).status == 303
    assert await PinBook(people.database, PasswordChecker()).checked("f31", PIN) is None, "no PIN brings them back"
    assert (await kinds(people.database))[-4:] == [
        "rights-withdrawn", "session-ended", "session-ended", "refused-sign-in",
    ]  # fmt: skip
    assert all('"whose":"f31"' in body for body in (await audited(people.database))[-4:-1])
    page = (await people.get("/audit", device)).text
    assert "of f31: the identity provider refused" in page
    await provided.come()
    assert (await kinds(people.database)).count("rights-withdrawn") == 1
    provided.claims = dict(ANN)
    assert (await people.get("/", await provided.cookie())).status == 200
    assert await PinBook(people.database, PasswordChecker()).checked("f31", PIN) is not None


async def test_another_group_ends_the_sessions_of_the_former_role(provided: ProvidedPeople) -> None:
    before = await provided.cookie()
    again = await provided.cookie()
    assert (await provided.people.get("/", before)).status == 200, "the same group changes nothing"
    provided.claims = {**ANN, "groups": ["pit-managers"]}
    now = await provided.cookie()
    assert [(await provided.people.get("/", one)).status for one in (before, again, now)] == [303, 303, 200]
    bodies = await audited(provided.people.database)
    assert any('"kind":"role-changed"' in body and '"before":"floor","after":"supervisor"' in body for body in bodies)


async def test_a_provider_that_refuses_ends_the_sessions_of_who_asked(provided: ProvidedPeople) -> None:
    people = provided.people
    cookie, other = await provided.cookie(), await people.cookie("floor")
    await request(people.app, "/sign-in/provider", headers={"cookie": cookie})
    provided.claims = None
    assert "sign-in refused: no." in (await provided.come()).text
    assert [(await people.get("/", one)).status for one in (cookie, other)] == [303, 200]


async def test_a_person_without_a_role_whom_no_one_knew_is_refused_alone(provided: ProvidedPeople) -> None:
    section = provided.section
    assert section is not None
    accounts = ProvidedAccounts(provided.people.database, provided.people.clock, section)
    with pytest.raises(ProviderRefusalError, match="no role") as refused:
        await accounts.signed_in(ProviderIdentity("cleo", {**ANN, "groups": []}))
    assert refused.value.account_id is None
    assert await kinds(provided.people.database) == []
