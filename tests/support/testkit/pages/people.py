"""Console with a table, an account for each role, and a table that answers what is sent."""

import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from argon2 import PasswordHasher
from sqlalchemy import select

from pitwarden_client.events.inputs import InputReply, TerminalInput
from pitwarden_client.events.outputs import TableState
from pitwarden_console.alarms.watch import AlarmWatch
from pitwarden_console.board.pit_board import PitBoard
from pitwarden_console.ingest.feed import TableKey
from pitwarden_console.priorities import load_priorities
from pitwarden_console.store.database import HistoryDatabase
from pitwarden_console.store.schema import account, audit_entry
from pitwarden_console.web.hub import LiveHub
from testkit.pages.application import AnsweringLink, application
from testkit.pages.asgi import PageAnswer, request
from testkit.pages.fed_tables import FedTable
from testkit.pages.stored_tables import SteppedClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from pitwarden_client.events.base import Role
    from pitwarden_console.acts.input_link import RoleInputLink

FILE = """
[site]
name = "{site}"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
[broker]
host = "{host}"
[web]
address = "http://localhost:8080"
[keying]
floor = {{}}
supervisor = {{}}
[[table]]
name = "tab-shielded"
pit = "Pit A"
"""
PASSWORD = "a long enough one"  # noqa: S105  of accounts that a test makes
HASHED = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""As cheap as the library permits: a check takes its cost from the hash."""
KEY = TableKey("Pit A", "silent", "tab-shielded")
FORM = {"content-type": "application/x-www-form-urlencoded", "origin": "https://localhost"}


class People:
    """A table with a stray 10, an account for each role, and a table that answers."""

    def __init__(self, folder: Path, database: HistoryDatabase, state: TableState) -> None:
        file = folder / "console.toml"
        file.write_text(FILE.format(site="silent", host="127.0.0.1"))
        self.folder, self.database, self.clock = folder, database, SteppedClock()
        self.reply: InputReply | None = InputReply(id="any", accepted=True, number=120)
        self.answer_with: Callable[[TerminalInput], InputReply] | None = None
        self.link = AnsweringLink(self.answer)
        self.table = FedTable(KEY)
        self.table.view.state = state
        self.board = PitBoard(self.clock, load_priorities())
        self.board.add(self.table)
        links: dict[Role, RoleInputLink] = {"floor": self.link, "supervisor": self.link}
        self.hub = LiveHub(self.board)
        self.watch = AlarmWatch(database, self.board, self.clock, self.hub.mark)
        self.app: ASGIApp = application(
            file, database, self.board, self.hub, self.clock, links=links, watch=self.watch
        )  # fmt: skip
        self.ref = state.irregularities[0].ref
        self.address = f"/table/silent/tab-shielded/incident/{self.ref}"

    def answer(self, wanted: TerminalInput) -> InputReply | None:
        if self.answer_with is not None:
            return self.answer_with(wanted)
        return None if self.reply is None else self.reply.model_copy(update={"id": wanted.id})

    async def add(self, login: str, person: str, role: str) -> None:
        """Add an account."""
        values = {"login": login, "name": f"A {role}", "person": person, "role": role, "created_ms": 1}
        async with self.database.writing() as connection:
            await connection.execute(account.insert().values(**values, password=HASHED))

    async def sign_in(self, login: str, password: str = PASSWORD, *, address: str = "/sign-in") -> PageAnswer:
        body = urlencode({"login": login, "password": password}).encode()
        return await request(self.app, address, method="POST", headers=FORM, body=body)

    async def cookie(self, login: str) -> str:
        answer = await self.sign_in(login)
        assert answer.status == 303
        return answer.headers["set-cookie"].partition(";")[0]

    async def get(self, address: str, cookie: str) -> PageAnswer:
        return await request(self.app, address, headers={"cookie": cookie})

    async def csrf(self, cookie: str, address: str) -> str:
        """Return the token of a session's forms."""
        found: list[str] = re.findall(r'name="csrf" value="([^"]*)"', (await self.get(address, cookie)).text)
        return found[0]

    async def post(self, address: str, cookie: str, fields: dict[str, str]) -> PageAnswer:
        """Send a form with the session's token, as one of our pages does."""
        sent = {**FORM, "cookie": cookie}
        csrf = fields.get("csrf") or await self.csrf(cookie, "/shift")
        body = urlencode({**fields, "csrf": csrf}).encode()
        answer = await request(self.app, address, method="POST", headers=sent, body=body)
        self.board.refresh()  # no hub runs here
        return answer

    def show(self, state: TableState) -> None:
        """Let the table publish a state."""
        self.table.view.state = state
        self.board.mark(KEY)
        self.board.refresh()

    async def fields(self, cookie: str, choice: str) -> dict[str, str]:
        """Return the hidden fields of a sheet, as the page has them."""
        page = (await self.get(self.address, cookie)).text
        made = dict(re.findall(r'name="(csrf|input|epoch|number)" value="([^"]*)"', page))
        return {**made, "choice": choice}

    async def act(self, cookie: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> PageAnswer:
        sent = {**FORM, "cookie": cookie, **(headers or {})}
        return await request(self.app, self.address, method="POST", headers=sent, body=urlencode(fields).encode())


async def kinds(database: HistoryDatabase) -> list[str]:
    async with database.reading() as connection:
        return list((await connection.execute(select(audit_entry.c.kind).order_by(audit_entry.c.id))).scalars())


async def audited(database: HistoryDatabase) -> list[str]:
    """Return the bodies of all audit entries, in order."""
    async with database.reading() as connection:
        found = (await connection.execute(select(audit_entry.c.body).order_by(audit_entry.c.id))).scalars()
        return [each if isinstance(each, str) else each.decode() for each in found]
