"""The console as a process that tests can freeze and kill."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page

from pitwarden_simulators.ports.free import FreePort

_FILE = """\
[site]
name = "{site}"
title = "Harbor"
zone = "America/New_York"
gaming_day = "06:00"
[broker]
host = "127.0.0.1"
port = {broker}
[web]
port = {port}
sign_in = {sign_in}
address = "http://localhost:{port}"
"""
_INPUTS = """\
[keying]
floor = {}
supervisor = {}
"""
PASSWORD = "correct horse"  # noqa: S105  of accounts that a test makes
PEOPLE = (("floor", "f17"), ("supervisor", "s02"), ("surveillance", "v05"), ("administrator", "a01"))
"""Role, which is the login too, and person."""


class RunningConsole:
    """A console with its file in `folder`. `start` returns once the pages are served."""

    def __init__(
        self, folder: Path, broker: int, site: str, tables: Sequence[str], *, people: bool = False, more: str = ""
    ) -> None:
        self.folder, self._people = folder, people
        self._reserved = FreePort()
        self.port = self._reserved.number
        self.address = f"http://127.0.0.1:{self.port}"
        self.named_address = f"http://localhost:{self.port}"
        """Address with a host name, for which a browser makes passkeys."""
        self._process: asyncio.subprocess.Process | None = None
        text = _FILE.format(site=site, broker=broker, port=self.port, sign_in=str(people).lower())
        text += _INPUTS if people else ""
        text += more
        text += "".join(f'[[table]]\nname = "{name}"\npit = "Pit A"\n' for name in tables)
        self._file = folder / "console.toml"
        self._file.write_text(text, encoding="utf-8")

    def add_people(self) -> None:
        """Add an account for each role, before the start."""
        for role, person in PEOPLE:
            arguments = ["--login", role, "--name", f"A {role}", "--person", person, "--role", role]
            subprocess.run(
                [sys.executable, "-m", "pitwarden_console", "account-add", "--config", self._file, *arguments],
                input=PASSWORD, text=True, check=True, capture_output=True,
            )  # fmt: skip

    async def start(self) -> None:
        with (self.folder / "console.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "pitwarden_console", "serve", "--config", str(self._file),
                stdout=log, stderr=log,
            )  # fmt: skip
        while not await self._answers():  # noqa: ASYNC110  another process opens the port
            await asyncio.sleep(0.05)

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        assert self._process is not None
        os.kill(self._process.pid, number)

    async def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal that ends it; return the exit code."""
        assert self._process is not None
        self.send(number)
        process, self._process = self._process, None
        return await process.wait()

    @property
    def log(self) -> str:
        return (self.folder / "console.log").read_text(encoding="utf-8")

    async def close(self) -> None:
        if self._process is not None:
            self.send(signal.SIGCONT)
            await self.end(signal.SIGKILL)

    async def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.returncode is None, self.log
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        await writer.wait_closed()
        return True


async def sign_in(page: Page, login: str, password: str) -> None:
    """Sign in on the page that asks for it."""
    await page.get_by_label("Login").fill(login)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in", exact=True).click()


@asynccontextmanager
async def running_console(
    folder: Path, broker: int, site: str, tables: Sequence[str], *, people: bool = False, more: str = ""
) -> AsyncIterator[RunningConsole]:
    """Yield a console that serves its pages; with `people` each role has an account, and acts can be keyed."""
    made = RunningConsole(folder, broker, site, tables, people=people, more=more)
    try:
        if people:
            await asyncio.to_thread(made.add_people)
        await made.start()
        yield made
    finally:
        await made.close()
