"""Accounts, their roles, the audit, and accounts of a demo."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import get_args

import pytest
from sqlalchemy import select, update

from pitwarden_client.events.floor import FloorAct
from pitwarden_client.events.inputs import may_send
from pitwarden_console.errors import ConsoleError
from pitwarden_console.people.accounts import Account, AccountBook, AccountError
from pitwarden_console.people.audit import Audit
from pitwarden_console.people.demo_accounts import make_demo_accounts, refuse_demo_accounts
from pitwarden_console.people.passwords import PasswordChecker
from pitwarden_console.roles import ROLES
from pitwarden_console.settings.loading import load_settings
from pitwarden_console.store.database import open_database
from pitwarden_console.store.schema import account, audit_entry
from testkit.pages.people import FILE, PASSWORD, People
from testkit.pages.stored_tables import sqlite_url


def test_roles_have_the_rights_of_the_contract() -> None:
    names = [model.model_fields["act"].default for model in get_args(FloorAct)]
    for role in ROLES:
        person = Account(1, role, role, "p1", role)
        for act in names:
            own = role if role in {"floor", "supervisor"} else None
            assert person.may(act) == (own is not None and may_send(own, act))


async def test_a_changed_audit_is_found(people: People) -> None:
    audit = Audit(people.database, people.clock)
    for number in range(5):
        await audit.add("sign-in", person=f"p{number}", role="floor")
    assert (await audit.check()).broken_at is None
    async with people.database.writing() as connection:
        body = (await connection.execute(select(audit_entry.c.body).where(audit_entry.c.id == 3))).scalar_one()
        changed = body.replace(b'"p2"', b'"p9"')
        await connection.execute(update(audit_entry).where(audit_entry.c.id == 3).values(body=changed))
    assert (await audit.check()).broken_at == 3


async def test_accounts_are_never_used_again(people: People) -> None:
    book = AccountBook(people.database, PasswordChecker())
    await book.close("floor", 9)
    for login, person in (("floor", "p99"), ("other", "p0")):
        with pytest.raises(AccountError, match="is in use"):
            await book.add(login, PASSWORD, name="Another", person=person, role="floor", now_ms=9)
    with pytest.raises(AccountError, match="10 to 200 characters"):
        await book.add("new", "short", name="New", person="p77", role="floor", now_ms=9)
    with pytest.raises(AccountError, match="no account with the login none"):
        await book.set_password("none", PASSWORD)
    await book.set_password("supervisor", "another long one")
    assert await book.checked("supervisor", PASSWORD) is None
    assert await book.checked("supervisor", "another long one") is not None
    async with people.database.reading() as connection:
        stored = (await connection.execute(select(account.c.password))).scalars().all()
    assert all(each.startswith("$argon2id$") for each in stored)


@pytest.mark.parametrize(
    ("site", "host"), [("harbor", "127.0.0.1"), ("demo-1", "broker.example"), ("demo-1", "10.0.0.1")]
)
async def test_demo_accounts_refuse_to_exist_elsewhere(tmp_path: Path, site: str, host: str) -> None:
    file = tmp_path / "console.toml"
    file.write_text(FILE.format(site=site, host=host))
    async with open_database(sqlite_url(tmp_path)) as database:
        with pytest.raises(ConsoleError, match="demo accounts refuse to exist here"):
            await make_demo_accounts(load_settings(file), database, 1)
        await refuse_demo_accounts(database)


async def test_a_store_of_a_demo_is_refused_outside_of_one(tmp_path: Path) -> None:
    file = tmp_path / "console.toml"
    file.write_text(FILE.format(site="demo-1", host="127.0.0.1"))
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_database(sqlite_url(tmp_path)))
        await make_demo_accounts(load_settings(file), database, 1)
        await make_demo_accounts(load_settings(file), database, 2)
        with pytest.raises(ConsoleError, match="the store is of a demo"):
            await refuse_demo_accounts(database)


@pytest.mark.parametrize("typed", ["no account has this password", ""])
async def test_an_account_without_a_password_lets_nobody_in_by_one(typed: str) -> None:
    passwords = PasswordChecker()
    own = await passwords.hashed(PASSWORD)
    assert await passwords.is_right(own, PASSWORD)
    assert not await passwords.is_right("", typed)
    assert not await passwords.is_right(None, typed)


async def test_no_word_fits_the_hash_that_is_compared_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = PasswordChecker()
    monkeypatch.setattr(passwords, "_matches", lambda _stored, _password: True)
    assert not await passwords.is_right("", PASSWORD), "whatever the comparison says"
    assert not await passwords.is_right(None, PASSWORD)
