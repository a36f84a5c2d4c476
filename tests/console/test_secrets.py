"""Secrets of the console: modes of files, texts of objects, work off the event loop, and ways without TLS."""

import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from pitwarden_console.caller.settings import Recipient
from pitwarden_console.people.accounts import Account, AccountBook
from pitwarden_console.people.identity_provider import Flow, IdentityProvider, ProviderError
from pitwarden_console.people.passkeys import PasskeyBook
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.people.pins import PinBook
from pitwarden_console.people.sessions import AccountSession
from pitwarden_console.settings.console_settings import ProviderSettings
from pitwarden_console.settings.loading import load_settings
from pitwarden_console.store.database import open_database
from testkit.pages.people import FILE, PASSWORD, People
from testkit.pages.stored_tables import SteppedClock, sqlite_url

OWNER = Account(1, "floor", "A floor", "p0", "floor")
SETTINGS = ProviderSettings("https://id.example", "pit", "hush-hush", "https://console.example/back", ("openid",))


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Create files as an administrator's shell does: readable for everyone unless their mode forbids it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes_in(folder: Path) -> Mapping[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


@pytest.mark.usefixtures("open_umask")
async def test_the_store_is_its_owners_alone_from_its_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a mode that is set afterwards is too late")

    monkeypatch.setattr(os, "chmod", refused)
    async with open_database(sqlite_url(tmp_path)) as database:
        await AccountBook(database, PasswordChecker()).add(
            "f1", PASSWORD, name="A", person="f1", role="floor", now_ms=1
        )  # fmt: skip
        modes = modes_in(tmp_path)
    assert set(modes) >= {"console.sqlite", "console.sqlite-wal"}
    assert set(modes.values()) == {0o600}


def test_no_text_of_an_object_has_its_secret(people: People, tmp_path: Path) -> None:
    file = tmp_path / "console.toml"
    text = FILE.format(site="silent", host="127.0.0.1")
    file.write_text(text.replace("[web]", '[store]\nurl = "postgresql://pit:hush-hush@db/pit"\n[web]'))
    passkeys = PasskeyBook(people.database, people.clock, "https://console.example", "Harbor")
    begun = passkeys.assertion()
    objects = (
        SETTINGS, load_settings(file).file, Recipient(name="manager", urls=("sms://hush-hush@service",)),
        AccountSession(1, OWNER, "hush-hush", "pin", 1), Flow("s", "hush-hush", "hush-hush", "/", 1),
    )  # fmt: skip
    for one in objects:
        assert "hush-hush" not in repr(one), type(one)
    assert "challenge" not in repr(begun)
    assert "challenge=" not in repr(vars(passkeys)["_begun"])


async def test_hashes_are_computed_off_the_event_loop(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    known = PasswordHasher.hash

    def hashed(self: PasswordHasher, password: str | bytes, *, salt: bytes | None = None) -> str:
        threads.append(threading.get_ident())
        return known(self, password, salt=salt)

    monkeypatch.setattr(PasswordHasher, "hash", hashed)
    checker = PasswordChecker()
    await PinBook(people.database, checker).set(OWNER, "4071")
    await AccountBook(people.database, checker).set_password("floor", "another long one")
    assert len(threads) == 2
    assert threading.get_ident() not in threads, "every stream would wait for a tenth of a second"


@pytest.mark.parametrize(
    "changed",
    [
        {"token_endpoint": "http://id.example/token"},
        {"jwks_uri": "http://id.example/keys"},
        {"authorization_endpoint": "http://id.example/auth"},
        {"end_session_endpoint": "http://id.example/end"},
        {"token_endpoint": "file:///etc/passwd"},
    ],
)
async def test_a_provider_with_an_endpoint_without_tls_is_refused(
    changed: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stated: Mapping[str, object] = {
        "issuer": "https://id.example", "authorization_endpoint": "https://id.example/auth",
        "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
    }  # fmt: skip

    def answering(documents: Mapping[str, object]) -> IdentityProvider:
        async def read(_client: object, _address: str) -> Mapping[str, object]:
            return documents

        monkeypatch.setattr(IdentityProvider, "_json", staticmethod(read))
        return IdentityProvider(SETTINGS, SteppedClock())

    address, _ = await answering(stated).begin("/")
    assert address.startswith("https://id.example/auth?")
    [(name, _)] = changed.items()
    with pytest.raises(ProviderError, match=f"not private: its {name}"):
        await answering({**stated, **changed}).begin("/")
