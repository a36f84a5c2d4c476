"""Judge processes of a group, each behind wires of its own to the broker and to the database."""

import asyncio
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pitwarden_simulators.demo.service import make_keys
from pitwarden_simulators.demo.table_file import table_file
from pitwarden_simulators.table.table_builder import SERIALS
from pitwarden_tools.bench.feed import SITE, named
from pitwarden_tools.campaign.wire import FaultyWire, wire

if TYPE_CHECKING:
    from asyncio.subprocess import Process

KEEPALIVE_S: Final = 2
"""Shorter than the default: a member notices a silent broker within twice that time."""
_PROGRAM: Final = (
    "import ctypes, sys; ctypes.CDLL(None).prctl(1, 9)\n"  # SIGKILL when the tool dies: no process is left running
    "from pitwarden.cli.main import main; sys.exit(main())"
)


class JudgeMember:
    """One judge process, its table files, and its wires."""

    def __init__(self, name: str, folder: Path, broker: FaultyWire, database: FaultyWire) -> None:
        self.name, self.folder = name, folder
        self.broker, self.database = broker, database
        self.process: Process | None = None

    def write(self, names: Sequence[str], lease_s: int, *, embedded: bool = False) -> None:
        """Write a file for each table. The keys are those of the whole group; `embedded` leaves the database out."""
        ports = {device: str(self.folder / device) for device in SERIALS}
        section = (
            f'\n[judge_group]\naddresses = ["127.0.0.1:{self.database.port}"]\ndatabase = "postgres"\nuser = "judge"\n'
            f'member = "{self.name}"\nlease_seconds = {lease_s}\n'
        )
        (self.folder / "tables").mkdir(parents=True)
        for name in names:
            text = table_file(named(name), SITE, ("127.0.0.1", self.broker.port), ports, "05:00")
            text = text.replace("[broker]\n", f"[broker]\nkeepalive = {KEEPALIVE_S}\n")
            text = re.sub(r'"keys"', f'"{self.folder.parent / "keys"}"', text)
            (self.folder / "tables" / f"{name}.toml").write_text(text if embedded else text + section)

    async def start(self) -> None:
        """Start the process."""
        with (self.folder / "log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _PROGRAM, "run", "--only", "judge", "--config", str(self.folder / "tables"),
                stdout=log, stderr=log,
            )  # fmt: skip

    async def kill(self) -> None:
        """Send SIGKILL, and return once the process has ended."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if the process still runs."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(number)


async def new_members(
    stack: AsyncExitStack, folder: Path, names: Sequence[str], ports: tuple[int, int], *, count: int, lease_s: int
) -> list[JudgeMember]:
    """Return `count` members that serve `names`, their files written; `ports` are of broker and database."""
    make_keys(folder / "keys")
    made = []
    for number in range(1, count + 1):
        wires = [await stack.enter_async_context(wire(port)) for port in ports]
        member = JudgeMember(f"judge-{number}", folder / f"judge-{number}", *wires)
        member.write(names, lease_s)
        stack.push_async_callback(member.kill)
        made.append(member)
    return made
